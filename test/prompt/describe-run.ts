import { expect } from 'vitest'
import type { Changes } from '../../src/look/changes.ts'
import type { ChangedFile } from '../../src/look/ranks.ts'
import type { Event } from '../support/events.ts'
import type { Harness } from '../support/harness.ts'
import { AFTER, addStatus, type CommitStatus, person } from '../support/world.ts'

const octocat = person('octocat')

/** A changed file with this diff. */
export function file(
  path: string,
  patch = '@@ -1 +1 @@\n+x',
  change: Partial<ChangedFile> = {},
): ChangedFile {
  return { status: 'modified', path, oldPath: path, added: 1, removed: 0, patch, ...change }
}

/** Changes that GitHub lists whole; none by default. */
export function changesOf(some: Partial<Changes>): Changes {
  const { commits = [], files = [] } = some
  const known = { commitCount: commits.length, fileCount: files.length }
  const whole = { isArbitrary: false, isWhole: true, isRewritten: false }
  return { since: '', url: '', commits, files, ...known, ...whole, ...some }
}

/** What does not concern the context: permission, memory, comments, and what a dry run says at its end. */
const OTHER_REQUESTS =
  /permission$|(?:MergedPulls|StepStatuses|TagStatuses|Announcements)$|^POST \/graphql$|statuses|comments|workflows/
const OTHER_LINES =
  /Dry run: nothing was sent|Could not look for an earlier job|can't read the earlier pull/

/**
 * Runs the action dry for an event, with a prompt, as somebody who may.
 *
 * @returns `lines`: of what the agent is told, without our own words and the delimiters; `requests`: to GitHub, for
 * that; `logged`: annotations as `warning: …`; `leadIn`: our own words; `counts`: as the summary has them
 */
export async function contextOf(
  { run, world }: Harness,
  event: Event,
  inputs: Readonly<Record<string, string>> = {},
) {
  const { sender = octocat } = event.payload
  for (const { login, id } of [octocat, sender ?? octocat]) {
    const role = { permission: 'write', role_name: 'write', id: id ?? 0 }
    world.roles.set(login?.toLowerCase() ?? '', role)
  }
  const { log, outputs, requests, summary } = await run({
    runId: 1001,
    event: { ...event, payload: { ...event.payload, sender } },
    inputs: { prompt: 'Document it.', 'dry-run': 'true', ...inputs },
  })
  const first = log.findIndex((line) => line.startsWith('<github-context'))
  const last = log.findIndex((line) => line.startsWith('</github-context'))
  const lines = log.slice(first, last + 1)
  expect(lines.at(-1), log.join('\n')).toBe(lines[0]?.replace('<', '</'))
  return {
    leadIn: lines.slice(1, 4),
    lines: lines.slice(4, -1),
    outputs,
    counts: /(?<=prompt includes: ).*(?=\.)/.exec(summary)?.[0],
    requests: requests.filter((line) => !OTHER_REQUESTS.test(line)),
    logged: log.filter(
      (line) => /^(?:notice|warning|error): /.test(line) && !OTHER_LINES.test(line),
    ),
  }
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
  files: [
    changedFile('src/flag.ts', {
      status: 'added',
      patch: '@@ -0,0 +1 @@\n+export const flag = true',
    }),
  ],
}

/** A file as GitHub lists it, with an added line. */
export function changedFile(filename: string, change: object = {}) {
  return { filename, status: 'modified', additions: 1, deletions: 0, changes: 1, ...change }
}

/** What is told of it. */
export const COMPARED = [
  'Compare: https://github.com/acme/docs/compare/a...b',
  'Commits (3, of which GitHub lists the newest 2):',
  '- bbbbbbb Use it',
  '- 1111111 Add a flag',
  '  It is on.',
  'Changed files: 1 (+1 -0), first what readers would notice',
  'added src/flag.ts (+1 -0)',
  '@@ -0,0 +1 @@',
  '+export const flag = true',
]

export const COMPARE = 'GET /compare/aaaaaaa...bbbbbbb'

/** Adds the status that this step's last job has left on a commit; `state` is that of its record. */
export function addJob({ world }: Harness, sha: string, change: Partial<CommitStatus> = {}): void {
  const context = 'Docs agent: docs (docs.yml, docs, agent)'
  const record = `run=7&attempt=1&state=${change.state ?? 'success'}&own=job_1`
  const target_url = `https://github.com/acme/docs/actions/runs/7#${record}`
  const done = { target_url, created_at: '2026-03-01T06:30:00Z' }
  addStatus(world, sha, { context, ...done, ...change, state: 'success' })
}
