import { expect } from 'vitest'
import { describeEvent } from '../../src/context/gather.ts'
import { loadHistory } from '../../src/events/history.ts'
import type { Scene, Start } from '../support/decisions.ts'
import { AFTER } from '../support/world.ts'

/** What the agent is told of an event, without our own words and the delimiters. */
export type Told = {
  readonly lines: readonly string[]
  /** Requests to GitHub beside the one for the history. */
  readonly requests: readonly string[]
  /** Annotations, as `warning: …`. */
  readonly logged: readonly string[]
}

type Previous = NonNullable<Parameters<typeof describeEvent>[1]['previous']>

/** Describes an event for a run that has a prompt. */
export async function tell(
  { newRun, github, logged }: Scene,
  { previous, signals = '', ...start }: Start & { readonly previous?: Previous; readonly signals?: string },
): Promise<Told> {
  const { run, trigger } = newRun({ ...start, inputs: { prompt: 'Document it.', ...start.inputs } })
  if ('skip' in trigger) throw new Error(trigger.reason)
  const history = await loadHistory(trigger, run)
  const before = github.requests.length
  const text = await describeEvent(trigger, { history, previous, signals }, run)
  const lines = text.split('\n')
  expect(lines[0]).toMatch(/^<github-context-[0-9a-f]{16}>$/)
  expect(lines.at(-1)).toBe(lines[0]?.replace('<', '</'))
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536)
  return { lines: lines.slice(4, -1), requests: github.requests.slice(before), logged: logged() }
}

/** What is told of every run. */
export const RUN = 'Workflow run: https://github.com/acme/docs/actions/runs/1001'

/** A comparison of the two ends of a push, as GitHub answers it. */
export const COMPARISON = {
  html_url: 'https://github.com/acme/docs/compare/a...b',
  status: 'ahead',
  behind_by: 0,
  total_commits: 2,
  commits: [
    {
      sha: '1'.repeat(40),
      commit: { message: 'Add a flag\n\nIt is on by default.\n\nCo-authored-by: x <x@example.com>' },
    },
    { sha: AFTER, commit: { message: 'Use it' } },
  ],
  files: [
    {
      filename: 'src/flag.ts',
      status: 'added',
      additions: 1,
      deletions: 0,
      changes: 1,
      patch: '@@ -0,0 +1 @@\n+export const flag = true',
    },
  ],
}

/** What is told of it. */
export const COMPARED = [
  'Compare: https://github.com/acme/docs/compare/a...b',
  'Commits:',
  '- bbbbbbb Use it',
  '- 1111111 Add a flag',
  '  It is on by default.',
  'Changed files: 1 (+1 -0), first what readers would notice',
  'added src/flag.ts (+1 -0)',
  '@@ -0,0 +1 @@',
  '+export const flag = true',
]

export const COMPARE = 'GET /compare/aaaaaaa...bbbbbbb'
