import { type GitHubEvent, isFromFork } from '../events/event-table.ts'
import type { Trigger } from '../events/trigger.ts'
import type { GitHub, Known } from '../github/client.ts'
import type { MergedPulls } from '../github/pull-requests.ts'
import {
  type Comment,
  type Issue,
  type Maybe,
  normalizeLogin,
  type PullRequest,
  type User,
  type WorkflowRun,
} from '../github/types.ts'
import type { Inputs } from '../inputs/table.ts'
import { errorMessage } from '../lib/text.ts'
import { type Environment, runUrlOf } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { changesOfPull, readPull, unknownChanges } from './changes.ts'
import { type PriorPosts, subjectOf } from './messages.ts'
import { type ContextStats, type EventFacts, type Fact, renderContext } from './render.ts'
import { factsOfBranch, factsOfPush, factsOfRelease, type LastJob } from './since.ts'

/** What the run knows already. */
export type KnownFacts = {
  /** That the commits of a push came in. */
  readonly mergedPulls: MergedPulls
  readonly lastJob: Known<LastJob | undefined>
  /** The pull request that an earlier job ended in, where this run starts a new one. */
  readonly previous?: { readonly prLink: string; readonly state: string } | undefined
  /** Lines of what readers missed, with our own words on them. */
  readonly signals: readonly string[]
  readonly conversation: PriorPosts | undefined
  /** What users wrote: the rest of the prompt. */
  readonly promptBytes: number
}

/** What led to a job, for people. */
export type SourceItem = {
  readonly kind: 'pull' | 'commit' | 'release' | 'command' | 'signals'
  readonly url: string
  readonly title: string
  /** Login; empty where it is not known. */
  readonly author: string
}

/** Newest first. `authors`: logins of the people whose changes it is about. */
export type Sources = { readonly items: readonly SourceItem[]; readonly authors: readonly string[] }

export type ContextBlock = {
  readonly text: string
  readonly stats: ContextStats
  readonly sources: Sources
}

/**
 * What GitHub knows of the event, as a delimited block for the prompt: from the payload, and from the API where that is
 * silent. Never fails: what can't be read from GitHub is left out, and said.
 */
export async function describeEvent(
  trigger: Trigger,
  known: KnownFacts,
  run: Run,
): Promise<ContextBlock> {
  try {
    return describe(trigger, await factsOf(trigger.event, known, run), known, run)
  } catch (error) {
    // Neither payloads nor responses are checked field by field.
    const why = `GitHub returned unexpected data (${errorMessage(error)})`
    run.log.cost(`Failed to describe the event: ${why}, so the agent is not told what it is about.`)
    const event = { ...trigger.event, payload: {} }
    return describe({ ...trigger, event }, unknownChanges(why), known, run)
  }
}

function describe(
  { event, command }: Trigger,
  described: EventFacts,
  { previous, signals, conversation, promptBytes }: KnownFacts,
  { environment, inputs }: Run,
): ContextBlock {
  const { name, payload } = event
  const state = previous?.state === 'invisible' ? 'not visible to this run' : previous?.state
  const facts: Fact[] = [
    ['Repository', environment.repository],
    ['Event', payload.action ? `${name} (${payload.action})` : name],
    ...branchOf(event, environment),
    ['Workflow run', runUrlOf(environment)],
    ['Asked by', command === undefined ? '' : `${command.author.login} in ${command.source.url}`],
    [
      'Earlier pull request of the docs agent',
      previous === undefined ? '' : `${previous.prLink} (${state})`,
    ],
    ...described.facts,
  ]
  const { body, user, html_url: url } = payload.comment ?? payload.review ?? {}
  // A command is the request itself.
  const comment: Fact[] =
    body && command === undefined ? [[`Comment by ${user?.login} (${url})`, body]] : []
  const all = { ...described, facts, texts: [...(described.texts ?? []), ...comment] }
  const detail = inputs.context === 'files' ? 'files' : 'diff'
  const isCommand = command !== undefined
  const block = renderContext(all, { detail, isCommand, signals, conversation, promptBytes })
  return { ...block, sources: sourcesOf(described, signals.length > 0, inputs) }
}

/** At most as many people are named. */
const MAX_AUTHORS = 10

/** The merged pull requests, else the pull request, the release, the commits, or what readers missed. */
function sourcesOf(
  { mergedPulls = [], pull, release, commits = [] }: EventFacts,
  hasSignals: boolean,
  inputs: Inputs,
): Sources {
  const merged = mergedPulls.map(({ title, url, author: { login, isPerson } }) => {
    return { title, url, user: { login, type: isPerson ? 'User' : 'Bot' } }
  })
  const pulls = pull ? [{ title: pull.title, url: pull.html_url, user: pull.user }] : merged
  const direct = commits
    .filter(({ isInPull }) => isInPull !== true)
    .map((commit) => ({ title: subjectOf(commit), url: commit.url, user: commit.author }))
    .toReversed()
  const released = release ? [{ title: release.name, url: release.html_url, user: undefined }] : []
  const missed = hasSignals ? [{ title: '', url: '', user: undefined }] : []
  const found = Object.entries({ pull: pulls, release: released, commit: direct, signals: missed })
  const [kind, items] = found.find(([, list]) => list.length > 0) ?? ['signals', []]
  const people = [...pulls, ...(pull ? [] : direct)].flatMap(({ user }) =>
    isPerson(user, inputs) ? (user?.login ?? []) : [],
  )
  return {
    items: items.map(({ title, url, user }) => {
      const author = user?.login ?? ''
      return { kind: kind as SourceItem['kind'], title: title ?? '', url: url ?? '', author }
    }),
    authors: [...new Set(people)].slice(0, MAX_AUTHORS),
  }
}

/** Whether an account is a person's, and none of `ignore-authors`. */
export function isPerson(user: Maybe<User>, inputs: Inputs): boolean {
  const login = user?.login ?? ''
  const isIgnored = inputs['ignore-authors'].some(
    (one) => normalizeLogin(one) === normalizeLogin(login),
  )
  return user?.type === 'User' && !/\[bot\]$/i.test(login) && !isIgnored
}

async function factsOf(
  { payload, row }: GitHubEvent,
  known: KnownFacts,
  run: Run,
): Promise<EventFacts> {
  const { github } = run
  switch (row.subject) {
    case 'push':
      return await factsOfPush(payload, known, run)
    case 'pull-request':
      return await factsOfPull(payload.pull_request ?? {}, github, payload.comment ?? {})
    case 'issue':
      return await factsOfIssue(payload.issue ?? {}, github)
    case 'release':
      return await factsOfRelease(payload, github)
    case 'branch':
      return await factsOfBranch(known.lastJob, run)
    case 'workflow-run':
      return { facts: factsOfRun(payload.workflow_run ?? {}) }
    case 'discussion':
      return titled('Discussion', payload.discussion ?? {})
    case 'none':
      return { facts: [] }
  }
}

async function factsOfPull(
  pull: PullRequest,
  github: GitHub,
  comment: Comment = {},
): Promise<EventFacts> {
  const { owner, repo } = github.repository
  const { head } = pull
  const isFork = head != null && isFromFork(pull, `${owner}/${repo}`)
  const described = titled('Pull request', pull)
  const facts: Fact[] = [
    ...described.facts,
    ['State', stateOf(pull)],
    ['Base', pull.base?.ref ?? ''],
    [
      'Head',
      `${head?.ref ?? ''}${isFork ? ` of the fork ${head?.repo?.full_name ?? '(deleted)'}` : ''}`,
    ],
    ['Comment on', placeOf(comment)],
  ]
  const changes = pull.number == null ? {} : await changesOfPull(pull, github)
  return { ...described, ...changes, facts, pull, hunk: comment.diff_hunk ?? '' }
}

/** A comment on a pull request's main thread knows it as an issue: without its branches. */
async function factsOfIssue(issue: Issue, github: GitHub): Promise<EventFacts> {
  if (issue.pull_request == null || issue.number == null) return titled('Issue', issue)
  const pull = await readPull(issue.number, github)
  if (pull.known) return await factsOfPull(pull.value, github)
  const described = titled('Pull request', issue)
  const state = stateOf({ ...issue, merged_at: issue.pull_request.merged_at })
  const unknown = unknownChanges(pull.why, [...described.facts, ['State', state]])
  return { ...described, ...unknown, pull: issue }
}

/** What pull requests, issues and discussions have in common. */
function titled(kind: string, issue: Issue): EventFacts {
  const { number, title, html_url: url, user, body } = issue
  const facts: Fact[] = [
    [kind, `${number ?? ''}`],
    ['Title', title ?? ''],
    ['URL', url ?? ''],
    ['Author', user?.login ?? ''],
    ['Labels', labelsOf(issue).join(', ')],
  ]
  return { facts, texts: body ? [['Body', body]] : [] }
}

function labelsOf({ labels }: Issue): string[] {
  return (labels ?? []).map(({ name }) => name ?? '')
}

function stateOf({
  state,
  draft,
  merged,
  merged_at: mergedAt,
  merge_commit_sha: sha,
}: PullRequest): string {
  if (merged === true || mergedAt != null) return sha ? `merged as ${sha}` : 'merged'
  const shown = draft === true ? `${state} (draft)` : (state ?? '')
  return state === 'open' ? `${shown}, not merged: users don't have it yet` : shown
}

/** Where a review comment stands: `src/a.ts, line 7`. */
function placeOf({ path, line, original_line: original }: Comment): string {
  const at = line ?? original
  return at == null ? (path ?? '') : `${path}, line ${at}`
}

/** The run that this one follows. */
function factsOfRun({
  name,
  html_url: url,
  event,
  head_branch,
  head_sha,
  conclusion,
}: WorkflowRun): Fact[] {
  return [
    ['Finished workflow', `${name} (${url}, started by ${event})`],
    ['Branch', head_branch ?? ''],
    ['Commit', head_sha ?? ''],
    ['Conclusion', conclusion ?? ''],
  ]
}

/** The branch or tag that an event is about, where its other facts don't tell. */
function branchOf({ row, payload }: GitHubEvent, { ref: runRef }: Environment): Fact[] {
  if (payload.pull_request != null || payload.issue?.pull_request != null) return []
  if (row.subject === 'release' || row.subject === 'workflow-run') return []
  if (payload.ref_type != null)
    return [[payload.ref_type === 'tag' ? 'Tag' : 'Branch', payload.ref ?? '']]
  const ref = (row.subject === 'push' ? payload.ref : undefined) ?? runRef
  if (ref.startsWith('refs/tags/')) return [['Tag', ref.slice('refs/tags/'.length)]]
  return [['Branch', ref.replace(/^refs\/heads\//, '')]]
}
