import { failedLookup, GitHubError, type Lookup, NOT_FOUND } from '../github/client.ts'
import { type CommentRef, react, type Thread } from '../github/comments.ts'
import type { MergedPulls } from '../github/pull-requests.ts'
import type { FromGitHub, Maybe, User } from '../github/types.ts'
import { hasPrompt, hasReport, type Inputs, PERMISSION_LEVELS } from '../inputs/table.ts'
import { inBackticks, visibleText } from '../lib/text.ts'
import type { Environment } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import {
  type Actor,
  eventRow,
  type GitHubEvent,
  isAllowedBot,
  isFromFork,
  isOfPullRequest,
  isRepository,
  readActor,
} from './event-table.ts'
import { isWaitOnly, loadMergedPulls, whyNoJobIsNeeded } from './loop-guard.ts'

/** What started a run that is to do something. */
export type Trigger = {
  readonly event: GitHubEvent
  /** The command that requests it, if one does. */
  readonly command: Command | undefined
}

/** Why a run does nothing. */
export type Skip = {
  readonly kind: 'skip'
  /** A sentence. */
  readonly reason: string
  readonly level: 'info' | 'notice' | 'warning'
}

export function skip(level: Skip['level'], reason: string): Skip {
  return { kind: 'skip', level, reason: `Skipped: ${reason}.` }
}

/** A command in a comment. Whether its author may give one is another question. */
export type Command = {
  readonly source: CommentRef
  readonly author: Actor
  /** What follows the command, without what is invisible; may be empty. */
  readonly instructions: string
  /** Whether a new job is wanted even where an earlier one could be continued. */
  readonly fresh: boolean
}

/** Whether a run may write comments and reactions. */
export function canWriteComments(inputs: Inputs): boolean {
  return inputs.comment !== 'never' && !inputs['dry-run']
}

/** Decides by the payload and the inputs alone whether a run is to do something. Sends nothing. */
export function readTrigger(
  event: GitHubEvent,
  inputs: Inputs,
  environment: Environment,
): Skip | Trigger {
  if (event.payloadProblem !== undefined && event.row.causedBy !== 'writer') {
    return skip('notice', "the event's payload could not be read, so it is not known who caused it")
  }
  const command = readCommand(event, inputs.command)
  const nothing = whyNoCommand(event, command, inputs) ?? whyNothingToDocument(event, inputs)
  if (nothing !== undefined) return skip('info', nothing)
  const reason =
    whyNothingIsRequested(event, inputs) ??
    // Judged again by `decide`, with the pull requests that the commits came in.
    whyNoJobIsNeeded(event, inputs, new Map()) ??
    whyWithoutKey(event, inputs, environment)
  return reason === undefined ? { event, command } : skip('notice', reason)
}

/** Why a comment, on an event where comments may be commands, is none that counts. */
function whyNoCommand(
  { row, payload }: GitHubEvent,
  command: Command | undefined,
  inputs: Inputs,
): string | undefined {
  if (row.command === undefined || inputs.command === '') return undefined
  if (payload.action !== 'created') return `the comment is not new (\`${payload.action}\`)`
  if (command === undefined)
    return `the comment does not start with ${inputs.command} as a word in plain text`
  const { author } = command
  const isRefused = author.isBot && !isAllowedBot(author, inputs)
  return isRefused ? `${author.login} is a bot that \`allow-bots\` does not list` : undefined
}

function whyNothingToDocument(event: GitHubEvent, inputs: Inputs): string | undefined {
  const { action, deleted, ref, pull_request: pull } = event.payload
  if (isWaitOnly(inputs)) return undefined
  if (event.row.subject === 'push' && deleted === true)
    return `this push deletes ${inBackticks(ref ?? '')}`
  const isClosed = isOfPullRequest(event) && action === 'closed' && pull?.merged !== true
  return isClosed ? 'this pull request was closed without a merge' : undefined
}

/** Why people's text that is no comment requests nothing: the inputs would have to. */
function whyNothingIsRequested({ row }: GitHubEvent, inputs: Inputs): string | undefined {
  const isRequested = hasPrompt(inputs) || inputs['job-id'] !== '' || hasReport(inputs)
  if (!row.isOtherText || isRequested || inputs.command === '') return undefined
  return 'the inputs request nothing, and commands count only in comments on an issue or pull request, or on a line of one'
}

/**
 * Why a run has no key, and what works instead, where GitHub gives it no secrets: a fork's push has none of the
 * repository that the fork was made from.
 * Source: GitHub's documentation, "Events that trigger workflows", "Dependabot on GitHub Actions".
 */
function whyWithoutKey(
  { name, row, payload }: GitHubEvent,
  inputs: Inputs,
  { actor, repository, inputs: given }: Environment,
): string | undefined {
  // One that is wrong is no missing one.
  if (given.get('api-key')?.trim() || inputs['dry-run']) return undefined
  // `pull_request_target` runs with the base repository's secrets.
  const isPull = row.subject === 'pull-request' && name !== 'pull_request_target'
  const isFork = isPull
    ? isFromFork(payload.pull_request, repository)
    : row.subject === 'push' && payload.repository?.fork === true
  const isDependabot = [actor, payload.sender?.login].includes('dependabot[bot]')
  if (!isFork && !isDependabot) return undefined
  const whom = isDependabot ? 'Dependabot, which has secrets of its own' : 'runs of forks'
  const ways = [
    ...(isDependabot ? ['set one'] : isPull ? [] : ['set one in this fork']),
    ...(inputs.command === ''
      ? []
      : [`comment with ${inputs.command} in the main thread of the pull request`]),
    'start the job after the merge, on `push`',
  ]
  return `\`api-key\` is empty, as GitHub gives no secrets to ${whom}: ${ways.join(', or ')}`
}

/** Reads the command with which a new comment begins; `undefined` if it is not new, or begins otherwise. */
export function readCommand({ row, payload }: GitHubEvent, word: string): Command | undefined {
  const { action, comment, issue, pull_request: pull } = payload
  if (row.command === undefined || word === '' || action !== 'created') return undefined
  const { id, html_url: url, in_reply_to_id: repliesTo } = comment ?? {}
  const number = (pull ?? issue)?.number
  const author = readActor(comment?.user)
  const rest = textAfterCommand(comment?.body ?? '', word)
  if (number == null || id == null || author === undefined || rest === undefined) return undefined
  const isPull = (pull ?? issue?.pull_request) != null
  const rootId = row.command === 'review' ? (repliesTo ?? id) : 0
  const thread: Thread = { kind: row.command, number, isPull, rootId }
  const source = { id, url: url ?? '', thread }
  const text = visibleText(withoutHidden(rest)).trim()
  const afterNew = afterWord(text, 'new')
  return { source, author, instructions: afterNew?.trim() ?? text, fresh: afterNew !== undefined }
}

/**
 * Text without the HTML comments that GitHub hides: not those in a code span, nor one that never closes, unless a line
 * starts with it.
 */
function withoutHidden(rest: string): string {
  const hidden =
    /(?<![\\`])(`+)(?!`)[^\n]{0,1000}?[^`\n]\1(?!`)|<!--(?:>|->|[\s\S]*?-->)|(?<=\n {0,3})<!--[\s\S]*/g
  return rest.replace(hidden, (found, codeSpan) => (codeSpan === undefined ? '' : found))
}

/**
 * What a text says after the command; `undefined` if it does not begin with it. Quotes and HTML comments before it are
 * passed over; of what follows, the first line alone is judged.
 */
function textAfterCommand(text: string, word: string): string | undefined {
  const lines = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  // Never tries a line twice: anyone may write 64 KiB of anything.
  const passedOver = /^(?:[^\S\n]*\n| {0,3}>[^\n]*\n?| {0,3}<!--(?:>|->|[\s\S]*?-->))* {0,3}/
  return afterWord(lines.replace(passedOver, ''), word)
}

/** What follows a word that a text begins with, in any case, if white space or the end does. */
function afterWord(text: string, word: string): string | undefined {
  const rest = text.slice(word.length)
  const begins = text.slice(0, word.length).toLowerCase() === word.toLowerCase()
  return begins && /^(?:\s|$)/.test(rest) ? rest : undefined
}

/** Whether a run may do what it was asked. */
type Decision =
  | Skip
  /** A command without instructions, which is answered with how to use it. */
  | { readonly kind: 'no-instructions'; readonly skip: Skip }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'go'; readonly mergedPulls: MergedPulls }

/**
 * Checks the permission of the account that caused the run, where the event needs one, and whether a push needs no job.
 * Hands on the merged pull requests of a push, which the context tells as well.
 */
export async function decide(trigger: Trigger, run: Run): Promise<Decision> {
  const { event, command } = trigger
  const { inputs, cancel } = run
  const refusal = await authorize(trigger, run)
  if (cancel.aborted) return { kind: 'cancelled' }
  if (refusal !== undefined) return refusal
  // With `job-id`, a bare command waits for that job.
  if (command?.instructions === '' && !hasPrompt(inputs) && inputs['job-id'] === '') {
    const reason = `${inputs.command} comes without instructions, and there is no \`prompt\``
    return { kind: 'no-instructions', skip: skip('notice', reason) }
  }
  const mergedPulls = await loadMergedPulls(event, run)
  if (cancel.aborted) return { kind: 'cancelled' }
  const reason = whyNoJobIsNeeded(event, inputs, mergedPulls)
  return reason === undefined ? { kind: 'go', mergedPulls } : skip('notice', reason)
}

/**
 * Checks the permission of the account that caused the run, where the event needs one. Where it is refused or unknown, a
 * command gets a reaction, and no comment.
 *
 * @returns why the run may do nothing; `undefined` if it may
 */
async function authorize({ event, command }: Trigger, run: Run): Promise<Skip | undefined> {
  const { inputs, github, environment, cancel } = run
  if (command === undefined && isTrusted(event, environment)) return undefined
  const { sender, workflow_run: before } = event.payload
  const actor =
    command?.author ??
    readActor(before?.event === 'pull_request' ? before.triggering_actor : sender)
  const refusal = await findRefusal(actor, run)
  if (refusal.known && refusal.value === undefined) return undefined
  const error = refusal.known ? undefined : refusal.error
  const isTokenRefused = inputs['github-token'] === '' || error?.status === 401
  if (command !== undefined && canWriteComments(inputs) && !isTokenRefused && !cancel.aborted) {
    await react(github, command.source, refusal.known ? '-1' : 'confused')
  }
  if (refusal.known) {
    const what = command ? `the command ${inputs.command}` : `a run on this \`${event.name}\` event`
    const needs = `needs \`${inputs['required-permission']}\` (\`required-permission\`)`
    return skip('notice', `${refusal.value}, and ${what} ${needs}`)
  }
  const again = command ? 'repeat the command' : 're-run this job'
  const advice =
    isTokenRefused || error?.kind === 'permission'
      ? `Correct \`github-token\`, then ${again}`
      : `To try again, ${again} later`
  return skip(
    'warning',
    `failed to read the permission of ${actor?.login}: ${refusal.why}. ${advice}`,
  )
}

/** Whether an event can only be caused by someone with write permission. */
function isTrusted({ row, payload }: GitHubEvent, { repository }: Environment): boolean {
  if (row.causedBy === 'pull-request') {
    const { action, pull_request: pull, sender } = payload
    const byWriter =
      action === 'synchronize' ||
      (action === 'closed' && pull?.merged === true) ||
      sender?.type === 'Bot'
    return byWriter && !isFromFork(pull, repository)
  }
  if (row.causedBy === 'workflow-run') {
    const { event, head_repository: head } = payload.workflow_run ?? {}
    return isRepository(head, repository) && !!event && eventRow(event).causedBy === 'writer'
  }
  return row.causedBy === 'writer'
}

/** Whether an account of GitHub's may ask for jobs: one of `allow-bots`, or one with the required permission. */
export async function canStartJob(user: Maybe<User>, run: Run): Promise<Lookup<boolean>> {
  const refusal = await findRefusal(readActor(user), run)
  return refusal.known ? { known: true, value: refusal.value === undefined } : refusal
}

/**
 * Why someone may not ask; `undefined` if they may. GitHub's answer must be about the same account: a login can pass on
 * to someone else.
 * Source: GitHub's REST API, "Get repository permissions for a user".
 */
async function findRefusal(
  actor: Actor | undefined,
  { inputs, github }: Run,
): Promise<Lookup<string | undefined>> {
  const refused = (why: string) => ({ known: true, value: why }) as const
  if (actor === undefined) return refused('the event does not say who caused it')
  if (isAllowedBot(actor, inputs)) return NOT_FOUND
  const { login, id } = actor
  if (id === undefined) return refused(`the event does not give the id of ${login}`)
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
  /** Knows three levels only: `admin`, `write`, `read`, or `none`. */
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

/** The level in an answer: a role that an organization made is what it grants. */
function permissionLevel({
  permission,
  role_name: role,
  user,
}: PermissionAnswer): (typeof LEVELS)[number] {
  const named = (name: Maybe<string>) => PERMISSION_LEVELS.find((level) => level === name)
  const granted = user?.permissions
  const unnamed = granted
    ? PERMISSION_LEVELS.findLast((level) => granted[GRANTS[level]] === true)
    : named(permission)
  return named(role) ?? unnamed ?? 'none'
}
