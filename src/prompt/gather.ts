import type { GitHub, Lookup } from '../github/client.ts'
import type { MergedPull, MergedPulls } from '../github/pull-requests.ts'
import type { Comment, Issue, Maybe, PullRequest, User, WorkflowRun } from '../github/types.ts'
import { errorMessage } from '../lib/text.ts'
import type { Trigger } from '../look/command.ts'
import { ignoredAuthor } from '../look/commits.ts'
import { type GitHubEvent, isFromFork } from '../look/event.ts'
import { type Environment, runUrlOf } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import {
  changesOfPull,
  factsOfBranch,
  factsOfPush,
  factsOfRelease,
  type LastJob,
  pushedCommits,
  readChanges,
  unknownChanges,
} from './bases.ts'
import {
  type BlockOptions,
  type CommitSummary,
  type ContextStats,
  type EventFacts,
  type Fact,
  pullsOf,
  renderContext,
  subjectLine,
  withPulls,
} from './render.ts'

/** What the run knows already. */
type KnownFacts = Pick<BlockOptions, 'signals' | 'conversation' | 'promptBytes'> & {
  /** That the commits of a push came in. */
  readonly mergedPulls: MergedPulls
  readonly lastJob: Lookup<LastJob | undefined>
  /** Whether the search for it ended at its limit, so that an older job may exist. */
  readonly reachedLimit: boolean
  /** The pull request that an earlier job ended in, where this run starts a new one. */
  readonly earlierPull?: { readonly prLink: string; readonly state: string } | undefined
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

type ContextBlock = {
  /** Empty with `context: none`. */
  readonly text: string
  readonly stats: ContextStats | undefined
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
  const { event } = trigger
  if (run.inputs.context === 'none') {
    const commits = withPulls(pushedCommits(event.payload), known.mergedPulls, run.inputs)
    return { text: '', stats: undefined, sources: sourcesOf(trigger, commits, run) }
  }
  try {
    return describe(trigger, await factsOf(event, known, run), known, run)
  } catch (error) {
    // Neither payloads nor responses are checked field by field.
    const why = `GitHub returned unexpected data (${errorMessage(error)})`
    run.log.warnInSummary(
      `Failed to describe the event: ${why}, so the agent is not told what it is about.`,
    )
    const bare = { ...trigger, event: { ...event, payload: {} } }
    return describe(bare, unknownChanges(why), known, run)
  }
}

function describe(
  trigger: Trigger,
  described: EventFacts,
  { earlierPull, ...known }: KnownFacts,
  run: Run,
): ContextBlock {
  const { event, command } = trigger
  const { environment, inputs } = run
  const { name, payload } = event
  const state = earlierPull?.state === 'invisible' ? 'not visible to this run' : earlierPull?.state
  const facts: Fact[] = [
    ['Repository', environment.repository],
    ['Event', payload.action ? `${name} (${payload.action})` : name],
    ...branchOf(event, environment),
    ['Workflow run', runUrlOf(environment)],
    ['Asked by', command === undefined ? '' : `${command.author.login} in ${command.source.url}`],
    [
      'Earlier pull request of the docs agent',
      earlierPull ? `${earlierPull.prLink} (${state})` : '',
    ],
    ...described.facts,
  ]
  const { body, user, html_url: url } = payload.comment ?? payload.review ?? {}
  // A command is the request itself.
  const comment: Fact[] =
    body && command === undefined ? [[`Comment by ${user?.login} (${url})`, body]] : []
  const all = { ...described, facts, texts: [...(described.texts ?? []), ...comment] }
  const isCommand = command !== undefined
  const block = renderContext(all, { ...known, detail: inputs.context, isCommand })
  return {
    ...block,
    sources: sourcesOf(trigger, described.commits ?? [], run, known.signals),
  }
}

/** At most as many people are named. */
const MAX_SOURCE_AUTHORS = 10

/** @param commits oldest first, with the pull requests that they came in */
export function sourcesOf(
  { event: { payload }, command }: Trigger,
  commits: readonly CommitSummary[],
  { inputs }: Run,
  signals: readonly string[] = [],
): Sources {
  const { issue, release, comment } = payload
  const pull = payload.pull_request ?? (issue?.pull_request ? issue : undefined)
  const ofPull = ({ url, title, author }: MergedPull) => toSource('pull', url, title, author)
  const ofCommits = commits
    .toReversed()
    .flatMap(
      (one) =>
        one.pulls?.map(ofPull) ?? [toSource('commit', one.url, subjectLine(one), one.author)],
    )
  const merged = pullsOf(commits).map(ofPull)
  let items = merged.length > 0 ? merged : ofCommits
  if (items.length === 0 && signals.length > 0) items = [toSource('signals')]
  if (release) items = [toSource('release', release.html_url, release.name || release.tag_name)]
  if (pull) items = [toSource('pull', pull.html_url, pull.title, pull.user)]
  if (command) {
    const { source, instructions } = command
    items = [toSource('command', source.url, instructions, comment?.user)]
  }
  const people = (command || pull ? items : ofCommits).filter(
    ({ author, type }) =>
      type === 'User' && !author.endsWith('[bot]') && !ignoredAuthor([author], inputs),
  )
  return {
    items: items.map(({ type: _, ...item }) => item),
    authors: [...new Set(people.map(({ author }) => author))].slice(0, MAX_SOURCE_AUTHORS),
  }
}

/** With the type of the author's account. */
function toSource(
  kind: SourceItem['kind'],
  url?: Maybe<string>,
  title?: Maybe<string>,
  user?: Maybe<User>,
) {
  return { kind, url: url ?? '', title: title ?? '', author: user?.login ?? '', type: user?.type }
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
  comment: Comment,
): Promise<EventFacts> {
  const { owner, repo } = github.repository
  const { head } = pull
  const isFork = head != null && isFromFork(pull, `${owner}/${repo}`)
  const described = titled('Pull request', pull)
  const facts: Fact[] = [
    ...described.facts,
    ['State', pullStateText(pull)],
    ['Base', pull.base?.ref ?? ''],
    [
      'Head',
      `${head?.ref ?? ''}${isFork ? ` of the fork ${head?.repo?.full_name ?? '(deleted)'}` : ''}`,
    ],
    ['Comment on', commentPlace(comment)],
  ]
  const read = () => changesOfPull(pull, github)
  const changes = await readChanges(github, {}, read, 'pull-requests: read')
  return { ...described, ...changes, facts, hunk: comment.diff_hunk ?? '' }
}

/** A comment on a pull request's main thread knows it as an issue: without its branches. */
async function factsOfIssue(issue: Issue, github: GitHub): Promise<EventFacts> {
  const { number, pull_request: link } = issue
  if (link == null) return titled('Issue', issue)
  const permission = 'pull-requests: read'
  const pull = await github.attempt(
    { purpose: 'read the pull request', permission, level: 'info' },
    () =>
      github.call<PullRequest>(({ rest }) =>
        rest.pulls.get({ ...github.repository, pull_number: number ?? 0 }),
      ),
  )
  const known = pull.known ? pull.value : { ...issue, merged_at: link.merged_at }
  return await factsOfPull(known, github, {})
}

/** What pull requests, issues and discussions have in common. */
function titled(kind: string, issue: Issue): EventFacts {
  const { number, title, html_url: url, user, labels, body } = issue
  const facts: Fact[] = [
    [kind, `${number ?? ''}`],
    ['Title', title ?? ''],
    ['URL', url ?? ''],
    ['Author', user?.login ?? ''],
    ['Labels', (labels ?? []).map((label) => label.name ?? '').join(', ')],
  ]
  return { facts, texts: body ? [['Body', body]] : [] }
}

function pullStateText({
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
function commentPlace({ path, line, original_line: original }: Comment): string {
  const at = line ?? original
  return at == null ? (path ?? '') : `${path}, line ${at}`
}

/** The run that this one follows. */
function factsOfRun(run: WorkflowRun): Fact[] {
  return [
    ['Finished workflow', `${run.name} (${run.html_url}, started by ${run.event})`],
    ['Branch', run.head_branch ?? ''],
    ['Commit', run.head_sha ?? ''],
    ['Conclusion', run.conclusion ?? ''],
  ]
}

/** The branch or tag that an event is about, where its other facts don't tell. */
function branchOf({ row, payload }: GitHubEvent, { ref }: Environment): Fact[] {
  if (payload.pull_request != null || payload.issue?.pull_request != null) return []
  if (row.subject === 'release' || row.subject === 'workflow-run') return []
  if (payload.ref_type != null)
    return [[payload.ref_type === 'tag' ? 'Tag' : 'Branch', payload.ref ?? '']]
  const [, kind, name = ref] = /^refs\/(heads|tags)\/(.*)$/.exec(ref) ?? []
  return [[kind === 'tags' ? 'Tag' : 'Branch', name]]
}
