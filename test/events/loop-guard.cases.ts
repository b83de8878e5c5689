import { bot, type Event, event, person, pullRequest, pushBy, pushOf, pushTo } from '../support/events.ts'
import { type Account, AGENT, addPull, mergePull, type Pull, type World } from '../support/world.ts'

/** The push by which a person merges a pull request into `main`; GitHub names that person as the author, too. */
export function merge(world: World, pull: Pull, how: 'merge' | 'squash' | 'rebase'): Event {
  const before = world.branches.get('main') ?? ''
  mergePull(world, pull, { how })
  const { name, payload } = pushOf(world, before)
  const commits = (payload.commits ?? []).map((commit) => {
    const isOnBranch = pull.commits.includes(commit.id ?? '')
    return isOnBranch ? commit : { ...commit, author: { username: 'octocat' } }
  })
  return { name, payload: { ...payload, commits } }
}

/** A push by the agent, with other fields. */
const agentPush = (change: object): Event => {
  const { name, payload } = pushBy('mintlify[bot]')
  return { name, payload: { ...payload, ...change } }
}
/** A push of one commit with this author. */
export const byAuthor = (author: object | undefined): Event => {
  const [commit] = pushBy('x').payload.commits ?? []
  return agentPush({ commits: [{ ...commit, author }] })
}

const BY = 'by mintlify[bot] (`ignore-authors`)'
const COMMITS = `every change of this push is ${BY}`
const SEVERAL = `${COMMITS} or by renovate (\`ignore-authors\`)`
const OPENED = `this pull request is ${BY}`
const target = { ...pullRequest({ author: AGENT }), name: 'pull_request_target' }

/** The agent's own work; why it starts nothing; and `ignore-authors`. */
export const OWN_WORK: readonly [string, Event, string, string?][] = [
  ['a commit', pushBy('mintlify[bot]'), COMMITS],
  ['twenty commits', pushBy(...Array.from({ length: 20 }, () => 'mintlify[bot]')), COMMITS],
  ['commits under two names', pushBy('mintlify[bot]', 'Mintlify'), COMMITS],
  ['commits of several', pushBy('mintlify[bot]', 'renovate[bot]'), SEVERAL, 'renovate'],
  ['a commit by its address', byAuthor({ email: '12+mintlify[bot]@users.noreply.github.com' }), COMMITS],
  ['a commit without an account', byAuthor({ email: 'agent@mintlify.com' }), COMMITS],
  ['one on another server', byAuthor({ email: 'mintlify[bot]@users.noreply.ghe.example.com' }), COMMITS],
  ['a pull request', pullRequest({ author: bot('Mintlify[bot]') }), OPENED],
  ['a pull request from a fork', pullRequest({ author: AGENT, from: 'mintlify/docs' }), OPENED],
  ['a pull request on pull_request_target', target, OPENED],
]

const mergedAs7 = (message: string) => (world: World, pull: Pull) => {
  mergePull(world, pull, { how: 'squash' })
  return pushTo(world, { message })
}
const withMessage = (message: string) => (world: World) => pushTo(world, { message })

/** What people do, after which a job starts. */
export const PEOPLES_WORK: readonly [string, (world: World, pull: Pull) => Event][] = [
  ['a commit whose subject names no pull request', withMessage('Add a flag')],
  ['one that names an open pull request of the agent', withMessage('Add a flag (#7)')],
  ["one that names the agent's pull request, merged as another", mergedAs7('Go on with the flag (#7)')],
  ['one that quotes its number', mergedAs7('Revert "Update (#7)"\n\nMerge pull request #7 from x')],
  ['one that names an issue', withMessage('Fix the flag (#8)')],
  ['one that names a number of nothing', withMessage('Fix it (#999999999)')],
  [
    "a person's merged pull request",
    (world) => merge(world, addPull(world, { number: 9, user: person('octocat') }), 'squash'),
  ],
  [
    "a person's commit beside the agent's merged pull request",
    (world, pull) => {
      const before = world.branches.get('main') ?? ''
      pushTo(world, { message: 'Add a flag' })
      mergePull(world, pull, { how: 'squash' })
      return pushOf(world, before)
    },
  ],
]

const opened = pullRequest({ author: AGENT, sender: AGENT })
const targetOf = (payload: object): Event => ({ name: 'pull_request_target', payload })
const nobodys = targetOf({ sender: AGENT, pull_request: { user: null } })
/** What the agent does, and no loop comes of. */
export const UNGUARDED: readonly [string, Event][] = [
  ['a tag', agentPush({ ref: 'refs/tags/v1', created: true })],
  ['a tag that was moved', agentPush({ ref: 'refs/tags/v1' })],
  ['a new branch', agentPush({ created: true })],
  ['a push without commits', agentPush({ commits: [] })],
  ['a push that names no branch', agentPush({ ref: null })],
  ['a push of 21 commits', pushBy(...Array.from({ length: 21 }, () => 'mintlify[bot]'))],
  ['a release', event('release', { sender: AGENT })],
  ['an event that only looks like a push', { ...pushBy('mintlify[bot]'), name: 'repository_dispatch' }],
  ["a review of the agent's pull request", { ...opened, name: 'pull_request_review' }],
  ['a pull request of a deleted account', nobodys],
  ['a pull request that says nothing', targetOf({ sender: AGENT })],
]

const label = (name: string) => ({ labels: [{ name }] })
const needless = (world: World, name = 'No-Docs'): Pull => addPull(world, { number: 9, ...label(name) })
/** A push of a change by this account, and of a pull request of a person's with the label. */
const mixed = (author: Account) => (world: World) => {
  const before = world.branches.get('main') ?? ''
  pushTo(world, { author })
  mergePull(world, needless(world), { how: 'squash' })
  return pushOf(world, before)
}
const onPull =
  (name: string, change: object = label('no-docs')) =>
  (): Event => {
    return { ...pullRequest({ action: 'synchronize', pull: change, sender: AGENT }), name }
  }
const LABEL = '(`skip-labels`)'
const NEEDLESS = `every change of this push is labelled \`No-Docs\` ${LABEL}`

/** What needs no docs by its labels, and why. */
export const LABELLED: readonly [string, (world: World) => Event, string][] = [
  ['a pull request', onPull('pull_request'), `this pull request is labelled \`no-docs\` ${LABEL}`],
  ['one on pull_request_target', onPull('pull_request_target'), 'this pull request is labelled `no-docs`'],
  ['a merge', (world) => merge(world, needless(world), 'merge'), NEEDLESS],
  ['a squash', (world) => merge(world, needless(world), 'squash'), NEEDLESS],
  [
    "a squash beside the agent's commit",
    mixed(AGENT),
    `every change of this push is ${BY} or labelled \`No-Docs\` ${LABEL}`,
  ],
]

type Inputs = Readonly<Record<string, string>>

/** What starts a run all the same, with further inputs. */
export const NOT_SKIPPED: readonly [string, (world: World) => Event, Inputs?][] = [
  ['a pull request with another label', onPull('pull_request', label('docs-later'))],
  ['a pull request where no label counts', onPull('pull_request'), { 'skip-labels': '' }],
  ['a message to a job', onPull('pull_request'), { 'job-id': 'job_1' }],
  ['a report', onPull('pull_request'), { prompt: '', 'visitors-summary': 'true' }],
  ['a review', onPull('pull_request_review'), { 'allow-bots': 'mintlify[bot]' }],
  ["a squash beside a person's commit", mixed(person('octocat'))],
  ['a squash with another label', (world) => merge(world, needless(world, 'docs'), 'squash')],
  [
    'a tag',
    (world) => {
      const { name, payload } = merge(world, needless(world), 'squash')
      return { name, payload: { ...payload, ref: 'refs/tags/v1' } }
    },
  ],
]
