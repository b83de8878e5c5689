import { expect, it } from 'vitest'
import { type EventFacts, renderContext } from '../../src/prompt/render.ts'
import { changesOf, file } from './describe-run.ts'

const KIB = 1024
const words = 'Say what the option does and where it is read. '
const body = words.repeat(1.4 * KIB)

function withFiles(count: number, patch: string): EventFacts {
  const files = Array.from({ length: count }, (_, index) => file(`src/${index}.ts`, patch))
  return { facts: [], changes: changesOf({ files }) }
}

function withCommit(message: string, count = 1): EventFacts {
  const commits = Array(count).fill({ sha: '1'.repeat(40), message, pulls: [] })
  return { facts: [], changes: changesOf({ commits }) }
}

function withPulls(count: number): EventFacts {
  const commits = Array.from({ length: count }, (_, number) => ({
    ...{ sha: '1'.repeat(40), message: 'x' },
    pulls: [
      { number, url: '', author: null, assignees: [], title: 'x', labels: [], paths: [], body },
    ],
  }))
  return { facts: [], changes: changesOf({ commits }) }
}

/** Measures CPU time, in milliseconds. */
function timeOf(event: EventFacts): number {
  const before = process.cpuUsage()
  renderContext(event, { detail: 'diff', promptBytes: 0 }, { 'skip-labels': [] })
  return Math.max(1, process.cpuUsage(before).user / 1000)
}

const names = Array.from({ length: 120 }, (_, index) => `n${index}`).join(' ')

it.each<{ what: string; hostile: EventFacts; ordinary: EventFacts }>([
  {
    what: 'a commit with a version of 96 KiB',
    hostile: withCommit(`0.0.${'0'.repeat(96 * KIB)} x`),
    ordinary: withCommit(words.repeat(2 * KIB)),
  },
  {
    what: 'a commit whose message has 64 KiB of words with hyphens',
    hostile: withCommit(`x\n\n${'a-'.repeat(32 * KIB)}`),
    ordinary: withCommit(`x\n\n${body}`),
  },
  {
    what: '400 commits whose messages have 64 KiB each',
    hostile: withCommit(`x\n\n${body}`, 400),
    ordinary: withCommit(`x\n\n${body}`, 16),
  },
  {
    what: '400 merged pull requests whose descriptions have 64 KiB each',
    hostile: withPulls(400),
    ordinary: withPulls(16),
  },
  {
    what: 'lines of 500 spaces before 120 names',
    hostile: withFiles(1, `@@ -1 +1 @@\n${`+${' '.repeat(500)}${names}\n`.repeat(500)}`),
    ordinary: withFiles(1, `@@ -1 +1 @@\n${`+${words.repeat(21)}\n`.repeat(500)}`),
  },
  {
    what: '300 files whose first lines are like the header of generated code',
    hostile: withFiles(300, `@@ -0,0 +1 @@\n${`+DO NOT EDIT ${'@ '.repeat(489)}\n`.repeat(40)}`),
    ordinary: withFiles(300, `@@ -0,0 +1 @@\n${`+${words.repeat(21)}\n`.repeat(40)}`),
  },
])('$what takes at most ten times as long as ordinary text', ({ hostile, ordinary }) => {
  // Other work of this process may meet a try, but not all of them.
  const isAsFast = () => timeOf(hostile) / timeOf(ordinary) < 10
  expect(isAsFast() || isAsFast() || isAsFast()).toBe(true)
})
