import { type CommandSource, pullRequestThread } from '../github/comments.ts'
import type { RunDeps } from '../github/github.ts'
import { listOwnReactions, react } from '../github/reactions.ts'
import type { Inputs } from '../inputs/table.ts'
import { integerField, recordField, stringField } from '../lib/json.ts'
import { type Environment, runUrlOf } from '../runner/environment.ts'
import type { Command } from '../trigger/command.ts'
import { hasPrompt, mayWrite, type Trigger } from '../trigger/trigger.ts'
import { cutOffBody, type Subject, workingBody } from './bodies.ts'
import { type EarlierJob, findAnnouncedJob, findConversationJob } from './conversation.ts'
import { type LiveComment, openLiveComment, savePendingComment } from './live-comment.ts'
import { hashProject, isEarlierAttempt, type Marker } from './marker.ts'
import { type Draft, isSameComment, type OwnComments, openOwnComments } from './own-comments.ts'

/** What comments are written about: what started the run, and its inputs. */
export type SessionRequest = Trigger & { readonly inputs: Inputs }

/** What a session is made from. */
export type SessionParts = {
  readonly request: SessionRequest
  readonly deps: RunDeps
  readonly own: OwnComments
  readonly subject: Subject
  /** What the markers of this run have in common. */
  readonly marker: Marker
}

/** A session's comment, and the job that the run is to go on with. */
export type Opening = {
  /** `undefined` where none is wanted. */
  readonly comment: LiveComment | undefined
  /** The marker of that comment. */
  readonly marker: Marker
  readonly earlier: EarlierJob | undefined
}

/** Puts together what a run's comments have in common. Sends nothing. */
export function sessionParts(request: SessionRequest, deps: RunDeps): SessionParts {
  const { event, inputs, command } = request
  const { environment } = deps
  const { runId, runAttempt } = environment
  const head = recordField(recordField(event.payload, 'pull_request'), 'head')
  return {
    request,
    deps,
    own: openOwnComments(inputs, deps),
    subject: {
      command: inputs.command,
      login: command?.author.login ?? '',
      instructions: command?.instructions ?? '',
      runUrl: runUrlOf(environment),
      sha: stringField(head, 'sha') ?? '',
      followUp: inputs['follow-up'],
    },
    marker: {
      kind: 'announcement',
      state: 'pending',
      job: '',
      project: hashProject({ baseUrl: inputs['base-url'], projectId: inputs['project-id'] }),
      step: stepName(environment),
      command: inputs.command,
      run: runId,
      attempt: runAttempt,
      source: command === undefined ? '' : `${command.source.kind}/${command.source.id}`,
      pull: '',
      history: '',
    },
  }
}

/** Begins the run's comment, if it is to have one, and looks for the job that it is to go on with. */
export async function openComment(parts: SessionParts): Promise<Opening> {
  const { request, marker } = parts
  const { command, event, inputs } = request
  if (inputs.comment === 'never') return { comment: undefined, marker, earlier: undefined }
  if (command !== undefined) return await openReply(parts, command)
  const number = integerField(event.payload['pull_request'], 'number')
  const wantsStatus = inputs.comment === 'always' && mayWrite(inputs) && event.name === 'pull_request'
  if (wantsStatus && number !== undefined) return await openStatus(parts, number)
  const earlier = continuesPullRequest(parts) ? await findAnnouncedJob(parts) : undefined
  return { comment: undefined, marker, earlier }
}

/** 👀 at once, then a reply, then the search for the job of the conversation. */
async function openReply(parts: SessionParts, { source, fresh }: Command): Promise<Opening> {
  const { request, deps, own, subject } = parts
  const { inputs } = request
  const { thread } = source
  const initial: Marker = { ...parts.marker, kind: 'reply' }
  const mayContinue = mayFollowUp(inputs) && !fresh
  if (!mayWrite(inputs)) {
    const turn = { thread, marker: initial, isQueued: false }
    const earlier = mayContinue ? await findConversationJob(turn, parts) : undefined
    return { comment: undefined, marker: initial, earlier }
  }
  const { marker: lastMarker, text } = cutOffDraft(initial, subject)
  const reaction = { source, content: 'confused', isGiven: false, replaced: 'all' } as const
  savePendingComment({ thread, comment: null, marker: lastMarker, text: text.source, reaction }, deps)
  const replaced = await reactWithEyes(source, deps)
  const written = isFurtherAttempt(deps) ? await own.list(thread) : []
  const before = written?.find((one) => isSameComment(one.marker, initial))
  // An attempt that is cut off before it has got the job must still name it.
  const marker = withJobOf(before?.marker, initial)
  const place = { thread, existing: before?.comment, mayExist: written === undefined }
  const comment = openLiveComment({ ...place, answered: { source, replaced } }, own, deps)
  await comment.show({ marker, text: workingBody(subject, 'starting') }, cutOffDraft(marker, subject))
  if (marker.job !== '')
    return { comment, marker, earlier: { kind: 'resume', id: marker.job, prLink: marker.pull } }
  if (!mayContinue) return { comment, marker, earlier: undefined }
  return { comment, marker, earlier: await findConversationJob({ thread, marker, isQueued: true }, parts) }
}

/** Gives 👀. Returns what the final reaction is to replace: that, and what an earlier attempt has given. */
async function reactWithEyes(source: CommandSource, deps: RunDeps): Promise<readonly number[] | 'all'> {
  const eyes = await react(deps.github, source, 'eyes')
  if (eyes === undefined) return 'all'
  if (!isFurtherAttempt(deps)) return [eyes.id]
  const earlier = await listOwnReactions(deps.github, source, { by: eyes.by, except: 'eyes' })
  return earlier === undefined ? 'all' : [eyes.id, ...earlier]
}

/** Begins, or begins again, the one comment of this step on a pull request. */
async function openStatus({ deps, own, subject, ...parts }: SessionParts, number: number): Promise<Opening> {
  const thread = pullRequestThread(number)
  const initial: Marker = { ...parts.marker, kind: 'status' }
  const written = await own.list(thread)
  const before = written?.find((one) => isSameComment(one.marker, initial))
  const isOurs = before !== undefined && isEarlierAttempt(before.marker, initial)
  const marker = withJobOf(isOurs ? before.marker : undefined, initial)
  const place = { thread, existing: before?.comment, mayExist: written === undefined }
  const comment = openLiveComment({ ...place, answered: undefined }, own, deps)
  await comment.show({ marker, text: workingBody(subject, 'starting') }, cutOffDraft(marker, subject))
  return {
    comment,
    marker,
    earlier: marker.job === '' ? undefined : { kind: 'resume', id: marker.job, prLink: marker.pull },
  }
}

/** Events whose runs go on with the open pull request of earlier runs. */
const FOLLOW_UP_EVENTS = ['push', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'release']

function continuesPullRequest({ request }: SessionParts): boolean {
  const { inputs, event } = request
  return hasPrompt(inputs) && mayFollowUp(inputs) && FOLLOW_UP_EVENTS.includes(event.name)
}

/** Without the key, as in a dry run, no marker can be checked. */
function mayFollowUp(inputs: Inputs): boolean {
  return inputs['follow-up'] && inputs['job-id'] === '' && inputs['api-key'] !== ''
}

/** What a comment is to say if the run is cut off now. */
export function cutOffDraft(marker: Marker, subject: Subject): Draft {
  const text = cutOffBody(subject, { jobId: marker.job, canRerun: marker.kind === 'reply' })
  return { marker: { ...marker, state: 'ended' }, text }
}

/** Whether this run has been started again by hand. */
export function isFurtherAttempt({ environment }: Pick<RunDeps, 'environment'>): boolean {
  return Number(environment.runAttempt) > 1
}

/** The marker of a further attempt, with the job of the one before, if that has got one. */
function withJobOf(before: Marker | undefined, marker: Marker): Marker {
  if (before === undefined || before.job === '') return marker
  return { ...marker, job: before.job, pull: before.pull, state: 'job' }
}

/** The workflow's file, which stays the same when the workflow's name is changed, the job and the step. */
function stepName({ workflowRef, workflow, job, action }: Environment): string {
  const file = /^[^/]+\/[^/]+\/(.+?)@/.exec(workflowRef)?.[1]
  return [file ?? workflow, job, action].join('/')
}
