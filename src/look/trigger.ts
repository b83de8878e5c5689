import { type FromGitHub, type GitActor, type Maybe, normalizeLogin } from '../github/client.ts'
import { failedLookup, GitHubError, type Lookup, NOT_FOUND } from '../github/github-errors.ts'
import {
  type Comment,
  type CommentRef,
  type CommitOrigin,
  type MergedPulls,
  type PullRequest,
  pullRequestThread,
  readMergedPulls,
  requestComparison,
} from '../github/pull-requests.ts'
import { hasPrompt, type Inputs, isWaitOnly, PERMISSION_LEVELS } from '../inputs/table.ts'
import { isRerun, type Run } from '../runner/run.ts'
import {
  type Actor,
  accountToCheck,
  type GitHubEvent,
  isAllowedBot,
  isOfPullRequest,
  isSha,
  type PushedCommit,
  readActor,
} from './event.ts'
import { lineCommentText, requestText, reviewText, textAfterCommand } from './request-text.ts'

/** A command: a comment, or a review that requests changes. Its author's permission is checked later. */
export type Command = {
  readonly kind: 'comment' | 'review'
  /** The comment or the review, and the thread that it is answered in. */
  readonly source: CommentRef
  readonly author: Actor
  /** The text after the command, without what is invisible; may be empty. */
  readonly instructions: string
  /** Whether a new job is wanted even if an earlier one could be continued. */
  readonly fresh: boolean
}

/** What started the run. */
export type Trigger = {
  readonly event: GitHubEvent
  /** `undefined` if the event is not a command. */
  readonly command: Command | undefined
}

/** Reads the command that a new comment starts with; `undefined` if there is none. */
export function readCommand({ row, payload }: GitHubEvent, word: string): Command | undefined {
  const { action, comment, issue, pull_request: pull } = payload
  const kind = row.command
  if (kind === undefined || word === '' || action !== 'created') return undefined
  const number = (pull ?? issue)?.number
  const author = readActor(comment?.user)
  const rest = textAfterCommand(comment?.body ?? '', word)
  if (number == null || comment?.id == null || !author || rest === undefined) return undefined
  const { id, html_url: url } = comment
  const isPull = (pull ?? issue?.pull_request) != null
  const rootId = kind === 'review' ? (comment.in_reply_to_id ?? id) : 0
  const source = { id, url: url ?? '', thread: { kind, number, isPull, rootId } }
  const text = requestText(rest)
  const fresh = /^new(?!\S)/i.test(text)
  const instructions = fresh ? text.slice(3).trim() : text
  return { kind: 'comment', source, author, instructions, fresh }
}

/** Reads a person's review that requests changes on an open docs pull request; `undefined` if the event is none. */
export function readReview(event: GitHubEvent, word: string): Command | undefined {
  const { action, review, pull_request: pull } = event.payload
  const isRequest = action === 'submitted' && review?.state?.toLowerCase() === 'changes_requested'
  if (!isDocsReview(event) || !isRequest || pull?.state !== 'open') return undefined
  const author = readActor(review.user)
  if (!author || author.isBot || review.id == null || pull.number == null) return undefined
  const { id, html_url: url, body } = review
  const source = { id, url: url ?? '', thread: pullRequestThread(pull.number) }
  const instructions = reviewText(body ?? '', word)
  return { kind: 'review', source, author, instructions, fresh: false }
}

/** Whether an event is a review of a docs pull request, or what else happens to one. */
export function isDocsReview({ name, payload }: GitHubEvent): boolean {
  const author = payload.pull_request?.user?.login ?? ''
  return name === 'pull_request_review' && normalizeLogin(author) === 'mintlify'
}

/** What is read of a trigger before anything is done for it. */
export type Origin = {
  /** Why the account that caused it may not start a job; `undefined` if it may. */
  readonly refusal: Lookup<string | undefined>
  /** The account, if it was checked. */
  readonly login: string
  /** Of a push, by commit. */
  readonly mergedPulls: MergedPulls
  /** Of the event's pull request, as they are now. */
  readonly labels: readonly string[]
  /** Of a review that requests changes. */
  readonly lineComments: readonly LineComment[]
}

/** A comment of a review on a line of a file. */
export type LineComment = {
  readonly text: string
  readonly path: string
  /** A number; empty if the comment is about the whole file. */
  readonly line: string
  readonly hunk: string
}

/** Reads who caused an event, and, if they may start a job, the pull requests that decide whether one is needed. */
export async function readOrigin({ event, command }: Trigger, run: Run): Promise<Origin> {
  const actor = command?.author ?? accountToCheck(event, run.environment)
  const refusal = actor === 'trusted' ? NOT_FOUND : await findRefusal(actor, run)
  const login = actor === 'trusted' ? '' : (actor?.login ?? '')
  const origin = { refusal, login, mergedPulls: new Map(), labels: [], lineComments: [] }
  if (!refusal.known || refusal.value !== undefined || run.cancel.aborted) return origin
  if (command?.kind === 'review')
    return { ...origin, lineComments: await readLineComments(command, run) }
  const mergedPulls = await readPullsOfPush(event, run)
  return { ...origin, mergedPulls, labels: await readLabels(event, run) }
}

/**
 * Finds out why an account may not start a job; `undefined` if it may: one of `allow-bots`, or one with
 * `required-permission`. GitHub's answer must be about the same account,
 * because a login can pass on to someone else.
 * Source: GitHub's REST API, "Get repository permissions for a user".
 */
export async function findRefusal(
  actor: Actor | undefined,
  { inputs, github }: Run,
): Promise<Lookup<string | undefined>> {
  const refused = (why: string) => ({ known: true, value: why }) as const
  if (!actor) return refused('the event does not say who caused it')
  if (isAllowedBot(actor, inputs)) return NOT_FOUND
  const { login, id } = actor
  if (id === undefined) return refused(`the event does not give the ID of ${login}`)
  const answer = await github.read<PermissionAnswer>(() =>
    github.call(({ rest }) =>
      rest.repos.getCollaboratorPermissionLevel({ ...github.repository, username: login }),
    ),
  )
  if (!answer.known) {
    const isNone = answer.error.status === 404
    return isNone ? refused(`${login} has no permission on this repository (404)`) : answer
  }
  const { user } = answer.value
  if (user?.id == null) return failedLookup(new GitHubError("GitHub's response names no account"))
  if (user.id !== id) return refused(`the login ${login} now belongs to another account`)
  const level = permissionLevel(answer.value)
  const isEnough = LEVELS.indexOf(level) >= LEVELS.indexOf(inputs['required-permission'])
  return isEnough
    ? NOT_FOUND
    : refused(`${login} has the permission \`${level}\` on this repository`)
}

/** The part of GitHub's answer that shows the level. */
type PermissionAnswer = FromGitHub<{
  /** Only `admin`, `write`, `read`, or `none`. */
  permission: string
  /** One of the five levels, or the name of a role that an organization made. */
  role_name: string
  user: FromGitHub<{ id: number; permissions: Readonly<Record<string, boolean>> }>
}>

const LEVELS = ['none', ...PERMISSION_LEVELS] as const

/** The levels as `user.permissions` names them. */
const GRANTS = {
  read: 'pull',
  triage: 'triage',
  write: 'push',
  maintain: 'maintain',
  admin: 'admin',
}

/** Reads the level: that of a role that an organization made is what the role grants. */
function permissionLevel({ permission, role_name: role, user }: PermissionAnswer) {
  const named = (name: Maybe<string>) => PERMISSION_LEVELS.find((level) => level === name)
  const granted = user?.permissions
  const unnamed = granted
    ? PERMISSION_LEVELS.findLast((level) => granted[GRANTS[level]])
    : named(permission)
  return named(role) ?? unnamed ?? 'none'
}

/** Reads the comments of a review that ask for something; none if they can't be read. */
async function readLineComments(
  { source: { id, thread } }: Command,
  { github, inputs }: Run,
): Promise<readonly LineComment[]> {
  const call = {
    purpose: 'read the comments of the review',
    permission: 'pull-requests: read',
    effect: 'the agent does not get the comments on lines',
  }
  const path = `${github.path}/pulls/${thread.number}/reviews/${id}/comments`
  const listed = await github.attempt(call, () => github.list<Comment>(path))
  const comments = listed.known ? listed.value : []
  return comments.flatMap((comment) => {
    const { body, path: file, line, original_line: original, diff_hunk: hunk } = comment
    const text = lineCommentText(body ?? '', inputs.command)
    const at = line ?? original ?? lastLineOf(hunk ?? '')
    return text === '' ? [] : [{ text, path: file ?? '', line: `${at ?? ''}`, hunk: hunk ?? '' }]
  })
}

/** Returns the number of a hunk's last line, which its comment is on: GitHub's list of a review has none. */
function lastLineOf(hunk: string): number | undefined {
  const [head = '', ...lines] = hunk.split('\n')
  const side = lines.at(-1)?.startsWith('-') ? '-' : '+'
  const [, start] = new RegExp(`\\${side}(\\d+)`).exec(head) ?? []
  const shown = lines.filter((line) => line.startsWith(' ') || line.startsWith(side))
  return start === undefined ? undefined : Number(start) + shown.length - 1
}

/** A push of more commits than this is treated as people's. */
const MAX_COMMITS = 100

/** Reads the merged pull requests of a push's newest commits, if they decide something or the context shows them. */
async function readPullsOfPush(event: GitHubEvent, { inputs, github }: Run): Promise<MergedPulls> {
  const withText = hasPrompt(inputs)
  const isNeeded =
    event.row.subject === 'push' && (withText || guardedCommits(event, inputs).length > 0)
  if (!isNeeded) return new Map()
  const commits = originsOf(event.payload.commits).filter(({ sha }) => isSha(sha))
  const lost = 'the agent does not know which pull requests the commits came in'
  const effect = withText && inputs.context !== 'none' ? lost : ''
  const note = "Commits of unknown origin are treated as a person's."
  const some = commits.slice(-MAX_COMMITS)
  return await readMergedPulls(some, { withText, level: 'warning', effect, note }, github)
}

/** Returns the commits of a push that may all be the agent's own: at most 100, to a branch that existed before. */
export function guardedCommits(
  { row, payload }: GitHubEvent,
  inputs: Inputs,
): readonly CommitOrigin[] {
  const { ref, created, commits } = payload
  const isToBranch =
    row.subject === 'push' && ref?.startsWith('refs/heads/') === true && created !== true
  const origins = isToBranch && !isWaitOnly(inputs) ? originsOf(commits) : []
  return origins.length <= MAX_COMMITS ? origins : []
}

function originsOf(commits: Maybe<readonly PushedCommit[]>): readonly CommitOrigin[] {
  return (commits ?? []).map(({ id, message, author }) => ({
    sha: id ?? '',
    message: message ?? '',
    user: { login: author?.username },
    email: author?.email,
  }))
}

/** Reads the labels of the event's pull request. A re-run has the payload of its first attempt. */
async function readLabels(
  event: GitHubEvent,
  { inputs, environment, github }: Run,
): Promise<readonly string[]> {
  const { pull_request: pull } = event.payload
  if (!isOfPullRequest(event) || !isRerun(environment) || !heedsLabels(inputs))
    return labelsOf(pull)
  const call = {
    purpose: 'read the labels of the pull request',
    permission: 'pull-requests: read',
    level: 'warning',
    effect: 'its labels at the time of the event decide whether the run is skipped',
  } as const
  const request = { ...github.repository, pull_number: pull?.number ?? 0 }
  const now = await github.attempt(call, () =>
    github.call<PullRequest>(({ rest }) => rest.pulls.get(request)),
  )
  return labelsOf(now.known ? now.value : pull)
}

/** Whether labels can make a run unnecessary: a message to a given job and a report are wanted whatever they are. */
export function heedsLabels(inputs: Inputs): boolean {
  const isNewJob = inputs['job-id'] === '' && hasPrompt(inputs)
  return isNewJob && inputs['skip-labels'].length > 0
}

export function labelsOf(pull: Maybe<PullRequest>): readonly string[] {
  return (pull?.labels ?? []).map(({ name }) => name ?? '')
}

/** Finds the first label that says that a pull request doesn't need docs. */
export function findSkipLabel(labels: readonly string[], inputs: Inputs): string | undefined {
  const skipped = inputs['skip-labels'].map((label) => label.toLowerCase())
  return labels.find((label) => skipped.includes(label.toLowerCase()))
}

/**
 * Finds out why a schedule doesn't start a job (`skip-unchanged`): the branch has only the agent's own commits since the step's
 * last job. A commit of unknown origin is treated as a person's.
 */
export async function findUnchanged(
  { name }: GitHubEvent,
  lastJob: Lookup<{ readonly sha: string } | undefined>,
  { inputs, environment, github, log }: Run,
): Promise<string | undefined> {
  const base = lastJob.known ? lastJob.value?.sha : undefined
  if (!inputs['skip-unchanged'] || name !== 'schedule' || base === undefined) return undefined
  const reason = `this branch has no commits except the agent's own since this step's last job (on ${base.slice(0, 7)})`
  if (base === environment.sha) return reason
  const call = {
    purpose: "compare with the commit of this step's last job",
    permission: 'contents: read',
    effect: '`skip-unchanged` has no effect',
  }
  const compared = await github.attempt(call, () =>
    requestComparison(base, environment.sha, github),
  )
  if (!compared.known || compared.value.status !== 'ahead') return undefined
  const { commits, total_commits: total } = compared.value
  const origins = (commits ?? []).map(({ sha, commit, author }) => ({
    sha: sha ?? '',
    message: commit?.message ?? '',
    user: author,
    email: commit?.author?.email,
  }))
  const others = origins.filter((one) => ownAuthor(one, inputs) === undefined)
  const merged = await readMergedPulls(others, { level: 'notice' }, github)
  if (others.some((one) => ownAuthor(one, inputs, merged) === undefined)) return undefined
  if (origins.length >= (total ?? 0)) return reason
  log.notice(
    `\`skip-unchanged\` has no effect, because GitHub lists only ${origins.length} of the ${total} commits since this step's last job.`,
    '`skip-unchanged` has no effect',
  )
  return undefined
}

/** Returns which of `ignore-authors` wrote a commit, or opened a merged pull request that it came in. */
export function ownAuthor(
  commit: GitActor & { readonly sha?: string },
  inputs: Pick<Inputs, 'ignore-authors'>,
  mergedPulls: MergedPulls = new Map(),
): string | undefined {
  const pulls = mergedPulls.get(commit.sha ?? '') ?? []
  return ignoredAuthor([authorLogin(commit), ...pulls.map(({ author }) => author?.login)], inputs)
}

/** Returns the first of `ignore-authors` that has one of these logins. */
export function ignoredAuthor(
  logins: readonly Maybe<string>[],
  inputs: Pick<Inputs, 'ignore-authors'>,
): string | undefined {
  const plain = logins.map((login) => normalizeLogin(login ?? ''))
  return inputs['ignore-authors'].find((author) => plain.includes(normalizeLogin(author)))
}
/** Mintlify's agent also commits with this address, which belongs to no account on GitHub. */
const AGENT_EMAIL = 'agent@mintlify.com'

/** Returns the login of a commit's author; GitHub may only know the address that it gave the account. */
function authorLogin({ user, email }: GitActor): string | undefined {
  const address = email?.toLowerCase()
  const ofEmail = address?.match(/^(?:\d+\+)?([^@]+)@users\.noreply\./)?.[1]
  return user?.login ?? (address === AGENT_EMAIL ? 'mintlify' : ofEmail)
}
