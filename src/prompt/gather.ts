import type { FromGitHub, GitHub, Maybe, User } from '../github/client.ts'
import type { Comment, CommitFile, ComparedCommit, PullRequest } from '../github/pull-requests.ts'
import { errorMessage } from '../lib/text.ts'
import type { SourceItem } from '../look/comments.ts'
import {
  followedBranch,
  type GitHubEvent,
  type Issue,
  isFromFork,
  type WorkflowRun,
} from '../look/event.ts'
import type { PullState } from '../look/situation.ts'
import { ignoredAuthor, type Trigger } from '../look/trigger.ts'
import { completeFiles, findMergeBase, isTooLargeToCompare } from '../look/whole-diff.ts'
import { type Environment, type Run, runUrlOf } from '../runner/run.ts'
import {
  type EarlierChanges,
  factsOfBranch,
  factsOfPush,
  factsOfRelease,
  lackOf,
  readChangedFiles,
  unknownChanges,
} from './bases.ts'
import {
  type BlockOptions,
  type ContextStats,
  type EventFacts,
  type Fact,
  pullsOf,
  pushedCommits,
  renderContext,
  subjectLine,
  summaryOf,
  withoutBody,
  withPulls,
} from './render.ts'

/** What the run already knows. */
type KnownFacts = EarlierChanges &
  Pick<BlockOptions, 'contentGaps' | 'conversation' | 'promptBytes'> & {
    /** The pull request of an earlier job, if this run starts a new one. */
    readonly earlierPull?: PullState | undefined
  }

/** Newest first. `authors`: logins of the people whose changes the job is about. */
export type Sources = { readonly items: readonly SourceItem[]; readonly authors: readonly string[] }

type ContextBlock = Sources & {
  /** Empty with `context: none`. */
  readonly text: string
  readonly contextStats?: ContextStats
}

/**
 * Describes the event as a delimited block for the prompt: from the payload and, where the payload is silent, from GitHub's
 * API. Never fails: what can't be read is left out, and the log says so.
 */
export async function describeEvent(
  trigger: Trigger,
  known: KnownFacts,
  run: Run,
): Promise<ContextBlock> {
  const { event } = trigger
  if (run.inputs.context === 'none') {
    const commits = withPulls(pushedCommits(event.payload), known.mergedPulls, run.inputs)
    return { ...sourcesOf(trigger, { commits }, run), text: '' }
  }
  try {
    return describe(trigger, await factsOf(event, known, run), known, run)
  } catch (error) {
    // Neither payloads nor responses are checked field by field.
    const why = `GitHub returned unexpected data (${errorMessage(error)})`
    run.log.warnInSummary(
      `Could not describe the event: ${why}, so the prompt doesn't say what changed.`,
      'The prompt lacks the context',
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
    ['Earlier docs pull request', earlierPull ? `${earlierPull.prLink} (${state})` : ''],
    ...described.facts,
  ]
  const { body, user, html_url: url } = payload.comment ?? payload.review ?? {}
  // A command is the request itself.
  const comment: Fact[] =
    body && command === undefined ? [[`Comment by ${user?.login} (${url})`, body]] : []
  const all = { ...described, facts, texts: [...(described.texts ?? []), ...comment] }
  const isCommand = command !== undefined
  return {
    ...sourcesOf(trigger, described, run, known.contentGaps),
    ...renderContext(all, { ...known, detail: inputs.context, isCommand }),
  }
}

/** How many people are named at most. */
const MAX_SOURCE_AUTHORS = 10

/** Says what a job is about: for the source comment, and whose changes they are. */
export function sourcesOf(
  { event: { payload, row }, command }: Trigger,
  { commits = [], isArbitrary = false }: Pick<EventFacts, 'commits' | 'isArbitrary'>,
  { inputs }: Run,
  contentGaps: readonly string[] = [],
): Sources {
  const { issue, release, discussion, workflow_run: followed } = payload
  const pull = payload.pull_request ?? (issue?.pull_request ? issue : undefined)
  const thread = pull ?? issue ?? discussion
  const said = payload.comment ?? payload.review
  const named = isArbitrary ? [] : commits
  const newestFirst = named.toReversed()
  const merged = pullsOf(named)
  let items: SourceItem[] = []
  let people = newestFirst.flatMap((one) => one.pulls?.flatMap(peopleOf) ?? one.author)
  if (pull) people = peopleOf({ author: pull.user, assignees: pull.assignees })
  if (command || payload.review) people = [said?.user]
  if (command) {
    const kind = command.kind === 'review' ? 'review' : 'command'
    items = [toSource(kind, command.source.url, command.instructions, said?.user)]
  } else if (thread) {
    const kind = pull ? 'pull' : issue ? 'issue' : 'discussion'
    items = [toSource(kind, thread.html_url, thread.title, thread.user)]
  } else if (release) {
    items = [toSource('release', release.html_url, release.name || release.tag_name)]
  } else if (merged.length > 0) {
    items = merged.map(({ url, title, author }) => toSource('pull', url, title, author))
  } else if (named.length > 0) {
    items = newestFirst.map((one) => toSource('commit', one.url, subjectLine(one), one.author))
  } else if (row.subject === 'workflow-run' && followed) {
    items = [toSource('workflow', followed.html_url, followed.name, followed.actor)]
  } else if (contentGaps.length > 0) {
    items = [toSource('content-gaps')]
  }
  const logins = people.filter(isPerson).flatMap(({ login }) => login ?? [])
  const authors = logins.filter((login) => !ignoredAuthor([login], inputs))
  return { items, authors: [...new Set(authors)].slice(0, MAX_SOURCE_AUTHORS) }
}

/** Returns the author of a pull request; of a bot's pull request the people assigned to it. */
function peopleOf({
  author,
  assignees,
}: FromGitHub<{ author: User; assignees: readonly User[] }>): Maybe<User>[] {
  return isPerson(author) ? [author] : [...(assignees ?? [])]
}

/** Whether an account is a person's that exists. `Copilot` has no `[bot]` in its name, and a push doesn't say types. */
function isPerson(user: Maybe<User>): user is User {
  const { login, type } = user ?? {}
  const isOther = /\[bot\]$|^(?:copilot|ghost)$/i.test(login ?? '')
  return type === 'User' && !isOther
}

function toSource(
  kind: SourceItem['kind'],
  url?: Maybe<string>,
  title?: Maybe<string>,
  user?: Maybe<User>,
): SourceItem {
  return { kind, url: url ?? '', title: title ?? '', author: user?.login ?? '' }
}

async function factsOf(event: GitHubEvent, known: KnownFacts, run: Run): Promise<EventFacts> {
  const { payload, row } = event
  const { github, environment } = run
  switch (row.subject) {
    case 'push':
      return await factsOfPush(payload, known, run)
    case 'pull-request':
      return await factsOfPull(payload.pull_request ?? {}, github, payload.comment ?? {})
    case 'issue':
      return await factsOfIssue(payload.issue ?? {}, github)
    case 'release':
      return await factsOfRelease(payload, known, run)
    case 'branch':
      return await factsOfBranch(environment.sha, known, run)
    case 'workflow-run':
      return await factsOfFollowed(event, known, run)
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
  const changes = await changesOfPull(pull, github)
  return { ...described, ...changes, facts, hunk: comment.diff_hunk ?? '' }
}

/** As many files and commits of a pull request as GitHub lists at most. */
const MAX_LISTED_FILES = 3000
const MAX_LISTED_COMMITS = 250

/** Reads the files and commits of a pull request: a request for each hundred of them. What can be read is shown. */
async function changesOfPull(pull: PullRequest, github: GitHub): Promise<EventFacts> {
  const { number, changed_files: counted, commits: commitCount, html_url: url } = pull
  const [listed, commits] = await Promise.all([
    github.read(() => readFilesOfPull(pull, github)),
    github.read(() => github.list<ComparedCommit>(`${github.path}/pulls/${number}/commits`)),
  ])
  // The description says what the bodies of its messages would.
  const shown = commits.known ? commits.value.map(summaryOf).map(withoutBody) : []
  const failed = [listed, commits].find(({ known }) => !known)
  if (failed?.known === false) {
    const effect = listed.known ? 'the prompt lacks the commits' : lackOf(shown)
    const call = { purpose: 'read what has changed', permission: 'pull-requests: read', effect }
    github.report(failed.error, call)
  }
  // Later pushes may have changed how many there are.
  const isCut = shown.length >= MAX_LISTED_COMMITS
  const known = {
    facts: [],
    commits: shown,
    commitCount: isCut ? (commitCount ?? 0) : 0,
    listedCommits: 'oldest' as const,
  }
  if (!listed.known) return unknownChanges(listed.why, known)
  const { files, total } = listed.value
  const { additions: added, deletions: removed } = pull
  const lines = added == null || removed == null ? {} : { lines: { added, removed } }
  const about = { total: counted ?? total, ...lines, url: url ? `${url}/files` : '' }
  return { ...known, files: { files, ...about } }
}

/** Reads the files of a pull request. Or a GitHubError. */
async function readFilesOfPull({ number, base, head }: PullRequest, github: GitHub) {
  const path = `${github.path}/pulls/${number}/files`
  const isListed = await github.read(() => github.list<CommitFile>(path, MAX_LISTED_FILES))
  if (!isListed.known && !isTooLargeToCompare(isListed.error)) throw isListed.error
  const files = readChangedFiles(isListed.known ? isListed.value : [])
  const maxFiles = isListed.known ? MAX_LISTED_FILES : 0
  const findEnds = async () => {
    const [from, to] = [base?.sha, head?.sha]
    const start = from && to ? await findMergeBase(from, to, github) : undefined
    return start && to ? { base: start, head: to } : undefined
  }
  return await completeFiles({ files, maxFiles, findEnds, spent: 1 }, github)
}

/** Describes an issue. A comment on a pull request's main thread has it as an issue, without its branches. */
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

/** Describes what pull requests, issues, and discussions have in common. */
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

/** Names the place of a review comment: `src/a.ts, line 7`. */
function commentPlace({ path, line, original_line: original }: Comment): string {
  const at = line ?? original
  return at == null ? (path ?? '') : `${path}, line ${at}`
}

/** Describes the run that this one follows; of one on a branch what has changed there up to its commit, too. */
async function factsOfFollowed(
  event: GitHubEvent,
  known: KnownFacts,
  run: Run,
): Promise<EventFacts> {
  const followed: WorkflowRun = event.payload.workflow_run ?? {}
  const facts: Fact[] = [
    ['Finished workflow', `${followed.name} (${followed.html_url}, started by ${followed.event})`],
    ['Branch', followed.head_branch ?? ''],
    ['Commit', followed.head_sha ?? ''],
    ['Conclusion', followed.conclusion ?? ''],
  ]
  if (followedBranch(event, run.environment) === undefined) return { facts }
  const changes = await factsOfBranch(followed.head_sha ?? '', known, run)
  return { ...changes, facts: [...facts, ...changes.facts] }
}

/** Names the branch or tag that an event is about, if its other facts don't. */
function branchOf({ row, payload }: GitHubEvent, { ref }: Environment): Fact[] {
  if (payload.pull_request != null || payload.issue?.pull_request != null) return []
  if (row.subject === 'release' || row.subject === 'workflow-run') return []
  if (payload.ref_type != null)
    return [[payload.ref_type === 'tag' ? 'Tag' : 'Branch', payload.ref ?? '']]
  const [, kind, name = ref] = /^refs\/(heads|tags)\/(.*)$/.exec(ref) ?? []
  return [[kind === 'tags' ? 'Tag' : 'Branch', name]]
}
