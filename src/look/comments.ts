import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { GitHubError, type Lookup, NOT_FOUND } from '../github/github-errors.ts'
import {
  type CommentRef,
  createComment,
  editComment,
  isSameAccount,
  listComments,
  pullRequestThread,
  type Thread,
  type ThreadComment,
  writePermission,
} from '../github/pull-requests.ts'
import { canWriteComments } from '../inputs/table.ts'
import { joinMarkdown, Markdown } from '../lib/markdown.ts'
import { parseJson } from '../lib/text.ts'
import { isRerun, type Run } from '../runner/run.ts'
import type { Attempt, EarlierRuns } from './earlier-runs.ts'
import type { NamedJob } from './status.ts'
import type { Command } from './trigger.ts'

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

/** What a comment of the action tells later runs, hidden from people. */
type Marker = RecordMarker | SourceCommentMarker

/** Marker of a reply to a command, or of a status comment. */
export type RecordMarker = {
  readonly kind: 'reply' | 'status'
  /** As in the step's commit status: with `failure` and without a job, nothing was started. */
  readonly state: 'pending' | 'success' | 'failure' | 'error'
  /** ID of the job; empty while there is none. */
  readonly job: string
  /** URL of the job's pull request; empty while it is unknown. */
  readonly pull: string
  /** When the job was first named here, in milliseconds since the epoch; 0 while there is none. */
  readonly namedAt: number
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
  /** ID of the job; empty if more people can read the docs repository than the run's. */
  readonly job: string
  /** URL of the run, and its event; empty for an earlier job, whose details are unknown. */
  readonly run: string
  readonly event: string
  readonly items: readonly SourceItem[]
  /** How many more there were. */
  readonly more: number
}

/** Whose reviews were requested on a docs pull request. */
export type ReviewRequests = {
  /** Whether the reviewers and labels of the run that opened it are set. */
  readonly isSetUp: boolean
  /** Logins and teams that were asked, or that can't be asked. */
  readonly asked: readonly string[]
  /** How many of them were asked by updates. */
  readonly later: number
}

/** Marker of the source comment. */
export type SourceCommentMarker = {
  readonly kind: 'source'
  readonly project: string
  /** Newest first. */
  readonly lines: readonly SourceLine[]
  /** How many older lines were left out. */
  readonly older: number
  /** `undefined` if no run wanted reviewers or labels. */
  readonly requests?: ReviewRequests | undefined
}

const MARKER = /^<!-- docs-agent ([\w-]+)\.([\w-]{43}) -->/

/**
 * Renders a marker for the beginning of a comment. It is signed with a key derived from the API key, so that nobody else
 * can make one, or copy one to another thread or repository.
 */
function renderMarker(marker: Marker, thread: Thread, run: Run): Markdown {
  const payload = Buffer.from(run.redact(JSON.stringify(marker))).toString('base64url')
  return Markdown.raw(
    `<!-- docs-agent ${payload}.${sign(payload, thread, run).toString('base64url')} -->`,
  )
}

/** Reads the marker that a comment in this thread begins with; `undefined` if this action didn't sign one. */
function readMarker(body: string, thread: Thread, run: Run): Marker | undefined {
  const [, payload = '', signature = ''] = MARKER.exec(body) ?? []
  // Without the key, as in a dry run, no signature can be checked.
  if (payload === '' || run.inputs['api-key'] === '') return undefined
  const isOurs = timingSafeEqual(Buffer.from(signature, 'base64url'), sign(payload, thread, run))
  // It is signed, so it is what `renderMarker` wrote.
  return isOurs
    ? (parseJson(Buffer.from(payload, 'base64url').toString()) as Marker | undefined)
    : undefined
}

function sign(
  payload: string,
  { repository, number, rootId }: Thread,
  { inputs, environment }: Run,
): Buffer {
  const key = Buffer.from(
    hkdfSync('sha256', inputs['api-key'], '', 'docs-agent-action comment marker 3', 32),
  )
  const signed = JSON.stringify([
    (repository ?? environment.repository).toLowerCase(),
    number,
    rootId,
    payload,
  ])
  return createHmac('sha256', key).update(signed).digest()
}

/** Hashes the project for markers, so that it can't be read there. */
export function hashProject({ inputs }: Run): string {
  const named = JSON.stringify([inputs['base-url'].href, inputs['project-id']])
  return createHash('sha256').update(named).digest('hex').slice(0, 16)
}

/** A comment that this action wrote for any step: its marker is signed, and its author is the token's account. */
type OwnComment = { readonly ref: CommentRef; readonly marker: Marker }

/** The comments of a thread, oldest first, and which of them this action wrote. */
type ThreadComments = {
  readonly all: readonly ThreadComment[]
  readonly own: readonly OwnComment[]
}

/** A comment as it is to be written. */
export type Draft = { readonly marker: Marker; readonly text: Markdown }

/** Lists all comments of a thread. */
export async function listThread(thread: Thread, run: Run): Promise<Lookup<ThreadComments>> {
  const { github } = run
  return await github.read(async () => {
    const all = await listComments(github, thread)
    const signed = all.flatMap(({ ref, author, body }) => {
      const marker = readMarker(body, thread, run)
      return marker === undefined ? [] : [{ ref, author, marker }]
    })
    if (signed.length === 0) return { all, own: [] }
    const account = await github.account()
    return { all, own: signed.filter(({ author }) => isSameAccount(account, author)) }
  })
}

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
    const listed = await listThread(thread, run)
    if (!listed.known) throw listed.error
    return listed.value.own.findLast((one) => isSameComment(one.marker, draft.marker))?.ref
  }
  const ref = place.ref ?? (place.mayExist ? await find() : undefined)
  if (ref === undefined) return await createComment(github, thread, body, find)
  try {
    await editComment(github, ref, body)
    return ref
  } catch (error) {
    const isGone = error instanceof GitHubError && (error.status === 404 || error.status === 410)
    if (!isLast || !isGone || place.ref === undefined) throw error
    // The answer may be wrong: only a comment that can't be found was deleted.
    return await writeComment({ thread, mayExist: true }, draft, isLast, run)
  }
}

/** Whether two markers belong to the same comment. */
function isSameComment(one: Marker, other: Marker): boolean {
  if (one.project !== other.project) return false
  if (one.kind === 'source' || other.kind === 'source') return one.kind === other.kind
  if (one.kind !== other.kind || one.step !== other.step) return false
  return one.kind === 'status' || (one.run === other.run && one.source === other.source)
}

/**
 * Finds what earlier runs recorded in comments: an earlier attempt's reply, and the job of the step's newest reply in the
 * thread, otherwise that of the source comment on the docs pull request.
 *
 * @param marker of the reply to the command
 */
export async function findInComments(
  command: Command,
  marker: RecordMarker,
  run: Run,
): Promise<EarlierRuns> {
  const { inputs, environment } = run
  const { thread } = command.source
  const isAgain = isRerun(environment) && !inputs['dry-run']
  const isReview = command.kind === 'review'
  const mayContinue =
    (isReview || (!command.fresh && inputs['follow-up'])) && inputs['job-id'] === ''
  const remembers = canWriteComments(inputs)
  const forgotten: Attempt = { kind: isAgain ? 'forgotten' : 'none' }
  const none: EarlierRuns = {
    attempt: forgotten,
    earlierJob: NOT_FOUND,
    lastJob: NOT_FOUND,
    reachedLimit: false,
    unnamed: '',
    thread: undefined,
  }
  if (!mayContinue && !(isAgain && remembers) && inputs.context === 'none') return none
  const listed = await listThread(thread, run)
  if (!listed.known) {
    if (inputs.context !== 'none') {
      const purpose = 'list the comments before the command'
      const effect = "the prompt doesn't include the conversation"
      run.github.report(listed.error, {
        purpose,
        permission: writePermission(thread),
        effect,
      })
    }
    const attempt: Attempt =
      isAgain && remembers ? { kind: 'unknown', why: listed.why, error: listed.error } : forgotten
    return { ...none, attempt, earlierJob: mayContinue ? listed : NOT_FOUND }
  }
  const { all: comments, own } = listed.value
  const replies = own.flatMap(({ ref, marker: one }) =>
    one.kind === 'reply' ? [{ ref, marker: one }] : [],
  )
  const before = replies.findLast((one) => isSameComment(one.marker, marker))
  const ofStep = replies.filter(
    ({ marker: one }) =>
      one.project === marker.project && one.step === marker.step && !isSameComment(one, marker),
  )
  // Of other jobs, too: a review goes to the job of its pull request.
  const last =
    mayContinue && !isReview ? ofStep.findLast((one) => one.marker.job !== '') : undefined
  const found: EarlierRuns = {
    ...none,
    attempt: isAgain && remembers ? readAttempt(before?.marker) : forgotten,
    reply: before?.ref,
    thread: {
      comments,
      ownIds: new Set(own.map(({ ref }) => ref.id)),
      lastToldId: last && toldId(last, comments),
    },
  }
  if (!mayContinue) return found
  const unnamed = unnamedReply(ofStep.at(-1))
  if (last === undefined)
    return {
      ...found,
      unnamed,
      earlierJob: await findInSourceComment(command, own, marker.project, run),
    }
  const markers = ofStep.map((one) => one.marker)
  return { ...found, unnamed, earlierJob: { known: true, value: jobOfReply(last.marker, markers) } }
}

function readAttempt(before: RecordMarker | undefined): Attempt {
  if (before === undefined) return { kind: 'none' }
  if (before.job !== '') return { kind: 'job', job: jobOfReply(before, [before]) }
  return { kind: before.state === 'failure' ? 'none' : 'maybe-started' }
}

/** Reads the job of a reply. While it is running it has no link to its pull request, but an older reply may have it. */
function jobOfReply(
  { job, pull, namedAt }: RecordMarker,
  others: readonly RecordMarker[],
): NamedJob {
  const withPull = others.findLast((one) => one.job === job && one.pull !== '')
  return { id: job, prLink: pull || withPull?.pull || '', namedAtMs: namedAt }
}

/** Finds the job of the source comment if the command is on the docs pull request. */
async function findInSourceComment(
  { source: { thread } }: Command,
  own: readonly OwnComment[],
  project: string,
  run: Run,
): Promise<EarlierRuns['earlierJob']> {
  let inMain = own
  if (thread.kind === 'review') {
    const listed = await listThread(pullRequestThread(thread.number), run)
    if (!listed.known) return listed
    inMain = listed.value.own
  }
  const sourceComments = inMain.flatMap(({ marker: one }) => (one.kind === 'source' ? [one] : []))
  const line = sourceComments.findLast((one) => one.project === project)?.lines[0]
  const prLink = `${run.github.serverUrl}/${run.environment.repository}/pull/${thread.number}`
  return { known: true, value: line && { id: line.job, prLink, namedAtMs: line.atMs } }
}

/** Returns the URL of a reply that may have started a job which it doesn't name; empty if it didn't. */
function unnamedReply(newest: { ref: CommentRef; marker: RecordMarker } | undefined): string {
  const { job, state } = newest?.marker ?? { job: '', state: 'failure' }
  return job === '' && state !== 'failure' ? (newest?.ref.url ?? '') : ''
}

/** Returns the ID of the comment that a reply answers if it is one of these, otherwise the reply's. */
function toldId(
  { ref, marker }: { readonly ref: OwnComment['ref']; readonly marker: RecordMarker },
  comments: readonly ThreadComment[],
): number {
  const id = Number(/^(?:main|review)\/(\d+)$/.exec(marker.source)?.[1])
  return comments.some((one) => one.ref.id === id) ? id : ref.id
}
