import { expect, it } from 'vitest'
import { readTrigger } from '../../src/decide/skip.ts'
import { readInputs } from '../../src/inputs/table.ts'
import { eventRow } from '../../src/look/event.ts'
import { readEnvironment } from '../../src/runner/run.ts'
import {
  bot,
  type CommentOptions,
  type Event,
  event,
  issueComment,
  newIssue,
  person,
  pullRequest,
  push,
  pushBy,
  pushOf,
  pushTo,
} from '../support/events.ts'
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

type Inputs = Readonly<Record<string, string>>

const octocat = person('octocat')
const OWN = /by mintlify\[bot\] \(`ignore-authors`\)/
const LABEL = /labeled `no-docs` \(`skip-labels`\)/
const QUEUE = /merge queue/
const REPORT = { prompt: '', 'visitors-summary': 'true' }
const WAIT = { prompt: '', 'job-id': 'job_1' }
const MESSAGE = { 'job-id': 'job_1' }
const NOTHING = { prompt: '' }
const NO_KEY = { 'api-key': '' }
const COMMENTS = /commands are comments/

const agentPush = (change: object = {}, count = 1): Event => {
  const { name, payload } = pushBy(...Array.from({ length: count }, () => 'mintlify[bot]'))
  return { name, payload: { ...payload, ...change } }
}
const byAuthor = (author: object | undefined): Event => {
  const [commit] = pushBy('x').payload.commits ?? []
  return agentPush({ commits: [{ ...commit, author }] })
}
const byEmail = (email: string): Event => byAuthor({ name: 'mintlify[bot]', email })
const caused = (name: string, change: object = {}): Event =>
  event(name, { sender: AGENT, ...change })
const deployed = (state: string): Event =>
  event('deployment_status', { deployment_status: { state } })
const followed = (change: object): Event => {
  const workflow_run = { event: 'push', head_branch: 'main', actor: octocat, ...change }
  return event('workflow_run', { workflow_run, sender: octocat })
}
const opened = pullRequest({ author: bot('Mintlify[bot]'), sender: AGENT })
const labels = [{ name: 'docs' }, { name: 'No-Docs' }]
const marked = pullRequest({ pull: { labels } })
const onTarget = (made: Event): Event => ({ ...made, name: 'pull_request_target' })
const isNew = { created: true, sender: AGENT }
const issue = newIssue({ body: 'Wrong.', author: octocat })
const fork = pullRequest({ from: 'stranger/docs' })
const gone = { name: 'pull_request', payload: { pull_request: { head: { repo: null } } } }
const inFork = { repository: { full_name: 'octocat/docs', fork: true } }
const dependabot = bot('dependabot[bot]')
const comment = (change: Partial<CommentOptions>, of: object = {}): Event => {
  const { name, payload } = issueComment({ id: 1, body: '/docs', author: octocat, ...change })
  return { name, payload: { ...payload, ...of } }
}

/** What is decided by the payload alone; without `why`, a job may start. */
const BY_PAYLOAD: readonly {
  readonly what: string
  readonly on: Event
  readonly why?: RegExp
  readonly inputs?: Inputs
  readonly env?: Inputs
}[] = [
  { what: 'a hundred commits of the agent', on: agentPush({}, 100), why: OWN },
  {
    what: 'commits of two ignored authors',
    on: pushBy('mintlify', 'Renovate[bot]'),
    why: /mintlify\[bot\] .* or by renovate/,
    inputs: { 'ignore-authors': 'renovate' },
  },
  { what: 'its address', on: byEmail('12+mintlify[bot]@users.noreply.github.com'), why: OWN },
  { what: 'its commit without an account', on: byEmail('agent@mintlify.com'), why: OWN },
  { what: 'its commit, a report alone', on: agentPush(), why: OWN, inputs: REPORT },
  { what: 'its commit, a job to wait for', on: agentPush(), inputs: WAIT },
  { what: 'its new branch', on: agentPush(isNew), why: OWN },
  { what: 'its new branch without commits', on: agentPush({ ...isNew, commits: [] }), why: OWN },
  { what: 'its new tag', on: agentPush({ ...isNew, ref: 'refs/tags/v1' }) },
  { what: "a person's branch of its commits", on: agentPush({ created: true, sender: octocat }) },
  { what: 'its push without commits', on: agentPush({ commits: [], sender: AGENT }) },
  { what: 'its branch, as `create`', on: caused('create', { ref_type: 'branch' }), why: OWN },
  { what: 'its tag, as `create`', on: caused('create', { ref_type: 'tag' }) },
  { what: 'its branch, as `delete`', on: caused('delete', { ref_type: 'branch' }), why: OWN },
  { what: 'its deployment', on: caused('deployment'), why: OWN },
  { what: 'its deployment status', on: caused('deployment_status'), why: OWN },
  { what: 'its release', on: caused('release', { action: 'published' }) },
  { what: 'a workflow after its push', on: followed({ actor: AGENT }), why: OWN },
  { what: "a workflow after a person's push", on: followed({}) },
  { what: 'its pull request', on: opened, why: OWN },
  { what: "a deleted account's pull request", on: pullRequest({ pull: { user: null } }) },
  { what: 'a label', on: marked, why: /labeled `No-Docs` \(`skip-labels`\)/ },
  { what: 'a label that the re-run reads again', on: marked, env: { GITHUB_RUN_ATTEMPT: '2' } },
  { what: 'a label that no input names', on: marked, inputs: { 'skip-labels': 'docs-later, no' } },
  { what: 'a label, a message to a job', on: marked, inputs: MESSAGE },
  { what: 'a label, a report alone', on: marked, inputs: REPORT },
  { what: 'a review of what has a label', on: { ...marked, name: 'pull_request_review' } },
  { what: 'a release that is gone', on: event('release', { action: 'deleted' }), why: /deleted/ },
  {
    what: 'a withdrawn release',
    on: event('release', { action: 'unpublished' }),
    why: /unpublished/,
  },
  { what: 'a failed deployment', on: deployed('failure'), why: /`failure`/ },
  { what: 'a deployment', on: deployed('success') },
  { what: 'a merge group', on: event('merge_group'), why: QUEUE },
  {
    what: "a merge queue's push",
    on: agentPush({ ref: 'refs/heads/gh-readonly-queue/main/pr-1-a' }),
    why: QUEUE,
  },
  {
    what: "a merge queue's branch",
    on: event('create', { ref: 'gh-readonly-queue/main/pr-1-a' }),
    why: QUEUE,
  },
  {
    what: 'a workflow in a merge queue',
    on: followed({ head_branch: 'gh-readonly-queue/main/pr-1-a' }),
    why: QUEUE,
  },
  { what: 'a comment', on: comment({ body: 'Yes.' }), why: /does not start with \/docs/ },
  { what: 'an edited comment', on: comment({ action: 'edited' }), why: /not new \(`edited`\)/ },
  { what: "a bot's command", on: comment({ author: bot('x[bot]') }), why: /x\[bot\] is a bot/ },
  { what: 'an issue', on: issue },
  { what: 'an issue, a report', on: issue, inputs: REPORT },
  { what: 'an issue, a job to wait for', on: issue, inputs: WAIT },
  { what: 'an issue, nothing requested', on: issue, inputs: NOTHING, why: COMMENTS },
  {
    what: 'a review',
    on: { ...fork, name: 'pull_request_review' },
    inputs: NOTHING,
    why: COMMENTS,
  },
  { what: 'a discussion', on: event('discussion'), inputs: NOTHING, why: COMMENTS },
  { what: 'no merge', on: pullRequest({ action: 'closed' }), why: /closed without being merged/ },
  { what: 'no merge, a job to wait for', on: pullRequest({ action: 'closed' }), inputs: WAIT },
  {
    what: 'a deleted tag',
    on: push({ ref: 'refs/tags/v1', deleted: true }),
    why: /refs\/tags\/v1/,
  },
  {
    what: 'a pull request from a fork',
    on: fork,
    inputs: NO_KEY,
    why: /from forks.*\/docs .*merge/,
  },
  {
    what: 'one without commands',
    on: fork,
    inputs: { ...NO_KEY, command: '' },
    why: /Instead, start/,
  },
  { what: 'one from a deleted fork', on: gone, inputs: NO_KEY, why: /from forks/ },
  { what: 'one with a key', on: fork },
  { what: 'one in a dry run', on: fork, inputs: { ...NO_KEY, 'dry-run': 'true' } },
  { what: 'one on pull_request_target', on: onTarget(fork), inputs: NO_KEY },
  { what: 'a branch without a key', on: pullRequest(), inputs: NO_KEY },
  { what: 'a push in a fork', on: push(inFork), inputs: NO_KEY, why: /set one in this fork/ },
  { what: 'a push without a key', on: push(), inputs: NO_KEY },
  { what: 'a command in a fork', on: comment({ body: '/docs x' }, inFork), inputs: NO_KEY },
  {
    what: 'a push of Dependabot',
    on: push({ sender: dependabot }),
    inputs: NO_KEY,
    why: /Dependabot/,
  },
  {
    what: 'a run that Dependabot started',
    on: push(),
    inputs: NO_KEY,
    env: { GITHUB_ACTOR: 'dependabot[bot]' },
    why: /Dependabot/,
  },
]

it.each(BY_PAYLOAD)('$what is skipped or not by the payload alone', (row) => {
  const { on, why, inputs = {}, env = {} } = row
  const given = new Map(Object.entries({ prompt: 'Document it.', ...inputs }))
  const environment = {
    GITHUB_REPOSITORY: 'acme/docs',
    'INPUT_API-KEY': inputs['api-key'] ?? 'mint_1',
    ...env,
  }
  const decided = readTrigger(
    { ...on, row: eventRow(on.name) },
    readInputs(given, (text) => text).inputs,
    readEnvironment(environment),
  )
  const words = 'reason' in decided ? `${decided.reason}. ${decided.advice}` : ''
  expect(words).toMatch(why ?? /^$/)
})

type Make = (world: World, pull: Pull) => Event
type How = 'merge' | 'squash' | 'rebase'

const withMessage =
  (message: string): Make =>
  (world) =>
    pushTo(world, { message })
const mergedAs7 =
  (message: string): Make =>
  (world, pull) => {
    mergePull(world, pull)
    return pushTo(world, { message })
  }

/** The push by which a person merges a pull request into `main`; GitHub names that person as the author, too. */
function merge(world: World, pull: Pull, how: How): Event {
  const before = world.branches.get('main') ?? ''
  mergePull(world, pull, how)
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
/** GitHub lists the label that decides last of 41. */
const many = (name: string) =>
  [...Array.from({ length: 40 }, (_, index) => `label ${index}`), name].map((one) => ({
    name: one,
  }))
const mergeLabeled = (name: string): Make => {
  return (world) => merge(world, addPull(world, { number: 9, labels: many(name) }), 'merge')
}
/** A push of a commit by this account and of a pull request: one with the label, else the agent's. */
const mixed = (author: Account, label?: string): Make => {
  return (world, pull) => {
    const before = world.branches.get('main') ?? ''
    pushTo(world, { author })
    const ofLabel = label ? addPull(world, { number: 9, labels: many(label) }) : pull
    mergePull(world, ofLabel)
    return pushOf(world, before)
  }
}

/** What GitHub is asked about, with pull request 7 of the agent; without `why`, a job may start. */
const ASKED: readonly {
  readonly what: string
  readonly on: Make
  readonly why?: RegExp
  readonly inputs?: Inputs
}[] = [
  { what: 'a merge of the agent', on: merging('merge'), why: OWN },
  { what: 'a squash of the agent', on: merging('squash'), why: OWN },
  { what: 'a merge that no index has yet', on: merging('merge', 60_000), why: OWN },
  { what: 'a squash that no index has yet', on: merging('squash', 60_000), why: OWN },
  { what: "a merge with a person's commit on its branch", on: mergeOfBoth, why: OWN },
  { what: "a person's commit beside a squash of the agent", on: mixed(octocat) },
  { what: 'the number of an open pull request of the agent', on: withMessage('Add a flag (#7)') },
  { what: 'the number of one that was merged as another', on: mergedAs7('Go on (#7)') },
  { what: 'the number of an issue', on: withMessage('Fix the flag (#8)') },
  {
    what: "a person's name with the agent's address",
    on: () => byAuthor({ username: 'octocat', email: 'agent@mintlify.com' }),
  },
  { what: 'a similar address', on: () => byEmail('x@mintlify[bot]@users.noreply.github.com') },
  { what: 'a merge of what has a label', on: mergeLabeled('no-docs'), why: LABEL },
  {
    what: 'a label beside a commit of the agent',
    on: mixed(AGENT, 'no-docs'),
    why: /mintlify.* or labeled/,
  },
  { what: "a person's commit, a report alone", on: withMessage('Add a flag'), inputs: REPORT },
  { what: '101 commits of the agent', on: () => agentPush({}, 101) },
]

it.each(ASKED)('$what is skipped or not by what GitHub says', async ({ on, why, inputs }) => {
  const { run, world } = await startHarness()
  const pull = addPull(world, { number: 7, user: AGENT, files: ['docs/a.md'] })
  world.issues.add(8)
  const usual = { prompt: 'Document it.', 'dry-run': 'true', context: 'none' }
  const end = await run({ event: on(world, pull), inputs: { ...usual, ...inputs } })
  expect(end).toMatchObject({ hasFailed: false, calls: [] })
  const asked = end.requests.filter((line) => line === 'POST /graphql MergedPulls')
  expect(asked).toHaveLength(1)
  expect(end.outputs['result'] === 'skipped' ? end.log.join() : '').toMatch(why ?? /^$/)
})

it.each([
  { now: ['no-docs'], at: [], result: 'skipped' },
  { now: [], at: ['no-docs'], result: 'dry-run' },
  { now: 'unreadable', at: ['no-docs'], result: 'skipped' },
])('a re-run goes by the labels $now, not by $at of the event: $result', async (row) => {
  const { run, world } = await startHarness()
  const named = (names: readonly string[]) => names.map((name) => ({ name }))
  const of = pullRequest({ action: 'synchronize', pull: { labels: named(row.at) } })
  if (typeof row.now === 'string') world.scopes.delete('pull-requests: write')
  else addPull(world, { number: 5, labels: named(row.now) })
  const inputs = { prompt: 'Document it.', 'dry-run': 'true' }
  const end = await run({ event: of, inputs, attempt: 2 })
  expect(end.outputs['result']).toBe(row.result)
  expect(/labels/.test(end.warnings.join())).toBe(row.now === 'unreadable')
})
