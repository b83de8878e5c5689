import { expect, test } from 'vitest'
import {
  bot,
  type Event,
  event as exampleOf,
  person,
  pullRequest,
  pushBy,
  pushOf,
  pushTo,
  reviewComment,
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

const QUERY = 'POST /graphql MergedPulls'

type Inputs = Readonly<Record<string, string>>
type Make = (world: World, pull: Pull) => Event
/** What happens, whether the run starts or why it is skipped, and further inputs. */
type Case = readonly [string, string, Event | Make, Inputs?]

const octocat = person('octocat')
const STARTS = 'starts'
const OWN = 'by mintlify[bot] (`ignore-authors`)'
const OWN_PUSH = `every change of this push is ${OWN}`
const OWN_PULL = `this pull request is ${OWN}`
const MERGES = ['merge', 'squash', 'rebase'] as const
type How = (typeof MERGES)[number]

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

const mergeLabelled = (name: string, how: How = 'squash'): Make => {
  return (world) => merge(world, addPull(world, { number: 9, labels: [{ name }] }), how)
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
const { pull_request: markedPull } = marked.payload
const marks = (name: string): string => `labelled \`${name}\` (\`skip-labels\`)`
const BOTH = `${OWN_PUSH} or by renovate (\`ignore-authors\`)`
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
  ['its pull request from a fork', OWN_PULL, pullRequest({ author: AGENT, from: 'mintlify/docs' })],
  ['its pull request on pull_request_target', OWN_PULL, { ...opened, name: 'pull_request_target' }],
  ['its pull request, a message to a job', OWN_PULL, opened, MESSAGE],
  ['its pull request, a job to wait for', STARTS, opened, WAIT],
  ['a review of its pull request', STARTS, { ...opened, name: 'pull_request_review' }],
  [
    'a pull request of a deleted account',
    STARTS,
    changed(opened, { pull_request: { user: null, head: { repo: { full_name: 'acme/docs' } } } }),
  ],
  ['its push without commits', STARTS, agentPush({ commits: [] })],
  ['its release', STARTS, exampleOf('release', { sender: AGENT })],
  [
    'an event that only looks like its push',
    STARTS,
    { ...pushBy('mintlify[bot]'), name: 'repository_dispatch' },
  ],
  ['a pull request with a label', `this pull request is ${marks('no-docs')}`, marked],
  [
    'a label on pull_request_target',
    `this pull request is ${marks('no-docs')}`,
    { ...marked, name: 'pull_request_target' },
  ],
  ['a label where none counts', STARTS, marked, { 'skip-labels': '' }],
  ['another label', STARTS, marked, { 'skip-labels': 'docs, no' }],
  ['a label, a message to a job', STARTS, marked, MESSAGE],
  ['a label, a report alone', STARTS, marked, REPORT],
  ['a label, a review', STARTS, { ...marked, name: 'pull_request_review' }],
]

/** What GitHub is asked about, with pull request 7 of the agent. */
const ASKED: readonly Case[] = [
  // Never skipped: asked for what the job is about.
  ['its tag', STARTS, agentPush({ ref: 'refs/tags/v1', created: true })],
  ['its tag that was moved', STARTS, agentPush({ ref: 'refs/tags/v1' })],
  ['its new branch', STARTS, agentPush({ created: true })],
  ['its push that names no branch', STARTS, agentPush({ ref: null })],
  ['its push of 21 commits', STARTS, pushOfMany(21)],
  ...MERGES.map(
    (how): Case => [`a ${how} of the agent`, OWN_PUSH, (world, pull) => merge(world, pull, how)],
  ),
  ...(['merge', 'squash'] as const).map(
    (how): Case => [
      `a ${how} that no index has yet`,
      OWN_PUSH,
      (world, pull) => {
        pull.indexedAtMs = world.now() + 60_000
        return merge(world, pull, how)
      },
    ],
  ),
  [
    "a merge with a person's commit on its branch",
    OWN_PUSH,
    (world, pull) => {
      pushToPull(world, pull)
      return merge(world, pull, 'merge')
    },
  ],
  ["a person's commit beside a squash of the agent", STARTS, mixed(octocat)],
  ['a subject without a number', STARTS, withMessage('Add a flag')],
  ['the number of an open pull request of the agent', STARTS, withMessage('Add a flag (#7)')],
  ['the number of one that was merged as another', STARTS, mergedAs7('Go on with the flag (#7)')],
  ['a quoted number', STARTS, mergedAs7('Revert "Update (#7)"\n\nMerge pull request #7 from x')],
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
  ["a person's address", STARTS, byEmail('octocat@example.com')],
  ['a commit without an author', STARTS, byAuthor(undefined)],
  [
    'a merge of what has a label',
    `every change of this push is ${marks('No-Docs')}`,
    mergeLabelled('No-Docs', 'merge'),
  ],
  [
    'a squash of what has a label',
    `every change of this push is ${marks('no-docs')}`,
    mergeLabelled('no-docs'),
  ],
  [
    'the same beside a commit of the agent',
    `${OWN_PUSH} or ${marks('no-docs')}`,
    mixed(AGENT, 'no-docs'),
  ],
  ["the same beside a person's commit", STARTS, mixed(octocat, 'no-docs')],
  ['the same, a message to a job', STARTS, mergeLabelled('no-docs'), MESSAGE],
  ['a squash of what has another label', STARTS, mergeLabelled('docs-later')],
]

const it = test
  .extend('scene', async () => {
    const scene = await startHarness()
    scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    return scene
  })
  .extend('judge', ({ scene: { run, world } }) => async (made: Event | Make, inputs?: Inputs) => {
    const pull = addPull(world, { number: 7, user: AGENT, files: ['docs/a.md'] })
    world.issues.add(8)
    // A dry run shows how it decides.
    const given = {
      prompt: 'Document it.',
      'dry-run': 'true',
      'allow-bots': 'mintlify[bot]',
      ...inputs,
    }
    if (given.prompt !== '') Object.assign(given, { context: 'none' })
    const event = typeof made === 'function' ? made(world, pull) : made
    const end = await run({ event, inputs: given, files: { 'a.md': 'Go.' } })
    expect([end.hasFailed, end.calls]).toEqual([false, []])
    const isSkipped = end.outputs['result'] === 'skipped'
    const requests = end.requests.filter((line) => line === QUERY)
    return { ...end, requests, decision: isSkipped ? end.log.join() : STARTS }
  })

it.for([...UNASKED, ...ASKED])(
  'the loop guard on %s: %s',
  async ([what, decision, make, inputs], { judge }) => {
    const requests = ASKED.some(([one]) => one === what) ? [QUERY] : []
    const expected = decision === STARTS ? STARTS : `notice: Skipped: ${decision}.`
    expect(await judge(make, inputs)).toMatchObject({ decision: expected, requests, warnings: [] })
  },
)

it('a command on a pull request with a label starts a job', async ({ judge }) => {
  expect(await judge(changed(command, { pull_request: markedPull }))).toMatchObject({
    decision: STARTS,
  })
})

it('labels that can not be read are none, with a warning', async ({ scene, judge }) => {
  scene.github.faults.push({ match: /graphql/, end: '502' })
  const { decision, warnings } = await judge(mergeLabelled('no-docs'))
  expect([decision, warnings[0]]).toEqual([
    STARTS,
    expect.stringContaining("Commits of unknown origin count as a person's"),
  ])
})

it('the loop guard does without a part of the response that it does not need', async ({
  scene,
  judge,
}) => {
  scene.github.faults.push({ match: /graphql/, end: { broken: 'associatedPullRequests' } })
  const made = await judge((world, pull) => merge(world, pull, 'squash'))
  expect(made).toMatchObject({ decision: `notice: Skipped: ${OWN_PUSH}.` })
})
