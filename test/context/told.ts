import { expect } from 'vitest'
import { describeEvent } from '../../src/context/gather.ts'
import type { ChangedFile } from '../../src/context/ranking.ts'
import { decide } from '../../src/events/decide.ts'
import { recallStep } from '../../src/memory/recall.ts'
import type { Scene, Start } from '../support/decisions.ts'
import { AFTER, addCommit, addStatus, BEFORE } from '../support/world.ts'

/** A changed file with this diff. */
export function file(
  path: string,
  patch = '@@ -1 +1 @@\n+x',
  change: Partial<ChangedFile> = {},
): ChangedFile {
  return { status: 'modified', path, oldPath: path, added: 1, removed: 0, patch, ...change }
}

/**
 * Describes an event for a run that has a prompt.
 *
 * @returns `lines`: without our own words and the delimiters; `requests`: to GitHub, beside the one for the history;
 * `logged`: annotations as `warning: …`
 */
export async function tell(
  { newRun, github, logged }: Scene,
  { previous, ...start }: Start & Pick<Parameters<typeof describeEvent>[1], 'previous'>,
) {
  const { run, trigger } = newRun({ ...start, inputs: { prompt: 'Document it.', ...start.inputs } })
  if ('kind' in trigger) throw new Error(trigger.reason)
  const decision = await decide(trigger, run)
  const mergedPulls = decision.kind === 'go' ? decision.mergedPulls : new Map()
  const since = await recallStep(trigger, run)
  const before = github.requests.length
  const text = await describeEvent(trigger, { mergedPulls, since, previous, signals: '' }, run)
  const lines = text.split('\n')
  expect(lines.at(-1)).toBe(lines[0]?.replace('<', '</'))
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536)
  return { lines: lines.slice(4, -1), requests: github.requests.slice(before), logged: logged() }
}

export const RUN = 'Workflow run: https://github.com/acme/docs/actions/runs/1001'

/** A comparison of the two ends of a push, as GitHub answers it. */
export const COMPARISON = {
  html_url: 'https://github.com/acme/docs/compare/a...b',
  status: 'ahead',
  behind_by: 0,
  total_commits: 3,
  commits: [
    {
      sha: '1'.repeat(40),
      commit: { message: 'Add a flag\n\nIt is on.\n\nCo-authored-by: x <x@a.example>' },
    },
    { sha: AFTER, commit: { message: 'Use it' } },
  ],
  files: [changedFile('src/flag.ts', { status: 'added', patch: '@@ -0,0 +1 @@\n+export const flag = true' })],
}

/** A file as GitHub lists it, with an added line. */
export function changedFile(filename: string, change: object = {}) {
  return { filename, status: 'modified', additions: 1, deletions: 0, changes: 1, ...change }
}

/** What is told of it. */
export const COMPARED = [
  'Compare: https://github.com/acme/docs/compare/a...b',
  'Commits:',
  '- bbbbbbb Use it',
  '- 1111111 Add a flag',
  '  It is on.',
  '… (1 more, left out here)',
  'Changed files: 1 (+1 -0), first what readers would notice',
  'added src/flag.ts (+1 -0)',
  '@@ -0,0 +1 @@',
  '+export const flag = true',
]

export const COMPARE = 'GET /compare/aaaaaaa...bbbbbbb'

const OLDER = 'e'.repeat(40)

/** Adds the status that this step's last job has left on a commit. */
export function addJob({ world }: Scene, sha: string, state = 'success'): void {
  const context = 'Docs agent: docs (docs.yml, docs, agent)'
  addStatus(world, sha, { context, state, description: 'Done (job_1)', created_at: '2026-03-01T06:30:00Z' })
}

/** Adds two commits and, on the one before them, this step's last job. */
export function addOlderJob(scene: Scene, state?: string): void {
  const { world } = scene
  world.commits.clear()
  addCommit(world, { sha: OLDER, parents: [] })
  addCommit(world, { sha: BEFORE, parents: [OLDER] })
  addCommit(world, { sha: AFTER, parents: [BEFORE] })
  addJob(scene, OLDER, state)
  world.comparisons.set(`${OLDER}...${AFTER}`, COMPARISON)
}
