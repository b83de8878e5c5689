import { describeEvent, type Sources, sourcesOf } from '../context/gather.ts'
import { type PriorPosts, selectPosts } from '../context/messages.ts'
import { type ContextStats, renderMessageContext } from '../context/render.ts'
import { mayAsk } from '../events/decide.ts'
import type { GitHubEvent } from '../events/event-table.ts'
import { ownAuthor } from '../events/loop-guard.ts'
import type { Trigger } from '../events/trigger.ts'
import { type MergedPulls, readMergedPulls } from '../github/pull-requests.ts'
import type { Comparison } from '../github/types.ts'
import { byteLength, joinSentences } from '../lib/text.ts'
import type { PullState } from '../pull/pull-state.ts'
import type { Readers } from '../readers/readers.ts'
import type { Found } from '../record/memory.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService } from '../service/docs-service.ts'
import {
  assemblePrompt,
  chooseAction,
  type JobAction,
  type JobRequest,
  type WaitAction,
} from './action.ts'

/** What a run does about its job: plain data that dry run, submit, poll and report read alike. */
export type Plan = (Exclude<JobAction, WaitAction> & Prompt) | WaitAction

export type Prompt = Sources & {
  readonly prompt: string
  /** What the agent is told of the event; `undefined` if nothing. */
  readonly contextCounts: ContextStats | undefined
}

/** What a job needs besides its request and the run. */
export type JobTools = {
  /** Of the commits of a push, as far as `decide` has read them. */
  readonly mergedPulls: MergedPulls
  /** The readers report, if any of it is requested. */
  readonly readers: Readers | undefined
  readonly service: DocsService
}

/**
 * Makes the plan from the inputs, the command and what is found of an earlier job: looks that job up, and puts the prompt
 * together.
 *
 * @returns `lookedUpAtMs`: when the job was first asked about, by our clock, where that was now
 * @throws {JobError} on a re-run that can't tell which job the first attempt started; if the job can't be looked up
 */
export async function makePlan(
  found: Found,
  request: JobRequest,
  tools: JobTools,
  run: Run,
): Promise<{ readonly plan: Plan; readonly lookedUpAtMs: number | undefined }> {
  const { inputs, clock } = run
  run.cancel.throwIfAborted()
  const startedAtMs = clock.now()
  const { attempt, earlier } = found
  const hasEarlier = attempt.kind === 'job' || (earlier.known && earlier.value !== undefined)
  const action = await chooseAction(
    found,
    request,
    inputs['dry-run'] ? undefined : tools.service,
    run,
  )
  run.cancel.throwIfAborted()
  const lookedUpAtMs = hasEarlier ? startedAtMs : undefined
  if (action.kind === 'wait') return { plan: action, lookedUpAtMs }
  const prompt = await writePrompt(action, found, request, tools, run)
  return { plan: { ...action, ...prompt }, lookedUpAtMs }
}

/** The prompt of a new job or of a message, with what the agent is told of the event. */
async function writePrompt(
  action: Exclude<JobAction, WaitAction>,
  found: Found,
  { trigger, parts }: JobRequest,
  { mergedPulls, readers }: JobTools,
  run: Run,
): Promise<Prompt> {
  const { inputs } = run
  const isPlain = inputs.context === 'none'
  const requests =
    action.kind === 'message' && action.pull && !isPlain ? requestsFor(action.pull) : ''
  const command = [parts.command, requests].join('\n\n').trim()
  // A message is a command's words, and what was written since the last one: the job has the rest.
  const isReply = action.kind === 'message' && parts.command !== '' && inputs['job-id'] === ''
  const conversation = isPlain ? undefined : await readPosts(trigger, found, isReply, run)
  if (isReply) {
    const posts =
      conversation && conversation.posts.length > 0 ? renderMessageContext(conversation) : ''
    const prompt = [command, posts.trim()].join('\n\n').trim()
    return { ...sourcesOf(trigger, [], run), prompt, contextCounts: undefined }
  }
  const signals = (await readers?.signals()) ?? []
  const written = assemblePrompt({ ...parts, command }, '')
  const facts = {
    mergedPulls,
    signals,
    conversation,
    lastJob: found.lastJob,
    previous: action.kind === 'create' ? action.previous : undefined,
    promptBytes: byteLength(written),
  }
  const { text, stats, sources } = await describeEvent(trigger, facts, run)
  return {
    ...sources,
    prompt: assemblePrompt({ ...parts, command }, run.redact(text)),
    contextCounts: stats,
  }
}

/** What a message also asks for: to resolve conflicts, and to keep what people have committed. */
function requestsFor({ conflicts, editors }: PullState): string {
  return joinSentences(
    conflicts === true
      ? 'Your pull request conflicts with its base branch. Bring it up to date with the base branch and resolve the conflicts as well; keep what was merged there in the meantime.'
      : '',
    editors === '' ? '' : `Your pull request has commits by ${editors}. Keep their changes.`,
  )
}

/** What those who may ask have written before the command: for a message, since the last one. */
async function readPosts(
  { event, command }: Trigger,
  { thread }: Found,
  isReply: boolean,
  run: Run,
): Promise<PriorPosts | undefined> {
  if (command === undefined || thread === undefined) return undefined
  const { comments, ownIds, lastToldId } = thread
  const { kind, rootId: commandRoot } = command.source.thread
  const posts = comments
    .filter(({ rootId }) => kind === 'main' || rootId === commandRoot)
    .map(({ ref: { id }, author, body, createdAt }) => ({ id, author, body, createdAt }))
  const { comment } = event.payload
  return await selectPosts(posts, {
    commandId: comment?.id ?? 0,
    writtenAt: comment?.created_at ?? '',
    asker: { id: command.author.id, login: command.author.login },
    ours: ownIds,
    ...(isReply && lastToldId !== undefined && { sinceId: lastToldId }),
    async mayAsk(user) {
      const answer = await mayAsk(user, run)
      if (!answer.known) {
        const lost = 'The agent is not told what this account wrote.'
        run.log.cost(`Failed to read the permission of ${user.login}: ${answer.why}. ${lost}`)
      }
      return answer.known && answer.value
    },
  })
}

/** More commits than this are taken for a change, like a push of so many. */
const MAX_COMMITS = 20

/**
 * Why a schedule starts no job (`skip-unchanged`): since the step's last job the branch has no commit but the agent's own.
 *
 * @returns `undefined` if there is one, or that can't be told
 */
export async function findUnchanged(
  { name }: GitHubEvent,
  { lastJob }: Found,
  { inputs, environment, github }: Run,
): Promise<string | undefined> {
  const base = lastJob.known ? lastJob.value : undefined
  const isAsked =
    inputs['skip-unchanged'] && name === 'schedule' && inputs['reader-signals'] !== 'agent'
  if (!isAsked || base === undefined) return undefined
  const reason = `no commit on this branch since this step's last job (on ${base.sha.slice(0, 7)}) but the agent's own`
  if (base.sha === environment.sha) return reason
  const basehead = `${base.sha}...${environment.sha}`
  const compared = await github.read(() =>
    github.call<Comparison>(({ rest }) =>
      rest.repos.compareCommitsWithBasehead({ ...github.repository, basehead }),
    ),
  )
  if (!compared.known) return undefined
  const { status, commits } = compared.value
  if (status !== 'ahead' || !commits || commits.length > MAX_COMMITS) return undefined
  const origins = commits.map(({ sha, commit, author }) => ({
    sha: sha ?? '',
    message: commit?.message ?? '',
    login: author?.login,
    email: commit?.author?.email,
  }))
  const merged = await readMergedPulls(origins, { level: 'notice' }, github)
  const isOwn = origins.every((one) => ownAuthor(one, inputs, merged.get(one.sha)) !== undefined)
  return isOwn ? reason : undefined
}
