import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { readGitDiff } from '../src/changes/git-diff.ts'
import { type GitFiles, gitBackend, makeRepository } from '../test/support/git-server.ts'

/** Measures what git takes for large changes, from a server on this machine, which takes a part of the time. */
export async function measureGit(folder: string) {
  const linesOf = (index: number): string =>
    Array.from({ length: 400 }, (_, line) => `  call(${index}, ${(line * index) % 997})\n`).join('')
  const rows = [
    await measure('3,000 changed files of 10 KB', join(folder, 'large'), {
      before: filesOf(3000, linesOf),
      after: filesOf(3000, (index) => `useNew()\n${linesOf(index)}`),
    }),
    await measure('3 changed files of 100,000', join(folder, 'many'), {
      before: filesOf(100_000, (index) => `${index}\n`),
      after: filesOf(100_000, (index) => (index < 3 ? 'new\n' : `${index}\n`)),
    }),
    await measure('100,000 changed files', join(folder, 'all'), {
      before: filesOf(100_000, (index) => `${index}\n`),
      after: filesOf(100_000, (index) => `new ${index}\n`),
    }),
  ]
  return {
    title: 'Large changes that git reads',
    head: ['Change', 'files, with a diff', 'seconds', 'received', 'memory of git'],
    rows,
  }
}

function filesOf(count: number, textOf: (index: number) => string): GitFiles {
  const paths = Array.from(
    { length: count },
    (_, index) => `src/part-${index % 300}/file-${index}.ts`,
  )
  return Object.fromEntries(paths.map((path, index) => [path, textOf(index)]))
}

async function measure(
  name: string,
  folder: string,
  { before, after }: Readonly<Record<'before' | 'after', GitFiles>>,
): Promise<string[]> {
  mkdirSync(folder)
  const [base = '', head = ''] = makeRepository(join(folder, 'docs'), [before, after])
  const sockets: Socket[] = []
  const server = createServer(gitBackend(folder)).on('connection', (socket) => sockets.push(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs`
  const source = { url, token: '', folder, env: process.env }
  const startedAt = performance.now()
  const reading = readGitDiff(source, { base, head }, (files) => files)
  let isDone = false
  const watching = peakOfGit(() => isDone)
  const { files = [], problem } = await reading
  const seconds = (performance.now() - startedAt) / 1000
  isDone = true
  if (problem !== undefined) throw new Error(problem)
  server.close()
  const diffs = files.filter(({ patch }) => patch !== undefined).length
  const megabytes = sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0) / 1e6
  const counts = [files.length, diffs].map((count) => count.toLocaleString('en'))
  const figures = [`${seconds.toFixed(1)} s`, `${megabytes.toFixed(1)} MB`]
  return [name, counts.join(', '), ...figures, `${((await watching) / 1e6).toFixed(0)} MB`]
}

/** The most memory that the processes of git's own groups had at one time, in bytes; 0 where there is no `/proc`. */
async function peakOfGit(isDone: () => boolean): Promise<number> {
  let peak = 0
  while (!isDone()) {
    const processes = readdirSync('/proc').flatMap((pid) => readProcess(pid) ?? [])
    const leaders = processes.filter(
      ({ parent, pid, group }) => parent === process.pid && pid === group,
    )
    const groups = new Set(leaders.map(({ group }) => group))
    const own = processes.filter(({ group }) => groups.has(group))
    peak = Math.max(
      peak,
      own.reduce((sum, { bytes }) => sum + bytes, 0),
    )
    await setTimeout(10)
  }
  return peak
}

function readProcess(pid: string) {
  try {
    // After the name: state, parent, group; the 24th field is the number of pages in memory.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').map(Number)
    const [, parent, group] = fields ?? []
    return { pid: Number(pid), parent, group, bytes: (fields?.[21] ?? 0) * 4096 }
  } catch {
    return undefined
  }
}
