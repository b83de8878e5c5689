import type { RunDeps } from '../github/github.ts'
import { numberOfOwnPullRequest, readPullRequestUrl } from '../github/pull-requests.ts'
import type { ReactionContent } from '../github/reactions.ts'
import type { JobResult, Outcome } from '../job/outcome.ts'
import type { JobEvent } from '../job/progress.ts'
import { MAX_LINK_LENGTH } from '../lib/markdown.ts'
import type { Command } from '../trigger/command.ts'
import { mayWrite } from '../trigger/trigger.ts'
import { type AnnouncedRequest, announce } from './announcement.ts'
import { endBody, usageBody, workingBody } from './bodies.ts'
import type { EarlierJob } from './conversation.ts'
import { openLiveComment } from './live-comment.ts'
import type { Marker } from './marker.ts'
import {
  cutOffDraft,
  isFurtherAttempt,
  type Opening,
  openComment,
  type SessionParts,
  type SessionRequest,
  sessionParts,
} from './opening.ts'

/** What a run says on GitHub while its job goes on, and what it has found there of earlier ones. */
type Session = {
  readonly earlier: EarlierJob | undefined
  /** Shows an event of the job where it matters to a reader. */
  onEvent(event: JobEvent): void
  /** Writes how the job ended. Resolves when that is done. */
  finish(outcome: Outcome): Promise<void>
}

/**
 * Opens the session of a run: answers the command or begins the status comment, as far as that is wanted, and looks for
 * the job that the run is to go on with.
 */
export async function openSession(request: SessionRequest, deps: RunDeps): Promise<Session> {
  const parts = sessionParts(request, deps)
  const opening = await openComment(parts)
  if (opening.earlier?.kind !== 'resume' && opening.marker.kind !== 'reply') noteFurtherAttempt(parts)
  return sessionOf(parts, opening)
}

/** Answers a command that says nothing, where there is no prompt either. */
export async function explainUsage(
  request: SessionRequest & { readonly command: Command },
  deps: RunDeps,
): Promise<void> {
  if (!mayWrite(request.inputs)) return
  const parts = sessionParts(request, deps)
  const { source } = request.command
  const marker: Marker = { ...parts.marker, kind: 'reply', state: 'ended' }
  const isAgain = isFurtherAttempt(deps)
  const answered = { source, replaced: isAgain ? 'all' : [] } as const
  const place = { thread: source.thread, existing: undefined, mayExist: isAgain }
  const comment = openLiveComment({ ...place, answered }, parts.own, deps)
  await comment.finish({ marker, text: usageBody(parts.subject) }, 'confused')
}

function sessionOf(parts: SessionParts, opening: Opening): Session {
  const { request, subject } = parts
  const { inputs } = request
  const { comment, earlier } = opening
  let { marker } = opening
  let isFollowUp = inputs['job-id'] !== ''

  function show(job: string): void {
    marker = { ...marker, job, state: 'job' }
    const text = workingBody(subject, isFollowUp ? 'follow-up' : 'new')
    void comment?.show({ marker, text }, cutOffDraft(marker, subject))
  }

  return {
    earlier,
    onEvent(event) {
      if (event.type === 'accepted') show(event.job.id)
      // A job that is only waited for is known to be there once it was seen.
      if (event.type === 'status' && marker.state === 'pending') show(event.id)
      if (event.type !== 'resolved') return
      marker = { ...marker, pull: ownPullLink(event.prLink, parts.deps) }
      isFollowUp = event.request.kind !== 'create'
      if (event.request.kind === 'attach') show(event.request.id)
    },
    async finish(outcome) {
      const announced = await announceOutcome(outcome, parts)
      const pull = ownPullLink(outcome.job?.prLink, parts.deps) || marker.pull
      marker = { ...marker, job: outcome.jobId || marker.job, pull, state: 'ended' }
      const text = endBody(subject, outcome, {
        timeoutMs: inputs.timeout,
        projectId: inputs['project-id'],
        failOn: inputs['fail-on'],
        jobId: marker.job,
        canRerun: marker.kind === 'reply',
        announced,
      })
      await comment?.finish({ marker, text }, FINAL_REACTIONS[outcome.result])
    },
  }
}

const FINAL_REACTIONS: Readonly<Record<JobResult, ReactionContent>> = {
  'pull-request': 'rocket',
  'no-pull-request': '+1',
  submitted: '+1',
  failed: 'confused',
  archived: 'confused',
  'timed-out': 'confused',
  cancelled: 'confused',
  error: 'confused',
}

/** Announces the request on the agent's pull request. Returns whether one can go on there, too, by a comment. */
async function announceOutcome({ result, job, jobId }: Outcome, parts: SessionParts): Promise<boolean> {
  const { request, deps, own, marker } = parts
  const { inputs, command } = request
  const number = numberOfOwnPullRequest(job?.prLink ?? null, deps)
  if (result !== 'pull-request' || number === undefined || !mayWrite(inputs)) return false
  const canGoOn = inputs.command !== '' && inputs['follow-up']
  const pull = ownPullLink(job?.prLink, deps)
  const announced = await announce(
    { number, marker: { ...marker, pull }, jobId, request: requestToAnnounce(parts), canGoOn },
    own,
  )
  if (announced === undefined) return false
  deps.setOutputs({ 'comment-id': `${announced.id}`, 'comment-url': announced.url })
  return canGoOn && number !== command?.source.thread.number
}

/** The job's pull request, for later runs to ask GitHub about; empty if it is none of this GitHub. */
function ownPullLink(link: string | null | undefined, { environment }: RunDeps): string {
  const prLink = link ?? ''
  const isOfGitHub = readPullRequestUrl(prLink, environment) !== undefined
  return isOfGitHub && prLink.length <= MAX_LINK_LENGTH ? prLink : ''
}

function requestToAnnounce({ request, deps, subject }: SessionParts): AnnouncedRequest {
  const { event, command } = request
  const { environment, redact } = deps
  const { serverUrl, repository, sha, actor } = environment
  if (command !== undefined) {
    const { author, source } = command
    return { event: 'comment', login: author.login, url: source.url, text: redact(command.instructions) }
  }
  if (event.name === 'push' && sha !== '') {
    const url = `${serverUrl}/${repository}/commit/${sha}`
    return { event: 'push', login: actor, url, text: sha.slice(0, 7) }
  }
  // Nobody causes a schedule: its actor is whoever changed it last.
  const login = event.name === 'schedule' ? '' : actor
  return { event: environment.eventName, login, url: subject.runUrl, text: '' }
}

/** Where no comment of this run names its job, nobody can tell what an earlier attempt has started. */
function noteFurtherAttempt({ request, deps }: SessionParts): void {
  const { inputs } = request
  if (!isFurtherAttempt(deps) || inputs['job-id'] !== '' || inputs['dry-run']) return
  deps.log.notice(
    `This is attempt ${deps.environment.runAttempt} of the run. An earlier attempt may have started a job that this one does not know of: look for it in the dashboard of the docs service. To wait for that job instead, run the action with its \`job-id\`.`,
  )
}
