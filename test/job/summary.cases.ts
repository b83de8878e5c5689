import type { Plan } from '../../src/job/plan.ts'
import { CREATE, MESSAGE, PR_LINK, type report, WAIT } from './reports.ts'

export const PR = `[acme/docs#\u200b12](${PR_LINK})`
const PULL = {
  prLink: PR_LINK,
  state: 'open',
  conflicts: false,
  openFor: '',
  editors: '',
  repository: 'acme/docs',
  why: '',
} as const
const ON_PULL: Plan = { ...MESSAGE, pull: PULL }
export const OLD: Plan = {
  ...MESSAGE,
  pull: { ...PULL, conflicts: true, openFor: ', open for 3 days' },
}
const createAfter = (state: 'merged' | 'closed' | 'invisible') => ({
  plan: { ...CREATE, previous: { ...PULL, state } },
})

const noRef = { fields: { source: { repository: 'https://github.com/acme/docs' } } }
const withLink = { fields: { prLink: PR_LINK } }
const MERGED = `\n\nA new job: the earlier pull request ${PR} was merged.\n`
const CONFLICT = 'It conflicts with its base branch; the agent was asked to resolve that.'

/** What the summary says, how the job ended, and the words. */
export const SAID: readonly [string, Parameters<typeof report>, string][] = [
  [
    'no unknown branch',
    ['pull-request', noRef],
    'changed [acme/docs](https://github.com/acme/docs).\n',
  ],
  ['why the step fails', ['failed'], '\n\nThe step fails because `fail-on` names `failed`.\n\n'],
  ['where an unfinished pull request is', ['failed', withLink], `\n\nIts pull request: ${PR}\n\n`],
  [
    'no prompt of a mere wait',
    ['failed', { plan: WAIT }],
    '<details><summary>Job</summary>\n\n| Job',
  ],
  [
    'no duration below a second',
    ['archived', { durationMs: 999 }],
    ' · model `docs-agent-1`</sub>',
  ],
  ['no duration beside the deadline', ['timed-out', {}], ' · model `docs-agent-1`</sub>'],
  ['what it continued', ['failed', { plan: ON_PULL }], `\n\nThis run continued ${PR}.\n\n`],
  ['how that was', ['failed', { plan: OLD }], `continued ${PR}, open for 3 days. ${CONFLICT}\n\n`],
  ['what was merged', ['failed', createAfter('merged')], MERGED],
  ['what was closed', ['failed', createAfter('closed')], ` ${PR} was closed.\n`],
  [
    'what is invisible',
    ['failed', createAfter('invisible')],
    ` ${PR} is invisible to \`github-token\`.\n`,
  ],
]
