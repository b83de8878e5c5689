import type { User } from '../github/client.ts'
import { missingPermission, type NeededCallError } from '../github/github-errors.ts'
import { canWriteComments, hasPrompt } from '../inputs/table.ts'
import { docsLink, type Failure, FailureError, inBackticks, joinSentences } from '../lib/text.ts'
import { isIncludedLater, isOfPullRequest } from '../look/event.ts'
import { hasStatusRecord, isFull } from '../look/status.ts'
import type { Trigger } from '../look/trigger.ts'
import type { Run } from '../runner/run.ts'

/** The words of a result, with its sign. */
export type Words = Failure & {
  readonly sign: string
  /** A block for the workflow file, to follow the details; nothing by default. */
  readonly paste?: string
  /** Whether the details give the job's ID; by default, those of a job do. */
  readonly namesJob?: boolean
}

/** Why there is no job to wait for. */
export class JobError extends FailureError {
  override readonly name = 'JobError'
  /** Whether this run or an earlier attempt may have started a job. */
  readonly maybeStarted: boolean
  /** Whether a re-run may succeed without a change to the workflow. */
  readonly isTransient: boolean
  /** What to do, as sentences; may be empty. */
  readonly advice: string
  /** The lines to paste into the workflow file or the App's settings; may be empty. */
  readonly paste: string

  constructor(
    failure: Failure & {
      readonly maybeStarted: boolean
      readonly isTransient?: boolean
      readonly advice?: string
      readonly paste?: string
    },
  ) {
    super(failure)
    this.maybeStarted = failure.maybeStarted
    this.isTransient = failure.isTransient === true
    this.advice = failure.advice ?? ''
    this.paste = failure.paste ?? ''
  }
}

/** Makes the error of a call that the run can't do without, with the permissions that the step needs. */
export async function neededCallError(
  { purpose, permission, cause }: NeededCallError,
  trigger: Trigger,
  run: Run,
): Promise<JobError> {
  const { kind, message, title, explanation } = cause
  // This error explains the other failures at GitHub, here and in the post step.
  run.github.explain()
  run.saveState('explained', 'true')
  if (isFull(cause)) return new JobError({ ...COMMIT_IS_FULL, maybeStarted: false })
  if (kind !== 'permission') {
    const isTransient = kind === 'rate-limit' || kind === 'other'
    const failed = `Could not ${purpose}: ${message}.`
    const details = joinSentences(failed, explanation)
    const advice = laterSentence(trigger, false, run)
    return new JobError({ headline: title, details, advice, maybeStarted: false, isTransient })
  }
  const isOfApp = await isForeignToken(message, run)
  const needed = permissionsOf(trigger, isOfApp, run)
  // If the step also writes there, reading alone would not be enough.
  const [scope = ''] = permission.split(' ')
  const missing = inBackticks(needed.find((line) => line.startsWith(scope)) ?? permission)
  const { who } = missingPermission(missing, cause)
  const lack = isOfApp ? `\`github-token\` doesn't have ${missing}` : who
  const fix = isOfApp
    ? 'Give the token all permissions below'
    : 'Add all permissions below to the workflow job, next to those of its other steps'
  return new JobError({
    headline: `Missing permission: ${missing}`,
    details: `${lack}, so the action could not ${purpose}: ${message}.`,
    advice: joinSentences(
      `${fix} ${docsLink('events.md#permissions')}.`,
      // Another token has its new permissions in a re-run, too.
      laterSentence(trigger, !isOfApp, run),
    ),
    maybeStarted: false,
    paste: isOfApp
      ? needed.join('\n')
      : ['permissions:', ...needed.map((line) => `  ${line}`)].join('\n'),
  })
}

/** Whether the token isn't the workflow's, so that `permissions:` don't apply to it. */
async function isForeignToken(message: string, { github }: Run): Promise<boolean> {
  if (message.includes('personal access token')) return true
  const account = await github.attempt<User>(() => github.account())
  return account.known && !/^github-actions(?:\[bot\])?$/.test(account.value.login ?? '')
}

/** Describes how the changes can still reach the agent: in the next run, or in another run. */
function laterSentence({ event, command }: Trigger, isPermission: boolean, run: Run): string {
  const { inputs, environment } = run
  if (command) {
    const again = command.kind === 'review' ? 'submit the review again' : 'repeat the command'
    return isPermission ? `Add the permission, and then ${again}.` : `To try again, ${again}.`
  }
  if (!hasPrompt(inputs)) return ''
  const isLater = inputs['follow-up'] && isIncludedLater(event, environment)
  const included = isLater
    ? 'If this step had a job before, its next run includes these changes.'
    : ''
  const wish = isLater ? 'Otherwise' : 'To send these changes'
  if (!isPermission) return joinSentences(included, `${wish}, re-run this job.`)
  const word = inputs.command
  const canComment = isOfPullRequest(event) && word !== ''
  const instead = canComment
    ? `comment \`${word} …\` on the pull request`
    : 'start the workflow with `workflow_dispatch`'
  return joinSentences(included, `${wish}, ${instead}, because a re-run has the same permissions.`)
}

/** Lists all permissions that the step needs on this event. */
function permissionsOf({ event, command }: Trigger, isOfApp: boolean, run: Run): readonly string[] {
  const { inputs } = run
  const { 'pr-reviewers': reviewers, 'pr-labels': labels, 'dry-run': isDry } = inputs
  const mayComment = canWriteComments(inputs)
  const writesToPulls = mayComment || (!isDry && reviewers.length + labels.length > 0)
  // Comments on issues and on pull requests start the same workflow.
  const isOnIssue = command !== undefined && event.name === 'issue_comment'
  const lines = ['checks: read', 'contents: read']
  if (isOnIssue) lines.push(`issues: ${mayComment ? 'write' : 'read'}`)
  if (isOfApp && reviewers.some((name) => name.includes('/'))) lines.push('members: read')
  lines.push(`pull-requests: ${writesToPulls ? 'write' : 'read'}`)
  if (!command && hasStatusRecord(event, run)) lines.push(`statuses: ${isDry ? 'read' : 'write'}`)
  return lines
}

const COMMIT_IS_FULL = {
  headline: 'This commit has 1,000 commit statuses of this step',
  details:
    'GitHub accepts no more statuses for this commit, so a later run could not find this job. On a schedule, set `skip-unchanged: true`, so that runs without new commits start no job.',
}

/** Writes the message for a run without a job to wait for. */
export function notStartedWords(isCancelled: boolean, error: JobError | undefined): Words {
  const { headline = '', details = '', advice = '', paste = '' } = error ?? {}
  const isUnclear = error?.maybeStarted === true
  const nothing = isUnclear
    ? ''
    : `Nothing was started${error?.isTransient ? ', so it is safe to run this again' : ''}.`
  if (!isCancelled)
    return { sign: '❌', headline, details: joinSentences(details, nothing, advice), paste }
  return {
    sign: '🛑',
    headline: isUnclear ? 'Canceled: a job may be running' : 'Canceled before a job was started',
    details: joinSentences(details, nothing),
  }
}
