import { type FromGitHub, type GitHub, type Maybe, normalizeLogin } from '../github/client.ts'
import {
  failedLookup,
  GitHubError,
  type Lookup,
  NeededCallError,
  NOT_FOUND,
} from '../github/github-errors.ts'
import {
  COMMENTS_A_PAGE,
  type Comment,
  type CommentRef,
  type GitActor,
  type PullRequest,
  pullRequestThread,
  readVisible,
} from '../github/pull-requests.ts'
import { hasPrompt, type Inputs, PERMISSION_LEVELS } from '../inputs/table.ts'
import { includesName } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'
import { type Actor, accountToCheck, type GitHubEvent, isAllowedBot, readActor } from './event.ts'
import { lineCommentText, requestText, reviewText, textAfterCommand } from './request-text.ts'

/** A command: a comment, or a review that requests changes. Its author's permission is checked later. */
export type Command = {
  readonly kind: 'comment' | 'review'
  /** The comment or the review, and the thread that it is answered in. */
  readonly source: CommentRef
  readonly author: Actor
  /** The visible text after the command; may be empty. */
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

/** Whether an event is about a review of a docs pull request: a new, edited, or dismissed one. */
export function isDocsReview({ name, payload }: GitHubEvent): boolean {
  const author = payload.pull_request?.user?.login ?? ''
  return name === 'pull_request_review' && normalizeLogin(author) === 'mintlify'
}

/** A comment of a review on a line of a file. */
export type LineComment = {
  readonly text: string
  readonly path: string
  /** `24`, or `21 to 24`; empty if the comment is about the whole file. */
  readonly lines: string
  readonly hunk: string
  /** The comment that it answers, with its author; empty if it answers none. */
  readonly answered: string
}

/** Whether the account that caused an event may start a job. */
export type Permission = {
  /** Why it may not; `undefined` if it may. */
  readonly refusal: Lookup<string | undefined>
  /** The account, if it was checked. */
  readonly login: string
}

/** There is no reason to refuse. */
export const PERMITTED = NOT_FOUND

/**
 * Reads whether the account that caused an event may start a job.
 *
 * @throws {NeededCallError} except for a command, whose failure is a value
 */
export async function readPermission({ event, command }: Trigger, run: Run): Promise<Permission> {
  const actor = command?.author ?? accountToCheck(event, run.environment)
  if (actor === 'trusted') return { refusal: PERMITTED, login: '' }
  const login = actor?.login ?? ''
  try {
    return { refusal: await findRefusal(actor, run), login }
  } catch (error) {
    if (command?.kind !== 'comment' || !(error instanceof NeededCallError)) throw error
    return { refusal: failedLookup(error.cause), login }
  }
}

/**
 * Finds out why an account may not start a job; `undefined` if it may: one of `allow-bots`, or one with
 * `required-permission`. GitHub's answer must be about the same account, because a login can pass on to someone else.
 * Source: GitHub's REST API, "Get repository permissions for a user".
 */
async function findRefusal(
  actor: Actor | undefined,
  { inputs, github }: Run,
): Promise<Lookup<string | undefined>> {
  const refused = (why: string) => ({ known: true, value: why }) as const
  if (!actor) return refused('the event does not name the account that caused it')
  if (isAllowedBot(actor, inputs)) return PERMITTED
  const { login, id } = actor
  if (id === undefined) return refused(`the event does not give the ID of ${login}`)
  const call = { purpose: `read the permission of ${login}`, permission: 'metadata: read' }
  const answer = await github.need(call, () => askForLevel(login, github))
  if (answer === undefined) return refused(`${login} has no permission on this repository (404)`)
  if (answer.user?.id !== id) return refused(`the login ${login} now belongs to another account`)
  const level = permissionLevel(answer)
  const isEnough = LEVELS.indexOf(level) >= LEVELS.indexOf(inputs['required-permission'])
  return isEnough
    ? PERMITTED
    : refused(`${login} has the permission \`${level}\` on this repository`)
}

/** Asks GitHub for the permission of an account; `undefined` if it has none. */
async function askForLevel(login: string, github: GitHub): Promise<PermissionAnswer | undefined> {
  const asked = await github.attempt<PermissionAnswer>(() =>
    github.call(({ rest }) =>
      rest.repos.getCollaboratorPermissionLevel({ ...github.repository, username: login }),
    ),
  )
  if (!asked.known) {
    if (asked.error.status === 404) return undefined
    throw asked.error
  }
  if (asked.value.user?.id == null) throw new GitHubError("GitHub's response names no account")
  return asked.value
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

/** Reads the level: a role that an organization made has the level that it grants. */
function permissionLevel({ permission, role_name: role, user }: PermissionAnswer) {
  const named = (name: Maybe<string>) => PERMISSION_LEVELS.find((level) => level === name)
  const granted = user?.permissions
  const unnamed = granted
    ? PERMISSION_LEVELS.findLast((level) => granted[GRANTS[level]])
    : named(permission)
  return named(role) ?? unnamed ?? 'none'
}

/** Reads the comments of a review that contain a request. @throws {NeededCallError} */
export async function readLineComments(
  { source: { id, thread } }: Command,
  { github, inputs }: Run,
): Promise<readonly LineComment[]> {
  const call = { purpose: 'read the comments of the review', permission: 'pull-requests: read' }
  // The review's own list has no lines.
  const path = `${github.path}/pulls/${thread.number}/comments`
  const all = await github.need(call, () => github.list<Comment>(path, Infinity, COMMENTS_A_PAGE))
  const own = all.filter((one) => one.pull_request_review_id === id)
  const hasAnswer = own.some((one) => one.in_reply_to_id != null)
  const visible = hasAnswer ? await readVisible({ ...thread, kind: 'review' }, github) : undefined
  return own.flatMap((comment) => {
    const { body, path: file, diff_hunk: hunk, in_reply_to_id: answeredId } = comment
    const text = lineCommentText(body ?? '', inputs.command)
    if (text === '') return []
    const isAnswered = (one: Comment) =>
      one.id === answeredId && (visible?.has(one.id ?? 0) ?? true)
    const parent = all.find(isAnswered)
    const answered = parent ? `${parent.user?.login ?? 'ghost'}: ${parent.body ?? ''}` : ''
    const lines = linesOf(comment)
    return [{ text, path: file ?? '', lines, hunk: hunk ?? '', answered }]
  })
}

/** Names the place of a comment: `src/a.ts, lines 3 to 7`. */
export function placeOf(path: string, lines: string): string {
  return lines === '' ? path : `${path}, ${lines.includes(' ') ? 'lines' : 'line'} ${lines}`
}

/** Names the lines that a comment is about, in the version that it was written on if they have changed since. */
export function linesOf(comment: Comment): string {
  const { line, start_line: start } = comment
  const { original_line: oldLine, original_start_line: oldStart } = comment
  const [from, to] = line == null ? [oldStart, oldLine] : [start, line]
  if (to == null) return ''
  return from == null || from === to ? `${to}` : `${from} to ${to}`
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
export function findSkipLabel(
  labels: readonly string[],
  inputs: Pick<Inputs, 'skip-labels'>,
): string | undefined {
  return labels.find((label) => includesName(inputs['skip-labels'], label))
}

/** Returns which of `ignore-authors` wrote a commit. */
export function ownAuthor(
  commit: GitActor,
  inputs: Pick<Inputs, 'ignore-authors'>,
): string | undefined {
  return ignoredAuthor([authorLogin(commit)], inputs)
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
