import { expect, it } from 'vitest'
import {
  bot,
  type Event,
  person,
  pullRequest,
  pushBy,
  pushOf,
  pushTo,
  reviewComment,
} from '../support/events.ts'
import type { GitHubFault } from '../support/github.ts'
import { startHarness } from '../support/harness.ts'
import {
  type Account,
  AGENT,
  addPull,
  mergePull,
  type Pull,
  pushToPull,
  type World,
} from '../support/world.ts'

const QUERY = 'POST /graphql MergedPulls'

type Inputs = Readonly<Record<string, string>>
type Make = (world: World, pull: Pull) => Event
/** What happens, whether the run starts or why it is skipped, and further inputs. */
type Case = [string, string, Event | Make, Inputs?]

const octocat = person('octocat')
const STARTS = 'starts'
const OWN = 'by mintlify[bot] (`ignore-authors`)'
const OWN_PUSH = `every change of this push is ${OWN}`
const OWN_PULL = `this pull request is ${OWN}`
const lineOf = (decision: string) =>
  decision === STARTS ? STARTS : `notice: Skipped: ${decision}.`
type How = 'merge' | 'squash' | 'rebase'

const changed = ({ name, payload }: Event, change: object): Event => {
  return { name, payload: { ...payload, ...change } }
}
const agentPush = (change: object): Event => changed(pushBy('mintlify[bot]'), change)
const pushOfMany = (count: number): Event =>
  pushBy(...Array.from({ length: count }, () => 'mintlify[bot]'))
const byAuthor = (author: object | undefined): Event => {
  const [commit] = pushBy('x').payload.commits ?? []
  return agentPush({ commits: [{ ...commit, author }] })
}
const byEmail = (email: string): Event => byAuthor({ name: 'mintlify[bot]', email })
const withMessage =
  (message: string): Make =>
  (world) =>
    pushTo(world, { message })
const mergedAs7 =
  (message: string): Make =>
  (world, pull) => {
    mergePull(world, pull, { how: 'squash' })
    return pushTo(world, { message })
  }

/** The push by which a person merges a pull request into `main`; GitHub names that person as the author, too. */
function merge(world: World, pull: Pull, how: How): Event {
  const before = world.branches.get('main') ?? ''
  mergePull(world, pull, { how })
  const { name, payload } = pushOf(world, before)
  const commits = (payload.commits ?? []).map((commit) => {
    const isOnBranch = pull.commits.includes(commit.id ?? '')
    return isOnBranch ? commit : { ...commit, author: { username: 'octocat' } }
  })
  return { name, payload: { ...payload, commits } }
}

/** The agent's pull request is merged, of which GitHub's index knows that later. */
const merging = (how: How, indexedInMs = 0): Make => {
  return (world, pull) => {
    pull.indexedAtMs = world.now() + indexedInMs
    return merge(world, pull, how)
  }
}
const mergeOfBoth: Make = (world, pull) => {
  pushToPull(world, pull)
  return merge(world, pull, 'merge')
}
const mergeLabelled = (name: string): Make => {
  return (world) => merge(world, addPull(world, { number: 9, labels: [{ name }] }), 'merge')
}
/** A push of a commit by this account and of a pull request: one with the label, else the agent's. */
const mixed = (author: Account, label?: string): Make => {
  return (world, pull) => {
    const before = world.branches.get('main') ?? ''
    pushTo(world, { author })
    const merged = label ? addPull(world, { number: 9, labels: [{ name: label }] }) : pull
    mergePull(world, merged, { how: 'squash' })
    return pushOf(world, before)
  }
}

const opened = pullRequest({ author: AGENT, sender: AGENT })
const marked = pullRequest({ sender: AGENT, pull: { labels: [{ name: 'no-docs' }] } })
const command = reviewComment({ id: 5001, body: '/docs explain it', author: octocat })
const marks = (name: string): string => `labelled \`${name}\` (\`skip-labels\`)`
const BOTH = `${OWN_PUSH} or by renovate (\`ignore-authors\`)`
const TAG = { ref: 'refs/tags/v1' }
/** The agent is told of the event. */
const TOLD = { context: 'diff' }
const REPORT = { prompt: '', 'visitors-summary': 'true' }
const WAIT = { prompt: '', 'job-id': 'job_1' }
const MESSAGE = { prompt: '', 'prompt-file': 'a.md', 'job-id': 'job_1' }

/** What is judged by the payload alone. */
const UNASKED: readonly Case[] = [
  ["the agent's commit", OWN_PUSH, agentPush({})],
  ['twenty of its commits', OWN_PUSH, pushOfMany(20)],
  ['its commits under two names', OWN_PUSH, pushBy('mintlify[bot]', 'Mintlify')],
  [
    'commits of two ignored authors',
    BOTH,
    pushBy('mintlify', 'Renovate[bot]'),
    { 'ignore-authors': 'renovate' },
  ],
  ['its commit by address', OWN_PUSH, byEmail('12+mintlify[bot]@users.noreply.github.com')],
  [
    'its commit by address on another server',
    OWN_PUSH,
    byEmail('mintlify[bot]@users.noreply.ghe.example.com'),
  ],
  ['its commit without an account', OWN_PUSH, byEmail('agent@mintlify.com')],
  ['its commit, a report alone', OWN_PUSH, agentPush({}), REPORT],
  ['its commit, a message to a job', OWN_PUSH, agentPush({}), MESSAGE],
  ['its commit, a job to wait for', STARTS, agentPush({}), WAIT],
  ['its pull request', OWN_PULL, pullRequest({ author: bot('Mintlify[bot]') })],
  ['its pull request on pull_request_target', OWN_PULL, { ...opened, name: 'pull_request_target' }],
  ['its pull request, a message to a job', OWN_PULL, opened, MESSAGE],
  ['its pull request, a job to wait for', STARTS, opened, WAIT],
  [
    'a pull request of a deleted account',
    STARTS,
    changed(opened, { pull_request: { user: null, head: { repo: { full_name: 'acme/docs' } } } }),
  ],
  ['its push without commits', STARTS, agentPush({ commits: [] })],
  ['a pull request with a label', `this pull request is ${marks('no-docs')}`, marked],
  [
    'a label on pull_request_target',
    `this pull request is ${marks('no-docs')}`,
    { ...marked, name: 'pull_request_target' },
  ],
  ['a commit without a SHA', STARTS, agentPush({ commits: [{ id: '") { x', message: 'x (#1)' }] })],
  ['a schedule with the fields of a push', STARTS, { ...agentPush({}), name: 'schedule' }, TOLD],
  ['a label where none counts', STARTS, marked, { 'skip-labels': '' }],
  ['another label', STARTS, marked, { 'skip-labels': 'docs, no' }],
  ['a label, a message to a job', STARTS, marked, MESSAGE],
  ['a label, a report alone', STARTS, marked, REPORT],
  ['a label, a command', STARTS, changed(command, { pull_request: marked.payload.pull_request })],
  ['a label, a review', STARTS, { ...marked, name: 'pull_request_review' }],
]

/** What GitHub is asked about, with pull request 7 of the agent. */
const ASKED: readonly Case[] = [
  ['a merge of the agent', OWN_PUSH, merging('merge')],
  ['a squash of the agent', OWN_PUSH, merging('squash')],
  ['a rebase of the agent', OWN_PUSH, merging('rebase')],
  ['a merge that no index has yet', OWN_PUSH, merging('merge', 60_000)],
  ['a squash that no index has yet', OWN_PUSH, merging('squash', 60_000)],
  ["a merge with a person's commit on its branch", OWN_PUSH, mergeOfBoth],
  ["a person's commit beside a squash of the agent", STARTS, mixed(octocat)],
  ['a subject without a number', STARTS, withMessage('Add a flag')],
  ['the number of an open pull request of the agent', STARTS, withMessage('Add a flag (#7)')],
  ['the number of one that was merged as another', STARTS, mergedAs7('Go on with the flag (#7)')],
  ['the number of an issue', STARTS, withMessage('Fix the flag (#8)')],
  ['the number of nothing', STARTS, withMessage('Fix it (#999999999)')],
  [
    "a person's name with the agent's address",
    STARTS,
    byAuthor({ username: 'octocat', email: 'agent@mintlify.com' }),
  ],
  [
    'an address that only looks like it',
    STARTS,
    byEmail('x@mintlify[bot]@users.noreply.github.com'),
  ],
  ['a commit without an author', STARTS, byAuthor(undefined)],
  [
    'a merge of what has a label',
    `every change of this push is ${marks('No-Docs')}`,
    mergeLabelled('No-Docs'),
  ],
  [
    'a squash of what has a label beside a commit of the agent',
    `${OWN_PUSH} or ${marks('no-docs')}`,
    mixed(AGENT, 'no-docs'),
  ],
  ["a squash of what has a label beside a person's commit", STARTS, mixed(octocat, 'no-docs')],
  ['a merge of what has another label', STARTS, mergeLabelled('docs-later')],
  ["a person's commit, a report alone", STARTS, withMessage('Add a flag'), REPORT],
  // Never skipped: asked for what the job is about.
  ['its tag', STARTS, agentPush(TAG), TOLD],
  ['its new branch', STARTS, agentPush({ created: true })],
  ['its push of 21 commits', STARTS, pushOfMany(21)],
]

/** What becomes of a run, with pull request 7 of the agent. A dry run shows how it decides. */
async function judge(made: Event | Make, inputs: Inputs = {}, fault?: GitHubFault) {
  const { run, world, github } = await startHarness()
  if (fault !== undefined) github.faults.push(fault)
  world.roles.set('octocat', { permission: 'write', role_name: 'write' })
  const pull = addPull(world, { number: 7, user: AGENT, files: ['docs/a.md'] })
  world.issues.add(8)
  const usual = { prompt: 'Document it.', 'dry-run': 'true', 'allow-bots': 'mintlify[bot]' }
  const context = inputs['prompt'] === '' ? {} : { context: 'none' }
  const event = typeof made === 'function' ? made(world, pull) : made
  const given = { ...usual, ...context, ...inputs }
  const end = await run({ event, inputs: given, files: { 'a.md': 'Go.' } })
  expect([end.hasFailed, end.calls]).toEqual([false, []])
  const requests = end.requests.filter((line) => line === QUERY)
  return { requests, decision: end.outputs['result'] === 'skipped' ? end.log.join() : STARTS }
}

it.each(UNASKED)('the loop guard on %s: %s', async (_what, decision, make, inputs) => {
  expect(await judge(make, inputs)).toEqual({ decision: lineOf(decision), requests: [] })
})

it.each(ASKED)(
  'the loop guard that asks GitHub on %s: %s',
  async (_what, decision, make, inputs) => {
    expect(await judge(make, inputs)).toEqual({ decision: lineOf(decision), requests: [QUERY] })
  },
)

it('the loop guard does without a part of the response that it does not need', async () => {
  const fault = { match: /graphql/, end: { broken: 'associatedPullRequests' } }
  const { decision } = await judge(merging('squash'), {}, fault)
  expect(decision).toBe(lineOf(OWN_PUSH))
})
