import fc from 'fast-check'
import { octocat as author } from '../look/runs.ts'
import {
  bareEvent,
  commentIn,
  docsReview,
  type Event,
  event,
  newIssue,
  pullRequest,
  pushTo,
  workflowRun,
} from '../support/events.ts'
import { FAULTS, type FaultName } from '../support/github.ts'
import type { RunOptions } from '../support/harness.ts'
import { resolve } from '../support/history.ts'
import type { Simulation } from '../support/simulation.ts'
import { addReview, mergePull, pushToPull, time } from '../support/world.ts'

export const PULL = 5
export const ISSUE = 8

/** Kinds of events, by where a run records its job. */
export const RECORDS = {
  push: 'status',
  tag: 'status',
  release: 'status',
  schedule: 'status',
  workflow_dispatch: 'status',
  workflow_run: 'status',
  opened: 'status',
  synchronize: 'status',
  merged: 'status',
  pull_request_target: 'status',
  issues: 'none',
  'command on an issue': 'reply',
  'command on a pull request': 'reply',
  'command in a review': 'reply',
  'command on a docs pull request': 'reply',
  review: 'reply',
  'job-id': 'none',
} as const
export type Kind = keyof typeof RECORDS
const ALL_KINDS = Object.keys(RECORDS).filter((name): name is Kind => name in RECORDS)

/** Whether GitHub lists changes for an event. */
export function hasChanges(kind: Kind): boolean {
  return RECORDS[kind] === 'status' || /command (?:on a pull|in a)/.test(kind)
}

/** Requests that a run can't do without, and those that end it, beside all requests in their order. */
const PLACES = [
  /\/permission$/,
  /^GET .*\/pulls\/\d+$/,
  /^GET .*\/comments/,
  /^GET .*\/statuses/,
  /graphql/,
  /(?:StepStatuses|MergedPulls|PullState|TagStatuses|TagCommits|FollowedRefs)$/,
  /^GET .*\/(?:files|commits|compare|releases|git)\b/,
  /^POST .*\/(?:comments|replies)$/,
  /^(?:PATCH|POST) .*\/(?:comments|statuses|replies)\b/,
  /^POST \/statuses\//,
  /^POST \/statuses\//,
  /./,
]
/** Fields of queries that may fail alone. */
const FIELDS = [
  ...['status', 'history', 'context', 'associatedPullRequests', 'labels', 'reviews', 'commits'],
  ...['viewer', 'repository', 'pullRequest', 'timelineItems', 'ref', 'object', 'comments', 'oid'],
]
const NAMES = Object.keys(FAULTS).filter((name): name is FaultName => name in FAULTS)

/** A time in milliseconds; in so many of ten cases. */
const within = (max: number, weight: number) =>
  fc.oneof(
    { weight: 10 - weight, arbitrary: fc.constant(undefined) },
    { weight, arbitrary: fc.integer({ min: 0, max }) },
  )
const fault = fc.record({
  match: fc.constantFrom(...PLACES, /./, /./),
  end: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...NAMES) },
    { weight: 1, arbitrary: fc.constantFrom(...FIELDS).map((broken) => ({ broken })) },
  ),
  after: fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 }) },
  ),
  /** How many requests it meets; `undefined`: all until GitHub recovers. */
  times: fc.constantFrom(undefined, undefined, undefined, 1, 2, 4),
})
const attempt = fc.record({
  /** Whether it is one of the run before, and not of a new run, which goes on with what is there. */
  isAgain: fc.boolean(),
  pauseMs: fc.constantFrom(0, 10_000, 120_000),
  faults: fc.array(fault, { minLength: 1, maxLength: 2 }),
  recoversAfterMs: within(130_000, 3),
  isWellInPost: fc.boolean(),
  cancelAtMs: within(40_000, 1),
  killAtMs: within(40_000, 2),
})
export const story = fc.record({
  kind: fc.constantFrom(...ALL_KINDS),
  docsIn: fc.constantFrom('acme/docs', 'acme/docs', 'acme/guides'),
  /** Whether the step had a job before, whose docs pull request is open. */
  hasEarlierJob: fc.boolean(),
  inputs: fc.record({
    comment: fc.constantFrom('auto', 'auto', 'always', 'never'),
    wait: fc.constantFrom('true', 'true', 'false'),
    'follow-up': fc.constantFrom('true', 'true', 'true', 'false'),
    'dry-run': fc.constantFrom('false', 'false', 'false', 'false', 'true'),
    'pr-labels': fc.constantFrom('', 'docs'),
  }),
  attempts: fc.array(attempt, { minLength: 1, maxLength: 3 }),
})
type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never
export type Story = Drawn<typeof story>
export type Attempt = Drawn<typeof attempt>

const repository = { full_name: 'acme/docs', default_branch: 'main' }

/** What happens so that a run starts, with the line that it adds to a file. */
export function happen(kind: Kind, { world, clock, docs }: Simulation, count: number) {
  const pull = world.pulls.get(PULL)
  if (pull === undefined) throw new Error(`There is no pull request ${PULL}.`)
  const line = `+option --flag-${count}`
  const file = { filename: 'src/cli.ts', additions: 1, deletions: 0, patch: `@@ -1 +1 @@\n${line}` }
  const change = { files: [{ ...file, status: 'modified' }] } as const
  const body = `/docs explain it, ${count}`
  const ofPull = (action: string): RunOptions & { readonly event: Event } => {
    const { sha } = pushToPull(world, pull, change)
    pull.files = [...pull.files, ...change.files]
    const made = pullRequest({ action, sender: author, pull: { ...pull.fields, number: PULL } })
    return { event: made, sha }
  }
  const onMain = (): string => {
    pushTo(world, change)
    return resolve(world, 'main')?.sha ?? ''
  }
  const docsPull = docs.jobs[0]?.pull?.number ?? 0
  const make = (): RunOptions => {
    switch (kind) {
      case 'push':
        return { event: pushTo(world, change) }
      case 'tag': {
        const sha = onMain()
        world.tags.set(`v1.${count}.0`, sha)
        const ref = `refs/tags/v1.${count}.0`
        const made = event('push', { ref, after: sha, created: true, before: '0'.repeat(40) })
        return { event: made, env: { GITHUB_REF: ref } }
      }
      case 'release': {
        const sha = onMain()
        const tag_name = `v1.${count}.0`
        world.tags.set(tag_name, sha)
        const release = { tag_name, published_at: time(clock.now()), body: 'Notes' }
        const env = { GITHUB_REF: `refs/tags/${tag_name}` }
        return { event: event('release', { action: 'published', release }), sha, env }
      }
      case 'workflow_run': {
        const head_sha = onMain()
        return { event: workflowRun({ head_sha }), sha: head_sha }
      }
      case 'schedule':
      case 'workflow_dispatch':
        return { sha: onMain(), event: { ...bareEvent(kind), payload: { repository } } }
      case 'opened':
      case 'synchronize':
        return ofPull(kind)
      case 'pull_request_target': {
        const made = ofPull('opened')
        return { ...made, event: { ...made.event, name: kind } }
      }
      case 'merged': {
        pull.fields = { ...pull.fields, state: 'open', merged: false, merge_commit_sha: null }
        const { sha } = pushToPull(world, pull, change)
        pull.files = [...pull.files, ...change.files]
        mergePull(world, pull)
        const fields = { ...pull.fields, head: { ...pull.fields.head, sha }, number: PULL }
        return { event: pullRequest({ action: 'closed', sender: author, pull: fields }) }
      }
      case 'issues':
        return { event: newIssue({ author, number: ISSUE, body: 'It is wrong.' }) }
      case 'job-id':
        return { event: bareEvent('workflow_dispatch') }
      case 'command on an issue':
        return { event: commentIn(world, { number: ISSUE, author, body, onIssue: true }) }
      case 'command in a review': {
        ofPull('synchronize')
        const rootId = world.comments.find((one) => one.kind === 'review')?.id
        return { event: commentIn(world, { kind: 'review', number: PULL, author, body, rootId }) }
      }
      case 'command on a pull request':
        ofPull('synchronize')
        return { event: commentIn(world, { number: PULL, author, body }) }
      case 'command on a docs pull request':
        return { event: commentIn(world, { number: docsPull, author, body }) }
      case 'review': {
        const made = addReview(world, { number: docsPull, author, body: `Shorten it, ${count}.` })
        return { event: docsReview(made) }
      }
    }
  }
  return { line, options: make() }
}
