import type { Maybe } from '../github/client.ts'
import { hasPrompt, hasReport, type Inputs, isWaitOnly } from '../inputs/table.ts'
import { inBackticks, includesName, joinSentences } from '../lib/text.ts'
import { type GitHubEvent, isAllowedBot, isFromFork, isOfPullRequest } from '../look/event.ts'
import {
  type Command,
  findSkipLabel,
  heedsLabels,
  ignoredAuthor,
  isDocsReview,
  labelsOf,
  type Permission,
  readCommand,
  readReview,
  type Trigger,
} from '../look/trigger.ts'
import { type Environment, isRerun, type Run } from '../runner/run.ts'

/** Why a run is skipped. */
export type Skip = {
  readonly kind: 'skip'
  readonly level: 'info' | 'notice' | 'warning'
  /** Of the annotation. */
  readonly title: string
  /** A clause: `the pull request was closed without being merged`; with a link, what its pull request is. */
  readonly reason: string
  /** The other ways to get docs, as sentences. */
  readonly advice?: string
  /** URL of the docs pull request that the run would have updated. */
  readonly prLink?: string
  /** Whether the changes were looked at and don't need docs: the next run is compared with this commit. */
  readonly isSettled?: boolean
  /** How a command is answered: with a reaction, with how to use it, or with the reason. */
  readonly answer?: '-1' | 'confused' | 'usage' | 'reason' | undefined
}

export function skip(
  level: Skip['level'],
  reason: string,
  title = 'Nothing to do',
  more: Pick<Skip, 'advice' | 'prLink' | 'answer' | 'isSettled'> = {},
): Skip {
  return { kind: 'skip', level, title, reason, ...more }
}

/** Reads the trigger, or decides by the payload and the inputs alone to skip the run. */
export function readTrigger(
  event: GitHubEvent,
  inputs: Inputs,
  environment: Environment,
): Skip | Trigger {
  if (event.payloadProblem && event.row.causedBy !== 'writer') {
    const reason = `the event's payload could not be read (${event.payloadProblem}), so the account that caused it is unknown`
    const advice = 'The cause is the runner, so re-run this job.'
    return skip('notice', reason, "The event's payload could not be read", { advice })
  }
  const command = readCommand(event, inputs.command) ?? readReview(event, inputs.command)
  const nothing = whyNothingToDocument(event, inputs)
  return (
    skipNoCommand(event, command, inputs) ??
    (nothing ? skip('info', nothing) : undefined) ??
    (command ? undefined : skipWithoutRequest(event, inputs)) ??
    skipWithoutKey(event, inputs, environment) ?? { event, command }
  )
}

/** Skips a comment or review that can't start a job, where comments are commands. */
function skipNoCommand(
  event: GitHubEvent,
  command: Command | undefined,
  inputs: Inputs,
): Skip | undefined {
  const { row, payload } = event
  if (isDocsReview(event) && !command) {
    const advice =
      'The agent gets reviews in which a person requests changes on an open docs pull request.'
    return skip('info', "this review isn't for the agent", 'Nothing to do', { advice })
  }
  if (row.command === undefined || inputs.command === '') return undefined
  if (payload.action !== 'created')
    return skip('info', `only a new comment is a command, and this one was \`${payload.action}\``)
  if (!command)
    return skip('info', `the comment doesn't start with ${inputs.command} as a word in plain text`)
  const { login, isBot } = command.author
  if (!isBot || isAllowedBot(command.author, inputs)) return undefined
  const withSuffix = inputs['allow-bots'].map((allowed) => `${allowed}[bot]`)
  const isMeant = includesName(withSuffix, login)
  const reason = `${login} is a bot that isn't in \`allow-bots\``
  return isMeant
    ? skip('notice', reason, '`allow-bots` has no `[bot]` after a login', {
        advice: `To allow it, write \`${login}\` in \`allow-bots\`.`,
      })
    : skip('info', reason)
}

/** A branch that GitHub's merge queue tries a merge on, which may never happen. */
const MERGE_QUEUE = /^(?:refs\/heads\/)?gh-readonly-queue\//

function whyNothingToDocument(event: GitHubEvent, inputs: Inputs): string | undefined {
  const { name, row, payload } = event
  const { action, deleted, ref, pull_request: pull, workflow_run: followed } = payload
  if (isWaitOnly(inputs)) return undefined
  if (name === 'workflow_run') {
    const { conclusion = '', name: workflow } = followed ?? {}
    const isOver = action === 'completed' && /^(?:success|failure)$/.test(conclusion ?? '')
    if (!isOver)
      return `the workflow run of ${workflow ?? 'the other workflow'} is \`${action === 'completed' ? conclusion : action}\``
  }
  if (row.subject === 'push' && deleted) return `this push deletes ${inBackticks(ref ?? '')}`
  if (isOfPullRequest(event) && action === 'closed' && !pull?.merged)
    return 'the pull request was closed without being merged'
  if (name === 'release' && (action === 'deleted' || action === 'unpublished'))
    return `the release was ${action}`
  const state = payload.deployment_status?.state ?? 'success'
  if (state !== 'success') return `the deployment is in the state ${inBackticks(state)}`
  const isQueue = name === 'merge_group' || MERGE_QUEUE.test(ref ?? followed?.head_branch ?? '')
  return isQueue ? 'the changes are in the merge queue, and may never be merged' : undefined
}

/** Skips people's texts that can't be commands, unless the inputs request a job or a report. */
function skipWithoutRequest({ name, row }: GitHubEvent, inputs: Inputs): Skip | undefined {
  const isRequested = hasPrompt(inputs) || inputs['job-id'] !== '' || hasReport(inputs)
  if (!row.isOtherText || isRequested || inputs.command === '') return undefined
  const reason = `the event \`${name}\` isn't a command, and the inputs request nothing`
  const advice = `Comment \`${inputs.command} …\` on an issue or pull request. To start a job for each such event, set \`prompt\`.`
  return skip('notice', reason, 'This event is not a command', { advice })
}

/**
 * Skips the job of an event that the work of `ignore-authors` caused, and of pull requests by them or with one of
 * `skip-labels`.
 */
export function skipUnneeded(
  { event, command }: Trigger,
  labels: readonly string[],
  inputs: Inputs,
): Skip | undefined {
  if (command || isWaitOnly(inputs)) return undefined
  const looping = unneededReason([loopingLogin(event)], [], inputs)
  if (looping) return unneeded(`this event was caused ${looping}`)
  if (!isOfPullRequest(event)) return undefined
  const byAuthor = unneededReason([event.payload.pull_request?.user?.login], [], inputs)
  if (byAuthor) return unneeded(`this pull request is ${byAuthor}`)
  const labeled = unneededReason([], labels, inputs)
  const advice = 'To start a job anyway, remove the label and re-run this job.'
  return labeled ? { ...unneeded(`this pull request is ${labeled}`), advice } : undefined
}

/** Skips the job by the payload alone. That of a re-run has old labels, so `decideNothing` judges those of now. */
export function skipByPayload(
  trigger: Trigger,
  { inputs, environment }: Pick<Run, 'inputs' | 'environment'>,
): Skip | undefined {
  const labels = isRerun(environment) ? [] : labelsOf(trigger.event.payload.pull_request)
  return skipUnneeded(trigger, labels, inputs)
}

/** Returns why the work of accounts, or of a pull request with labels, doesn't need docs. */
export function unneededReason(
  logins: readonly Maybe<string>[],
  labels: readonly string[],
  inputs: Inputs,
): string | undefined {
  const author = ignoredAuthor(logins, inputs)
  if (author) return `by ${author} (\`ignore-authors\`)`
  const label = heedsLabels(inputs) && findSkipLabel(labels, inputs)
  return label ? `labeled ${inBackticks(label)} (\`skip-labels\`)` : undefined
}

export function unneeded(reason: string): Skip {
  return skip('notice', reason, "These changes don't need docs")
}

/** Returns the account behind an event that would start the next one if the agent's work started a job. */
function loopingLogin({ name, payload }: GitHubEvent): Maybe<string> {
  const { created, ref, ref_type: refType, sender, workflow_run: followed } = payload
  if (name === 'workflow_run') return followed?.actor?.login
  const isTag = refType === 'tag' || ref?.startsWith('refs/tags/') === true
  const isOfSender =
    name === 'push'
      ? created === true
      : /^(?:create|delete|deployment|deployment_status)$/.test(name)
  return isOfSender && !isTag ? sender?.login : undefined
}

/**
 * Skips runs without an API key on events that GitHub passes no secrets to, and lists other ways. A push in a fork
 * has none of the original repository's.
 * Source: GitHub's documentation, "Events that trigger workflows", "Dependabot on GitHub Actions".
 */
function skipWithoutKey(
  { name, row, payload }: GitHubEvent,
  inputs: Inputs,
  { actor, repository, inputs: given }: Environment,
): Skip | undefined {
  // A wrong key is not a missing one.
  if (given.get('api-key')?.trim() || inputs['dry-run']) return undefined
  // `pull_request_target` runs with the base repository's secrets.
  const isPull = row.subject === 'pull-request' && name !== 'pull_request_target'
  const isFork = isPull
    ? isFromFork(payload.pull_request, repository)
    : row.subject === 'push' && payload.repository?.fork === true
  const isDependabot = [actor, payload.sender?.login].includes('dependabot[bot]')
  if (!isFork && !isDependabot) return undefined
  const { command } = inputs
  const ways = [
    isDependabot ? 'save the key as a Dependabot secret' : '',
    isDependabot || isPull ? '' : "save a key in this fork's secrets",
    command && `comment ${inBackticks(`${command} …`)} in the main thread of the pull request`,
    'start the job after the merge, on `push`',
  ].filter((way) => way !== '')
  const whose = isDependabot ? 'by Dependabot' : 'from forks'
  const advice = `To get docs anyway, ${ways.join(', or ')}.`
  const reason = `\`api-key\` is empty, because GitHub passes no Actions secrets to runs ${whose}`
  return skip('notice', reason, `No API key for runs ${whose}`, { advice })
}

/** Decides by the permission whether the run is skipped. Only that of a command can be unknown: otherwise the run fails. */
export function decidePermission(
  { event, command }: Trigger,
  { refusal, login }: Permission,
  inputs: Inputs,
): Skip | undefined {
  const isComment = command?.kind === 'comment'
  if (refusal.known && refusal.value) {
    const what = isComment
      ? `the command ${inputs.command}`
      : `a run on this \`${event.name}\` event`
    const needs = `needs \`${inputs['required-permission']}\` (\`required-permission\`)`
    const reason = `${refusal.value}, and ${what} ${needs}`
    const advice = login.endsWith('[bot]')
      ? 'To let this bot start jobs, add it to `allow-bots`.'
      : 'To start the job, ask a person with this permission.'
    return skip('notice', reason, 'Not permitted to start a job', { advice, answer: '-1' })
  }
  if (!refusal.known) {
    const { error, why } = refusal
    const again = isComment ? 'repeat the command' : 're-run this job'
    const mayPass = error.kind === 'rate-limit' || error.kind === 'other'
    const advice = mayPass
      ? joinSentences(error.explanation, `To try again, ${again} later.`)
      : joinSentences(error.explanation || 'Correct `github-token`.', `Then ${again}.`)
    const reason = `the action could not read the permission of ${login}: ${why}`
    return skip('warning', reason, error.title, { advice, answer: 'confused' })
  }
  // With `job-id`, a command without instructions waits for that job.
  if (isComment && command.instructions === '' && !hasPrompt(inputs) && inputs['job-id'] === '') {
    const reason = `${inputs.command} has no instructions, and there is no \`prompt\``
    const advice = `Write the instructions after the command, for example \`${inputs.command} explain the new flag\`.`
    return skip('notice', reason, 'The command has no instructions', { advice, answer: 'usage' })
  }
  return undefined
}
