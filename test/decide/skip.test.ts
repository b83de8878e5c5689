import { expect, it } from 'vitest'
import { readTrigger, skipByPayload } from '../../src/decide/skip.ts'
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
  workflowRun,
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
const COMMENTS = /Comment `\/docs …`/

const agentPush = (change: object = {}, count = 1): Event => {
  const { name, payload } = pushBy(...Array.from({ length: count }, () => 'mintlify[bot]'))
  return { name, payload: { ...payload, ...change } }
}
const caused = (name: string, change: object = {}): Event =>
  event(name, { sender: AGENT, ...change })
const deployed = (state: string): Event =>
  event('deployment_status', { deployment_status: { state } })
const followed = (change: object): Event =>
  workflowRun({ actor: octocat, ...change }, { sender: octocat })
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

/** Events or what leads to them, by name, with one outcome; without `why`, a job may start. */
type Group<T> = {
  readonly why?: RegExp
  readonly inputs?: Inputs
  readonly env?: Inputs
  readonly on: Readonly<Record<string, T>>
}

function rowsOf<T>(groups: readonly Group<T>[]) {
  return groups.flatMap(({ on, ...outcome }) =>
    Object.entries(on).map(([what, one]) => ({ ...outcome, what, on: one })),
  )
}

/** What is decided by the payload alone. */
const BY_PAYLOAD: readonly Group<Event>[] = [
  {
    why: OWN,
    on: {
      'its new branch': agentPush(isNew),
      'its new branch without commits': agentPush({ ...isNew, commits: [] }),
      'its branch, as `create`': caused('create', { ref_type: 'branch' }),
      'its branch, as `delete`': caused('delete', { ref_type: 'branch' }),
      'its deployment': caused('deployment'),
      'its deployment status': caused('deployment_status'),
      'a workflow after its push': followed({ actor: AGENT }),
      'its pull request': opened,
    },
  },
  {
    inputs: WAIT,
    on: {
      'its commit, a job to wait for': agentPush(),
      'an issue, a job to wait for': issue,
      'no merge, a job to wait for': pullRequest({ action: 'closed' }),
    },
  },
  {
    on: {
      'its new tag': agentPush({ ...isNew, ref: 'refs/tags/v1' }),
      "a person's branch of its commits": agentPush({ created: true, sender: octocat }),
      'its tag, as `create`': caused('create', { ref_type: 'tag' }),
      'its release': caused('release', { action: 'published' }),
      "a workflow after a person's push": followed({}),
      "a deleted account's pull request": pullRequest({ pull: { user: null } }),
      'a review of what has a label': { ...marked, name: 'pull_request_review' },
      'a deployment': deployed('success'),
      'an issue': issue,
      'one with a key': fork,
    },
  },
  { why: /labeled `No-Docs` \(`skip-labels`\)/, on: { 'a label': marked } },
  { env: { GITHUB_RUN_ATTEMPT: '2' }, on: { 'a label that the re-run reads again': marked } },
  { inputs: { 'skip-labels': 'docs-later, no' }, on: { 'a label that no input names': marked } },
  { inputs: MESSAGE, on: { 'a label, a message to a job': marked } },
  { inputs: REPORT, on: { 'a label, a report alone': marked, 'an issue, a report': issue } },
  { why: /deleted/, on: { 'a release that is gone': event('release', { action: 'deleted' }) } },
  {
    why: /unpublished/,
    on: { 'a withdrawn release': event('release', { action: 'unpublished' }) },
  },
  { why: /`failure`/, on: { 'a failed deployment': deployed('failure') } },
  { why: /`cancelled`/, on: { 'a canceled workflow': followed({ conclusion: 'cancelled' }) } },
  { why: /`skipped`/, on: { 'a skipped workflow': followed({ conclusion: 'skipped' }) } },
  { why: /`timed_out`/, on: { 'a slow workflow': followed({ conclusion: 'timed_out' }) } },
  { on: { 'a failed workflow': followed({ conclusion: 'failure' }) } },
  {
    why: /`requested`/,
    on: { 'a requested workflow': { ...followed({}), payload: { action: 'requested' } } },
  },
  {
    why: QUEUE,
    on: {
      'a merge group': event('merge_group'),
      "a merge queue's push": agentPush({ ref: 'refs/heads/gh-readonly-queue/main/pr-1-a' }),
      "a merge queue's branch": event('create', { ref: 'gh-readonly-queue/main/pr-1-a' }),
      'a workflow in a merge queue': followed({ head_branch: 'gh-readonly-queue/main/pr-1-a' }),
    },
  },
  { why: /doesn't start with \/docs/, on: { 'a comment': comment({ body: 'Yes.' }) } },
  {
    why: /only a new comment .* `edited`/,
    on: { 'an edited comment': comment({ action: 'edited' }) },
  },
  { why: /x\[bot\] is a bot/, on: { "a bot's command": comment({ author: bot('x[bot]') }) } },
  {
    why: COMMENTS,
    inputs: NOTHING,
    on: {
      'an issue, nothing requested': issue,
      'a review': { ...fork, name: 'pull_request_review' },
      'a discussion': event('discussion'),
      'a comment on a commit': event('commit_comment'),
    },
  },
  { why: /closed without being merged/, on: { 'no merge': pullRequest({ action: 'closed' }) } },
  { why: /refs\/tags\/v1/, on: { 'a deleted tag': push({ ref: 'refs/tags/v1', deleted: true }) } },
  { why: /from forks.*\/docs .*merge/, inputs: NO_KEY, on: { 'a pull request from a fork': fork } },
  {
    why: /To get docs anyway, start/,
    inputs: { ...NO_KEY, command: '' },
    on: { 'one without commands': fork },
  },
  { why: /from forks/, inputs: NO_KEY, on: { 'one from a deleted fork': gone } },
  { inputs: { ...NO_KEY, 'dry-run': 'true' }, on: { 'one in a dry run': fork } },
  {
    inputs: NO_KEY,
    on: {
      'one on pull_request_target': onTarget(fork),
      'a branch without a key': pullRequest(),
      'a push without a key': push(),
      'a command in a fork': comment({ body: '/docs x' }, inFork),
    },
  },
  { why: /save a key in this fork/, inputs: NO_KEY, on: { 'a push in a fork': push(inFork) } },
  {
    why: /Dependabot/,
    inputs: NO_KEY,
    on: { 'a push of Dependabot': push({ sender: dependabot }) },
  },
  {
    why: /Dependabot/,
    inputs: NO_KEY,
    env: { GITHUB_ACTOR: 'dependabot[bot]' },
    on: { 'a run that Dependabot started': push() },
  },
]

it.each(rowsOf(BY_PAYLOAD))('$what is skipped or not by the payload alone', (row) => {
  const { on, why, inputs = {}, env = {} } = row
  const given = new Map(Object.entries({ prompt: 'Document it.', ...inputs }))
  const environment = {
    GITHUB_REPOSITORY: 'acme/docs',
    'INPUT_API-KEY': inputs['api-key'] ?? 'mint_1',
    ...env,
  }
  const run = {
    inputs: readInputs(given, (text) => text).inputs,
    environment: readEnvironment(environment),
  }
  const { name, payload } = on
  const trigger = readTrigger({ name, row: eventRow(name), payload }, run.inputs, run.environment)
  const decided = 'reason' in trigger ? trigger : skipByPayload(trigger, run)
  const words = decided ? `${decided.reason}. ${decided.advice ?? ''}` : ''
  expect(words).toMatch(why ?? /^$/)
})

type Make = (world: World, pull: Pull) => Event
type How = 'merge' | 'squash' | 'rebase'

const withMessage =
  (message: string): Make =>
  (world) =>
    pushTo(world, { message })
const byEmail =
  (email: string, author?: Account): Make =>
  (world) =>
    pushTo(world, { author, email })
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
/** What GitHub is asked about, with pull request 7 of the agent. */
const ASKED: readonly Group<Make>[] = [
  {
    why: OWN,
    on: {
      'a merge of the agent': merging('merge'),
      'a squash of the agent': merging('squash'),
      'a merge that no index has yet': merging('merge', 60_000),
      'a squash that no index has yet': merging('squash', 60_000),
      "a merge with a person's commit on its branch": mergeOfBoth,
      'its address': byEmail('12+mintlify[bot]@users.noreply.github.com'),
    },
  },
  {
    on: {
      'the number of an open pull request of the agent': withMessage('Add a flag (#7)'),
      'the number of one that was merged as another': mergedAs7('Go on (#7)'),
      'the number of an issue': withMessage('Fix the flag (#8)'),
      "a person's commit with the agent's address": byEmail('agent@mintlify.com', octocat),
      'a similar address': byEmail('x@mintlify[bot]@users.noreply.github.com'),
    },
  },
  { why: LABEL, on: { 'a merge of what has a label': mergeLabeled('no-docs') } },
]

it.each(rowsOf(ASKED))(
  '$what is skipped or not by the answers of GitHub',
  async ({ on, why, inputs }) => {
    const { run, world } = await startHarness()
    const pull = addPull(world, { number: 7, user: AGENT, files: ['docs/a.md'] })
    world.issues.add(8)
    const usual = { prompt: 'Document it.', 'dry-run': 'true', context: 'none' }
    const end = await run({ event: on(world, pull), inputs: { ...usual, ...inputs } })
    expect(end).toMatchObject({ hasFailed: false, calls: [] })
    expect(end.requests).toContain('POST /graphql MergedPulls')
    expect(end.outputs['result'] === 'skipped' ? end.log.join() : '').toMatch(why ?? /^$/)
  },
)

it.each([
  { now: ['no-docs'], at: [], result: 'skipped' },
  { now: [], at: ['no-docs'], result: 'dry-run' },
  { now: undefined, at: ['no-docs'], result: 'error' },
])('a re-run goes by the labels $now, not by $at of the event: $result', async (row) => {
  const { run, world } = await startHarness()
  const named = (names: readonly string[]) => names.map((name) => ({ name }))
  const of = pullRequest({ action: 'synchronize', pull: { labels: named(row.at) } })
  if (row.now) addPull(world, { number: 5, labels: named(row.now) })
  else world.scopes.delete('pull-requests: write')
  const inputs = { prompt: 'Document it.', 'dry-run': 'true' }
  const end = await run({ event: of, inputs, attempt: 2 })
  expect(end.outputs['result']).toBe(row.result)
})
