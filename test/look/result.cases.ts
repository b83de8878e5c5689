import type { CheckState } from '../support/builds.ts'
import { AGENT, type addCommit, bot, person } from '../support/world.ts'

/** What `preview-status` is after a wait, by the state of the check and by what goes wrong. */
export const STATES: readonly {
  readonly state: CheckState
  readonly trouble?: 'never' | 'replaced' | '403' | '502' | 'stranger'
  readonly status: string
}[] = [
  { state: 'queued', status: 'building' },
  { state: 'building', status: 'building' },
  { state: 'ready', status: 'ready' },
  { state: 'failed', status: 'failed' },
  { state: 'timed out', status: 'failed' },
  { state: 'skipped', status: '' },
  { state: 'neutral', status: '' },
  { state: 'ready', trouble: 'never', status: '' },
  { state: 'ready', trouble: 'replaced', status: 'building' },
  { state: 'ready', trouble: '403', status: 'ready' },
  { state: 'failed', trouble: '403', status: '' },
  { state: 'ready', trouble: '502', status: '' },
  { state: 'ready', trouble: 'stranger', status: '' },
]

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
  ['a check without a comment', '', '', ''],
]

export const mine = { author: AGENT }
const NOTHING = 'no docs changes'

type Row = {
  readonly what: string
  readonly commits: readonly Parameters<typeof addCommit>[1][]
  /** Commits that the agent is said to have pushed. */
  readonly pushed: number | typeof NOTHING | 'unknown'
}

/** Commits since the job was created, and what is said of the job. */
export const WITHOUT_PULL: readonly Row[] = [
  { what: 'that left no commit', commits: [], pushed: NOTHING },
  {
    what: 'next to commits of others',
    commits: [{ author: person('mona') }, { author: bot('renovate[bot]') }],
    pushed: NOTHING,
  },
  { what: 'with two commits of the agent', commits: [mine, {}, mine], pushed: 2 },
  {
    what: 'with a merged one by its subject',
    commits: [{ ...mine, message: 'Docs (#7)\n\nx' }],
    pushed: NOTHING,
  },
  {
    what: 'with a merge commit',
    commits: [{ ...mine, message: 'Merge pull request #7 from acme/x' }],
    pushed: NOTHING,
  },
  { what: 'behind 290 commits of others', commits: [mine, ...Array(290).fill({})], pushed: 1 },
  { what: 'next to more than 300 commits', commits: Array(301).fill({}), pushed: 'unknown' },
]
