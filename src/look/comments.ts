import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Maybe } from '../github/client.ts'
import { GitHubError } from '../github/github-errors.ts'
import {
  type CommentRef,
  createComment,
  editComment,
  isSameAccount,
  listComments,
  pullRequestThread,
  readPermissionOf,
  readVisible,
  type Thread,
  type ThreadComment,
} from '../github/pull-requests.ts'
import { canWriteComments } from '../inputs/table.ts'
import { joinMarkdown, Markdown } from '../lib/markdown.ts'
import { cleanMarkdown, isRecord, parseJson } from '../lib/text.ts'
import { type Environment, isRerun, type Run, stepNames } from '../runner/run.ts'
import { type Attempt, type EarlierRuns, MAYBE_STARTED, NOTHING_EARLIER } from './earlier-runs.ts'
import { isJobId, type NamedJob, type RecordState } from './status.ts'
import type { Command, Trigger } from './trigger.ts'

/** What a job is about, for people. */
export type SourceItem = {
  readonly kind:
    | 'pull'
    | 'commit'
    | 'release'
    | 'issue'
    | 'discussion'
    | 'command'
    | 'review'
    | 'workflow'
    | 'content-gaps'
  readonly url: string
  readonly title: string
  /** Login; empty if unknown. */
  readonly author: string
}

/** Marker of a reply to a command, or of a status comment. */
export type RecordMarker = {
  readonly kind: 'reply' | 'status'
  /** As in the step's commit status: with `failure` and without a job, nothing was started. */
  readonly state: RecordState
  /** ID of the job; empty while there is none. */
  readonly job: string
  /** URL of the job's pull request; empty while it is unknown. */
  readonly pull: string
  /** When the job was first named here, in milliseconds since the epoch; 0 while there is none. */
  readonly recordedAt: number
  /** See `hashProject`. */
  readonly project: string
  /** Workflow file, job, step, and matrix values, so that no two steps use the same comment. */
  readonly step: string
  /** ID of the workflow run that wrote the comment last. */
  readonly run: string
  /** The comment that a reply answers, such as `main/5001`; otherwise empty. */
  readonly source: string
}

/** A job or message in the source comment. */
export type SourceLine = {
  /** Milliseconds since the epoch. */
  readonly atMs: number
  readonly job: string
  /** URL of the run, and its event; empty for an earlier job, whose details are unknown. */
  readonly run: string
  readonly event: string
  readonly items: readonly SourceItem[]
  /** How many more there were. */
  readonly more: number
}

/** Marker of the source comment. */
export type SourceCommentMarker = {
  readonly kind: 'source'
  readonly project: string
  /** ID of the docs pull request's repository; its name if that is unknown. */
  readonly repository: string
  /** The job that opened or updated the pull request last. */
  readonly job: string
  /** Newest first; none if more people can read the docs repository than the run's. */
  readonly lines: readonly SourceLine[]
  /** How many older lines were left out. */
  readonly older: number
}

/** What a comment of the action tells later runs, hidden from people. */
type Marker = RecordMarker | SourceCommentMarker

/** A comment that this action wrote for any step: its marker is signed, and its author is the token's account. */
type OwnComment<T extends Marker = Marker> = { readonly ref: CommentRef; readonly marker: T }
type Reply = OwnComment<RecordMarker>

/**
 * Finds what earlier runs recorded in comments: an earlier attempt's reply, and the job of the step's newest reply in the
 * thread, otherwise that of the source comment on the docs pull request.
 *
 * @throws {NeededCallError}
 */
export async function findInComments(command: Command, run: Run): Promise<EarlierRuns> {
  const { kind, fresh, source } = command
  const { thread } = source
  const { inputs, environment, github } = run
  const isReview = kind === 'review'
  const isAgain = isRerun(environment) && !inputs['dry-run']
  const mayHaveReply = isAgain && canWriteComments(inputs)
  const mayContinue = (isReview || (!fresh && inputs['follow-up'])) && inputs['job-id'] === ''
  const none: EarlierRuns = {
    ...NOTHING_EARLIER,
    attempt: { kind: isAgain ? 'not-recorded' : 'none' },
  }
  const isNeeded = mayContinue || mayHaveReply
  if (!isNeeded && inputs.context === 'none') return none
  const call = { purpose: 'look for an earlier job', permission: readPermissionOf(thread) }
  const list = () => listThread(thread, run)
  const listed = isNeeded ? await github.need(call, list) : await listOptional(list, run)
  if (listed === undefined) return none
  const { all: comments, own } = listed
  const keys = markerKeys(command, run)
  const replies = own.flatMap(({ ref, marker }): Reply[] =>
    marker.kind === 'reply' && marker.project === keys.project ? [{ ref, marker }] : [],
  )
  const ofStep = replies.filter((reply) => reply.marker.step === keys.step)
  const isOfRun = (reply: Reply) =>
    reply.marker.run === keys.run && reply.marker.source === keys.source
  const ofRun = ofStep.findLast(isOfRun)
  const others = ofStep.filter((reply) => !isOfRun(reply))
  // A review goes to the job of its pull request.
  const last = isReview ? undefined : others.findLast((reply) => reply.marker.job !== '')
  const answered = comments.find(({ ref }) => last?.marker.source === `${thread.kind}/${ref.id}`)
  const found: EarlierRuns = {
    ...none,
    attempt: mayHaveReply ? readReply(ofRun?.marker) : none.attempt,
    reply: ofRun?.ref,
    thread: {
      comments,
      ownIds: new Set(own.map(({ ref }) => ref.id)),
      lastIncludedId: (answered ?? last)?.ref.id,
    },
  }
  if (isReview && !ofRun && replies.some((reply) => reply.marker.source === keys.source))
    return { ...found, isAnswered: true }
  if (!mayContinue) return found
  const newest = others.at(-1)
  const isUnnamed = newest?.marker.job === '' && newest.marker.state !== 'failure'
  const unnamed = isUnnamed ? newest.ref.url : ''
  if (last) return { ...found, unnamed, earlierJob: jobOfReply(last.marker) }
  const ofPull = thread.isPull
    ? await github.need(call, () => findOfDocsPull(thread, listed, run))
    : {}
  return { ...found, unnamed, ...ofPull }
}

/** Lists the comments before a command for the prompt alone. */
async function listOptional(
  list: () => Promise<ListedThread>,
  { github }: Run,
): Promise<ListedThread | undefined> {
  const call = { purpose: 'read the comments before the command', permission: 'issues: read' }
  const listed = await github.attemptAndReport(call, list)
  return listed.known ? listed.value : undefined
}

/** Returns what distinguishes the comment of a run from others of this action. */
export function markerKeys(
  command: Command | undefined,
  run: Run,
): Pick<RecordMarker, 'project' | 'step' | 'run' | 'source'> {
  const { inputs, environment } = run
  const { workflow, job, step } = stepNames(environment)
  // A review may have the number of a comment.
  const sourceKind = command?.kind === 'review' ? 'changes' : command?.source.thread.kind
  return {
    project: hashProject(run),
    step: [workflow, job, step, inputs.matrix].join('/'),
    run: environment.runId,
    source: command === undefined ? '' : `${sourceKind}/${command.source.id}`,
  }
}

/** Reads the outcome of an earlier attempt from its reply. */
function readReply(before: RecordMarker | undefined): Attempt {
  if (!before) return { kind: 'none' }
  if (before.job !== '') return { kind: 'job', job: jobOfReply(before) }
  return before.state === 'failure' ? { kind: 'none' } : MAYBE_STARTED
}

function jobOfReply({ job, pull, recordedAt }: RecordMarker): NamedJob {
  return { id: job, prLink: pull, recordedAtMs: recordedAt }
}

/** Maximum number of unverified markers that the action asks Mintlify about. */
const MAX_UNSIGNED = 5

/**
 * Finds the job of a docs pull request by its source comment: one that this run can verify, otherwise unverified jobs,
 * for Mintlify to confirm. Or throws a GitHubError.
 */
async function findOfDocsPull(
  { kind, number }: Thread,
  inThread: ListedThread,
  run: Run,
): Promise<Partial<Pick<EarlierRuns, 'earlierJob' | 'unsignedJobs'>>> {
  const { github, environment } = run
  const main = kind === 'review' ? await listThread(pullRequestThread(number), run) : inThread
  const prLink = `${github.serverUrl}/${environment.repository}/pull/${number}`
  const source = findSourceComment(main.own, run)
  const jobOf = ({ job }: SourceCommentMarker, recordedAtMs: number): NamedJob[] =>
    isJobId(job) ? [{ id: job, prLink, recordedAtMs }] : []
  if (source) {
    const { marker } = source
    return { earlierJob: jobOf(marker, marker.lines[0]?.atMs ?? 0)[0] }
  }
  const project = hashProject(run)
  const named = main.all.flatMap(({ body, createdAt }) => {
    const marker = readPayload(MARKER.exec(body)?.[1])
    const isOurs = marker?.kind === 'source' && marker.project === project
    const jobs = isOurs ? jobOf(marker, Date.parse(createdAt) || 0) : []
    // An odd ID that a stranger wrote may be refused by a firewall, which would look like a failure of Mintlify.
    return jobs.filter(({ id }) => /^[\w.:~-]+$/.test(id))
  })
  const unsignedJobs = named.filter(
    ({ id }, index) => named.findIndex((one) => one.id === id) === index,
  )
  // The oldest first, because strangers can only add later ones.
  return { unsignedJobs: unsignedJobs.slice(0, MAX_UNSIGNED) }
}

/** Finds the project's source comment among those that this action wrote in the thread of a docs pull request. */
export function findSourceComment(
  own: readonly OwnComment[],
  run: Run,
): OwnComment<SourceCommentMarker> | undefined {
  const project = hashProject(run)
  const found = own.flatMap(({ ref, marker }) =>
    marker.kind === 'source' && marker.project === project ? [{ ref, marker }] : [],
  )
  return found.at(-1)
}

/** Hashes the project for markers, so that it can't be read there. */
export function hashProject({ inputs }: Run): string {
  const named = JSON.stringify([inputs['base-url'].href, inputs['project-id']])
  return createHash('sha256').update(named).digest('hex').slice(0, 16)
}

/** The comments of a thread, oldest first, and those of them that this action wrote. */
type ListedThread = {
  readonly all: readonly ThreadComment[]
  readonly own: readonly (OwnComment & Pick<ThreadComment, 'author'>)[]
}

/** Lists the comments of a thread. Or throws a GitHubError. */
export async function listThread(thread: Thread, run: Run): Promise<ListedThread> {
  const { github } = run
  const all = await listComments(github, thread)
  const signed = all.flatMap(({ ref, author, body }) => {
    const marker = readMarker(body, thread, run)
    return marker ? [{ ref, author, marker }] : []
  })
  const account = signed.length > 0 ? await github.account() : undefined
  return { all, own: signed.filter(({ author }) => isSameAccount(account, author)) }
}

const MARKER = /^<!-- docs-agent ([\w-]{1,90000})\.([\w-]{43}) -->/

/** Reads the marker that a comment in this thread begins with; `undefined` if this action didn't sign one. */
function readMarker(body: string, thread: Thread, run: Run): Marker | undefined {
  const [, payload = '', signature = ''] = MARKER.exec(body) ?? []
  // Without the key, as in a dry run, no signature can be checked.
  if (payload === '' || run.inputs['api-key'] === '') return undefined
  const isOurs = timingSafeEqual(Buffer.from(signature, 'base64url'), sign(payload, thread, run))
  return isOurs ? readPayload(payload) : undefined
}

/** Reads the payload of a marker, which anyone may have written. */
function readPayload(payload = ''): Marker | undefined {
  const marker = parseJson(Buffer.from(payload, 'base64url').toString())
  return isRecord(marker) ? (marker as unknown as Marker) : undefined
}

/**
 * Renders a marker for the beginning of a comment. It is signed with a key derived from the API key, so that others
 * can't make one, or copy one to another thread or repository.
 */
function renderMarker(marker: Marker, thread: Thread, run: Run): Markdown {
  const payload = Buffer.from(run.redact(JSON.stringify(marker))).toString('base64url')
  const signature = sign(payload, thread, run).toString('base64url')
  return Markdown.raw(`<!-- docs-agent ${payload}.${signature} -->`)
}

function sign(payload: string, thread: Thread, { inputs, environment }: Run): Buffer {
  const { number, rootId } = thread
  const info = 'docs-agent-action comment marker 4'
  const key = Buffer.from(hkdfSync('sha256', inputs['api-key'], '', info, 32))
  const signed = JSON.stringify([repositoryKey(thread, environment), number, rootId, payload])
  return createHmac('sha256', key).update(signed).digest()
}

/** Returns the ID of a thread's repository, which a rename doesn't change; its name if the ID is unknown. */
export function repositoryKey(
  { repository, repositoryId }: Thread,
  environment: Environment,
): string {
  if (repository !== undefined) return repositoryId || repository.toLowerCase()
  return environment.repositoryId || environment.repository.toLowerCase()
}

/** A comment as it is to be written. */
export type Draft = { readonly marker: Marker; readonly text: Markdown }

/** Where a comment is, or is to be. */
export type CommentPlace = {
  readonly thread: Thread
  /** The comment if it is known to exist. */
  readonly ref?: CommentRef | undefined
  /** Whether it may exist although it is unknown: then it is looked for before it is written. */
  readonly mayExist: boolean
}

/**
 * Writes a comment, or edits one that exists. One that may have arrived is looked for before it is written again. Or throws
 * a GitHubError.
 *
 * @param isLast whether one that was deleted is written again
 */
export async function writeComment(
  place: CommentPlace,
  draft: Draft,
  isLast: boolean,
  run: Run,
): Promise<CommentRef> {
  const { thread } = place
  const { github } = run
  const marker = renderMarker(draft.marker, thread, run)
  const body = run.redact(joinMarkdown([marker, draft.text], '\n').source)
  const find = async (): Promise<CommentRef | undefined> => {
    const { own } = await listThread(thread, run)
    return own.findLast((one) => isSameComment(one.marker, draft.marker))?.ref
  }
  const ref = place.ref ?? (place.mayExist ? await find() : undefined)
  if (!ref) return await createComment(github, thread, body, find)
  try {
    await editComment(github, ref, body)
    return ref
  } catch (error) {
    const isGone = error instanceof GitHubError && (error.status === 404 || error.status === 410)
    if (!isLast || !isGone || !place.ref) throw error
    // The answer may be wrong: only a comment that can't be found was deleted.
    return await writeComment({ thread, mayExist: true }, draft, isLast, run)
  }
}

/** Whether two markers belong to the same comment. */
function isSameComment(one: Marker, other: Marker): boolean {
  if (one.project !== other.project || one.kind !== other.kind) return false
  if (one.kind === 'source' || other.kind === 'source') return true
  if (one.step !== other.step) return false
  return one.kind === 'status' || (one.run === other.run && one.source === other.source)
}

/** The comments before a command. */
export type PriorPosts = {
  /** By people of the repository, oldest first. */
  readonly posts: readonly Pick<ThreadComment, 'ref' | 'author' | 'body' | 'createdAt'>[]
  /** How many comments others have written, were hidden, or show no text. */
  readonly others: number
}

/** Whether GitHub's word for an author's relation to the repository is one of those whose comments an agent reads. */
export function isInsider(association: Maybe<string>): boolean {
  return ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(association ?? '')
}

/** Reads the comments that people of the repository wrote before a command: for a message, since the last one. */
export async function readPosts(
  { event: { payload }, command }: Trigger,
  { thread }: Pick<EarlierRuns, 'thread'>,
  isReply: boolean,
  run: Run,
): Promise<PriorPosts | undefined> {
  if (command === undefined || thread === undefined) return undefined
  const { source } = command
  const { id: commandId, created_at: writtenAt } = payload.comment ?? {}
  const { kind, rootId } = source.thread
  const comments = thread.comments.filter((one) => kind === 'main' || one.rootId === rootId)
  const start = isReply ? comments.findIndex(({ ref }) => ref.id === thread.lastIncludedId) + 1 : 0
  // A command that was deleted meanwhile isn't listed, so its time decides.
  const end = comments.findIndex(
    ({ ref, createdAt }) => ref.id === commandId || (writtenAt && createdAt > writtenAt),
  )
  const before = comments
    .slice(start, end < 0 ? undefined : end)
    .filter(({ ref }) => !thread.ownIds.has(ref.id))
  // What strangers wrote is only counted, because they can write as much as they like.
  const chosen = before.filter(
    ({ association, body }) => isInsider(association) && cleanMarkdown(body) !== '',
  )
  const visible =
    chosen.length === 0 ? new Set<number>() : await readVisible(source.thread, run.github)
  if (visible === undefined) return undefined
  const posts = chosen.filter(({ ref }) => visible.has(ref.id))
  return { posts, others: before.length - posts.length }
}
