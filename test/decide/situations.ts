import { readInputs } from '../../src/inputs/table.ts'
import type { Changes } from '../../src/look/changes.ts'
import { NOTHING_EARLIER } from '../../src/look/earlier-runs.ts'
import { eventRow } from '../../src/look/event.ts'
import type { Situation } from '../../src/look/situation.ts'
import { readEnvironment } from '../../src/runner/run.ts'
import { BEFORE, type Event } from '../support/events.ts'

/** A situation on an event without earlier runs, changes, or a command. */
export function situationOf(
  { name, payload }: Event,
  {
    earlier,
    ...facts
  }: Omit<Partial<Situation>, 'earlier'> & {
    readonly earlier?: Partial<Situation['earlier']> | undefined
  } = {},
): Situation {
  return {
    trigger: { event: { name, row: eventRow(name), payload }, command: undefined },
    hasInstructions: true,
    nowMs: 0,
    lineComments: [],
    ...facts,
    earlier: { ...NOTHING_EARLIER, ...earlier },
  }
}

/** The command of a comment. */
export const COMMAND = {
  kind: 'comment',
  source: { id: 1, url: '', thread: { kind: 'main', number: 1, isPull: true, rootId: 0 } },
  author: { id: 1, login: 'octocat', isBot: false },
  instructions: 'x',
  fresh: false,
} as const

/** A commit by a person that changes a source file, compared with an earlier one. */
export function changesOf(change: Partial<Changes> = {}): Changes {
  const { commits = [COMMIT], files = [fileAt('src/cli.ts')] } = change
  return {
    since: '',
    url: '',
    commits,
    commitCount: commits.length,
    files,
    fileCount: files.length,
    isArbitrary: false,
    isWhole: true,
    isRewritten: false,
    ...change,
  }
}

export const COMMIT: Changes['commits'][number] = {
  sha: BEFORE,
  message: 'Change it',
  author: { login: 'octocat', type: 'User' },
  pulls: [],
}

export function fileAt(path: string, oldPath = path): Changes['files'][number] {
  return { status: 'modified', path, oldPath, added: 1, removed: 0, patch: '@@ -1 +1 @@\n+x' }
}

/** What a decision needs of a run. */
export function factsOf(inputs: Readonly<Record<string, string>> = {}, attempt = 1) {
  const given = new Map(Object.entries({ prompt: 'Document it.', ...inputs }))
  const env = { GITHUB_RUN_ATTEMPT: `${attempt}`, GITHUB_REPOSITORY: 'acme/docs' }
  return {
    inputs: readInputs(given, (text) => text).inputs,
    environment: readEnvironment(env),
    mintlify: 'Mintlify',
  }
}
