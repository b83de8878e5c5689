import { bot, type Event, event, person, pullRequest, pushBy, pushOf, pushTo } from '../support/events.ts'
import { AGENT, addPull, mergePull, type Pull, type World } from '../support/world.ts'

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

const COMMITS = 'every commit of this push was written by mintlify[bot] (`ignore-authors`)'
const SEVERAL = 'every commit of this push was written by mintlify[bot], renovate (`ignore-authors`)'
const OPENED = 'mintlify[bot] opened this pull request (`ignore-authors`)'
const target = { ...pullRequest({ author: AGENT }), name: 'pull_request_target' }

/** The agent's own work; why it starts nothing; and `ignore-authors`. */
export const OWN_WORK: readonly [string, Event, string, string?][] = [
  ['a commit', pushBy('mintlify[bot]'), COMMITS],
  ['twenty commits', pushBy(...Array.from({ length: 20 }, () => 'mintlify[bot]')), COMMITS],
  ['commits under two names', pushBy('mintlify[bot]', 'Mintlify'), COMMITS],
  ['commits of several', pushBy('mintlify[bot]', 'renovate[bot]'), SEVERAL, 'renovate, mintlify[bot]'],
  ['a commit by its address', byAuthor({ email: '12+mintlify[bot]@users.noreply.github.com' }), COMMITS],
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
