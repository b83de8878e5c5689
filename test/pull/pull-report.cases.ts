import type { CheckState } from '../support/builds.ts'
import { AGENT, type addCommit, person } from '../support/world.ts'

export const TROUBLES = ['early', 'late', 'never', 'replaced', '403', '502', 'stranger'] as const

/** What `preview-status` is after a wait, by the state of the check; `never`, 502 and a stranger: nothing, ever. */
export const EXPECTED: Readonly<
  Record<CheckState, Partial<Record<(typeof TROUBLES)[number], string>>>
> = {
  queued: { early: 'building', late: 'building', replaced: 'building' },
  building: { early: 'building', late: 'building', replaced: 'building' },
  ready: { early: 'ready', late: 'ready', replaced: 'building', '403': 'ready' },
  failed: { early: 'failed', late: 'failed', replaced: 'building' },
  'timed out': { early: 'failed', late: 'failed', replaced: 'building' },
  skipped: { replaced: 'building' },
  neutral: { replaced: 'building' },
}

const READY = '| a | 🟢 Ready | [View Preview](https://ready.example/) | now |'
/** Rows of the comment about a preview; its link and state. */
export const PREVIEW_ROWS: readonly [string, string, string, string][] = [
  [
    'the first row that is ready',
    `| a | 🟡 Building | [View Preview](https://b.example/) | now |\n${READY}`,
    'https://ready.example/',
    'ready',
  ],
  [
    'else the first row',
    '| Ready | 🔴 Not Ready | [View Preview](https://b.example/) | now |',
    'https://b.example/',
    '',
  ],
  ['no http link', READY.replace('https:', 'http:'), '', ''],
  ['no link with a name', READY.replace('https://', 'https://a@'), '', ''],
  [
    'a link without spaces around it',
    READY.replaceAll('| ', '|').replaceAll(' |', '|'),
    'https://ready.example/',
    'ready',
  ],
  [
    'not ready that is only so soon',
    READY.replace('Ready', 'Ready soon'),
    'https://ready.example/',
    '',
  ],
  ['no link with a password', READY.replace('https://', 'https://:b@'), '', ''],
  ['no script', READY.replace('https://ready.example/', 'javascript:alert'), '', ''],
  ['a check without a comment', '', '', ''],
]

export const mine = { author: AGENT }
const NOTHING = 'Changed nothing on `main`'

/** Commits since the job was created, and what is said of it. */
export const STRAIGHT: readonly [string, Parameters<typeof addCommit>[1][], string][] = [
  ['that left no commit', [], NOTHING],
  ['beside commits of others', [{ author: person('mona') }], NOTHING],
  ['with a commit of the agent', [mine], 'Published straight to `main`: 1 commit'],
  ['with two of them', [mine, {}, mine], 'Published straight to `main`: 2 commits'],
  ['with a merged one by its subject', [{ ...mine, message: 'Docs (#7)\n\nx' }], NOTHING],
  ['with a merge commit', [{ ...mine, message: 'Merge pull request #7 from acme/x' }], NOTHING],
  ['beside a hundred commits', Array(100).fill({}), NOTHING],
  ['beside more than a hundred', Array(101).fill({}), 'Completed without a pull request'],
]
