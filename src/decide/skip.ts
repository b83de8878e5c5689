import { matchesGlob } from 'node:path'
import type { Maybe } from '../github/client.ts'
import { hasPrompt, hasReport, type Inputs, isWaitOnly } from '../inputs/table.ts'
import { inBackticks } from '../lib/text.ts'
import type { Commit } from '../look/changes.ts'
import { type GitHubEvent, isAllowedBot, isFromFork, isOfPullRequest } from '../look/event.ts'
import type { Situation } from '../look/situation.ts'
import { statusCommit } from '../look/status.ts'
import {
  type Command,
  findSkipLabel,
  heedsLabels,
  ignoredAuthor,
  isDocsReview,
  labelsOf,
  ownAuthor,
  type Permission,
  readCommand,
  readReview,
  type Trigger,
} from '../look/trigger.ts'
import { type Environment, isRerun, type Run } from '../runner/run.ts'
import { rankFiles } from './ranks.ts'

/** Why a run does nothing. */
export type Skip = {
  readonly kind: 'skip'
  readonly level: 'info' | 'notice' | 'warning'
  /** Of the annotation. */
  readonly title: string
  /** A clause: `the pull request was closed without being merged`. */
  readonly reason: string
  /** What works instead, as sentences. */
  readonly advice?: string
  /** URL of the docs pull request that the run would have updated. */
  readonly prLink?: string
  /** Whether the changes were looked at and need no docs: the next run is compared with this commit. */
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

/** Decides by the payload and the inputs alone whether a run is to do something. */
export function readTrigger(
  event: GitHubEvent,
  inputs: Inputs,
  environment: Environment,
): Skip | Trigger {
  if (event.payloadProblem && event.row.causedBy !== 'writer') {
    const reason = "the event's payload could not be read, so the account that caused it is unknown"
    return skip('notice', reason, 'The payload of the event could not be read')
  }
  const command = readCommand(event, inputs.command) ?? readReview(event, inputs.command)
  const nothing = whyNoCommand(event, command, inputs) ?? whyNothingToDocument(event, inputs)
  if (nothing) return skip('info', nothing)
  // A re-run goes by the labels of now, which are read later.
  const labels = isRerun(environment) ? [] : labelsOf(event.payload.pull_request)
  return (
    (command ? undefined : skipWithoutRequest(event, inputs)) ??
    skipUnneeded(event, labels, inputs) ??
    skipWithoutKey(event, inputs, environment) ?? { event, command }
  )
}

/** Returns why a comment is not a command that a job can start for; `undefined` if comments are not commands here. */
function whyNoCommand(
  event: GitHubEvent,
  command: Command | undefined,
  inputs: Inputs,
): string | undefined {
  const { row, payload } = event
  if (isDocsReview(event) && !command)
    return 'of the reviews of a docs pull request, only those by people that request changes while it is open are sent to the agent'
  if (row.command === undefined || inputs.command === '') return undefined
  if (payload.action !== 'created') return `the comment is not new (\`${payload.action}\`)`
  if (!command) return `the comment does not start with ${inputs.command} as a word in plain text`
  const { author } = command
  const isRefused = author.isBot && !isAllowedBot(author, inputs)
  return isRefused ? `${author.login} is a bot that \`allow-bots\` does not list` : undefined
}

/** A branch that GitHub's merge queue tries a merge on, which may never happen. */
const MERGE_QUEUE = /^(?:refs\/heads\/)?gh-readonly-queue\//

function whyNothingToDocument(event: GitHubEvent, inputs: Inputs): string | undefined {
  const { name, row, payload } = event
  const { action, deleted, ref, pull_request: pull, workflow_run: before } = payload
  if (isWaitOnly(inputs)) return undefined
  if (row.subject === 'push' && deleted) return `this push deletes ${inBackticks(ref ?? '')}`
  if (isOfPullRequest(event) && action === 'closed' && !pull?.merged)
    return 'the pull request was closed without being merged'
  if (name === 'release' && (action === 'deleted' || action === 'unpublished'))
    return `the release was ${action}`
  const state = payload.deployment_status?.state ?? 'success'
  if (state !== 'success') return `the deployment is in the state ${inBackticks(state)}`
  const isQueue = name === 'merge_group' || MERGE_QUEUE.test(ref ?? before?.head_branch ?? '')
  return isQueue ? 'the changes are in the merge queue, and may never be merged' : undefined
}

/** Skips people's texts that can't be commands, unless the inputs request something. */
function skipWithoutRequest({ row }: GitHubEvent, inputs: Inputs): Skip | undefined {
  const isRequested = hasPrompt(inputs) || inputs['job-id'] !== '' || hasReport(inputs)
  if (!row.isOtherText || isRequested || inputs.command === '') return undefined
  const reason =
    'the inputs request nothing, and commands are comments on an issue or pull request, or on a line of one'
  return skip('notice', reason, 'This event is not a command')
}

/** Skips an event that the work of `ignore-authors` caused, and pull requests by them or with one of `skip-labels`. */
function skipUnneeded(
  event: GitHubEvent,
  labels: readonly string[],
  inputs: Inputs,
): Skip | undefined {
  if (isWaitOnly(inputs)) return undefined
  const looping = unneededReason([loopingLogin(event)], [], inputs)
  if (looping) return unneeded(`this event was caused ${looping}`)
  if (!isOfPullRequest(event)) return undefined
  const reason = unneededReason([event.payload.pull_request?.user?.login], labels, inputs)
  return reason ? unneeded(`this pull request is ${reason}`) : undefined
}

/** Returns why the work of accounts, or of a pull request with labels, needs no docs. */
function unneededReason(
  logins: readonly Maybe<string>[],
  labels: readonly string[],
  inputs: Inputs,
): string | undefined {
  const author = ignoredAuthor(logins, inputs)
  if (author) return `by ${author} (\`ignore-authors\`)`
  const label = heedsLabels(inputs) && findSkipLabel(labels, inputs)
  return label ? `labeled ${inBackticks(label)} (\`skip-labels\`)` : undefined
}

function unneeded(reason: string): Skip {
  return skip('notice', reason, "These changes don't need docs")
}

/** When a reason to skip applies to an event. `paths`: if that input is set. */
type When = 'always' | 'skip-unchanged' | 'paths' | 'never'

/**
 * What makes changes need no docs: that there are none since the step's last job, that all commits are the agent's or
 * labeled so, or that only files changed which readers of docs don't notice. A person, or another system, asked for a
 * dispatch.
 */
const REASONS: Readonly<Record<string, Readonly<Record<'unchanged' | 'commits' | 'files', When>>>> =
  {
    push: { unchanged: 'always', commits: 'always', files: 'always' },
    tag: { unchanged: 'always', commits: 'always', files: 'paths' },
    release: { unchanged: 'always', commits: 'always', files: 'paths' },
    workflow_run: { unchanged: 'always', commits: 'always', files: 'always' },
    schedule: { unchanged: 'skip-unchanged', commits: 'skip-unchanged', files: 'paths' },
    pull_request: { unchanged: 'never', commits: 'never', files: 'always' },
    pull_request_target: { unchanged: 'never', commits: 'never', files: 'always' },
  }

/** Skips a run whose changes need no docs. A list that GitHub cut at its limit may have others. */
export function skipNothing(
  { trigger: { event }, earlier: { lastJob }, changes }: Situation,
  { inputs, environment }: Pick<Run, 'inputs' | 'environment'>,
): Skip | undefined {
  const isTag = event.name === 'push' && event.payload.ref?.startsWith('refs/tags/')
  const reasons = REASONS[isTag ? 'tag' : event.name]
  if (!changes || !reasons) return undefined
  const { pull, commits, files, fileCount, isWhole } = changes
  const labeled = pull && skipUnneeded(event, labelsOf(pull), inputs)
  if (labeled) return labeled
  const applies = (when: When) =>
    when === 'always' ||
    (when === 'paths' && inputs.paths.length > 0) ||
    (when === 'skip-unchanged' && inputs['skip-unchanged'])
  const isEmpty = isWhole && changes.commitCount === 0 && fileCount === 0
  // An older run that is run again may have a push that no later one was compared with.
  const isOlder = lastJob?.isNewer === true && event.name !== 'push'
  const isCovered = isOlder || lastJob?.sha === statusCommit(event, environment)
  if (applies(reasons.unchanged) && (isEmpty || isCovered)) {
    const since = lastJob ? ` since this step's last job (on ${lastJob.sha.slice(0, 7)})` : ''
    return skip('notice', `there are no new commits${since}`, 'Nothing changed')
  }
  const why = isWhole && applies(reasons.commits) ? whyUnneeded(commits, inputs) : undefined
  if (why) return { ...unneeded(`every change is ${why}`), isSettled: true }
  // Where GitHub lists no file, or not all of them, one may need docs.
  const isListed = files.length > 0 && files.length === fileCount
  if (!applies(reasons.files) || !isListed) return undefined
  if (inputs.paths.length > 0) {
    const isAnyInside = files.some((file) =>
      [file.path, file.oldPath].some((path) => isInside(path, inputs)),
    )
    if (isAnyInside) return undefined
    return skip('notice', 'no changed file matches `paths`', 'Nothing to document', {
      isSettled: !pull,
    })
  }
  const isMinor = rankFiles(files).every(({ rank }) => rank === 'background' || rank === 'named')
  if (!isMinor) return undefined
  const advice = 'To choose the files that matter yourself, set `paths`.'
  const reason = 'only tests, CI, translations, lock, and generated files changed'
  return skip('notice', reason, 'Nothing to document', { advice, isSettled: !pull })
}

/** Returns why no commit needs docs; `undefined` if one does. */
function whyUnneeded(commits: readonly Commit[], inputs: Inputs): string | undefined {
  const reasons = commits.map(({ author, email, pulls }) => {
    const logins = [
      ownAuthor({ user: author, email }, inputs),
      ...pulls.map((pull) => pull.author?.login),
    ]
    return unneededReason(
      logins,
      pulls.flatMap(({ labels }) => labels),
      inputs,
    )
  })
  const isNeeded = reasons.length === 0 || reasons.includes(undefined)
  return isNeeded ? undefined : [...new Set(reasons)].join(' or ')
}

/**
 * Whether a file is one of those in `paths`: the last pattern that matches decides, as in a workflow's `paths`. A pattern
 * without wildcards is a file or a folder.
 */
export function isInside(path: string, { paths }: Pick<Inputs, 'paths'>): boolean {
  // `matchesGlob` doesn't let wildcards match names that begin with a dot.
  const plain = (text: string) => text.replace(/(^|[/{,])\./g, '$1\u2024')
  const matches = (glob: string) =>
    [glob, `${glob}/**`].some((one) => matchesGlob(plain(path), plain(one)))
  const last = paths.findLast((one) => matches(one.replace(/^!/, '')))
  return last === undefined ? (paths[0]?.startsWith('!') ?? true) : !last.startsWith('!')
}

/** Returns the account behind an event that would start the next one if the agent's work started a job. */
function loopingLogin({ name, payload }: GitHubEvent): Maybe<string> {
  const { created, ref, ref_type: refType, sender, workflow_run: before } = payload
  if (name === 'workflow_run') return before?.actor?.login
  const isTag = refType === 'tag' || ref?.startsWith('refs/tags/') === true
  const isOfSender =
    name === 'push'
      ? created === true
      : /^(?:create|delete|deployment|deployment_status)$/.test(name)
  return isOfSender && !isTag ? sender?.login : undefined
}

/**
 * Skips runs without an API key on events that GitHub gives no secrets to, and says what works instead. A push in a fork
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
  const whom = isDependabot ? 'by Dependabot, which has its own secrets' : 'from forks'
  const ways = [
    isDependabot ? 'set one there' : !isPull && 'set one in this fork',
    inputs.command && `comment with ${inputs.command} in the main thread of the pull request`,
    'start the job after the merge, on `push`',
  ].filter((way) => way)
  const reason = `\`api-key\` is empty, because GitHub gives no secrets to runs ${whom}`
  const advice = `Instead, ${ways.join(', or ')}.`
  return skip('notice', reason, 'No API key in this run', { advice })
}

/** Decides whether the run may do what it was asked. */
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
    return skip('notice', reason, 'Not permitted to start a job', { answer: '-1' })
  }
  if (!refusal.known) {
    const { error, why } = refusal
    const isTokenRefused = inputs['github-token'] === '' || error.status === 401
    const again = isComment ? 'repeat the command' : 're-run this job'
    const advice =
      isTokenRefused || error.kind === 'permission'
        ? `Correct \`github-token\`, then ${again}.`
        : `To try again, ${again} later.`
    const reason = `the action could not read the permission of ${login}: ${why}`
    const answer = isTokenRefused ? undefined : 'confused'
    return skip('warning', reason, 'Could not read a permission', { advice, answer })
  }
  // With `job-id`, a command without instructions waits for that job.
  if (isComment && command.instructions === '' && !hasPrompt(inputs) && inputs['job-id'] === '') {
    const reason = `${inputs.command} has no instructions, and there is no \`prompt\``
    return skip('notice', reason, 'The command has no instructions', { answer: 'usage' })
  }
  return undefined
}
