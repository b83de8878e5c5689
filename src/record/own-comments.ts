import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { SourceItem } from '../context/gather.ts'
import type { Known } from '../github/client.ts'
import {
  type CommentRef,
  createComment,
  editComment,
  isSameAccount,
  listComments,
  type Thread,
  type ThreadComment,
} from '../github/comments.ts'
import { GitHubError } from '../github/errors.ts'
import { joinMarkdown, Markdown } from '../lib/markdown.ts'
import { parseJson } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'

/** What a comment of ours tells later runs, unseen by people. */
type Marker = RecordMarker | NoteMarker

/** Of a reply to a command, or of the step's comment on a pull request. */
export type RecordMarker = {
  readonly kind: 'reply' | 'status'
  /** As of the step's commit status: without a job and with `failure`, nothing was started. */
  readonly state: 'pending' | 'success' | 'failure' | 'error'
  /** Id of the job; empty while there is none. */
  readonly job: string
  /** URL of the job's pull request; empty while none is known. */
  readonly pull: string
  /** When the job was first named here, in milliseconds since the epoch; 0 while there is none. */
  readonly namedAt: number
  /** See `hashProject`. */
  readonly project: string
  /** Workflow file, job, step and leg, so that no two steps take each other's comments. */
  readonly step: string
  /** Id of the workflow run that wrote the comment last. */
  readonly run: string
  /** What a reply answers, such as `main/5001`; else empty. */
  readonly source: string
}

/** One job or message. */
export type NoteLine = {
  /** Milliseconds since the epoch. */
  readonly atMs: number
  readonly job: string
  /** URL of the run, and its event; empty of an earlier job, of which nothing else is known. */
  readonly run: string
  readonly event: string
  readonly items: readonly SourceItem[]
  /** How many more there were. */
  readonly more: number
}

/** Of the note on a docs pull request. */
export type NoteMarker = {
  readonly kind: 'note'
  readonly project: string
  /** Newest first. */
  readonly lines: readonly NoteLine[]
  /** How many older lines were left out. */
  readonly earlier: number
}

const PATTERN = /^<!-- docs-agent ([\w-]+)\.([\w-]{43}) -->/

/**
 * Renders a marker, for the very beginning of a comment. It is signed, with a key derived from the API key, so that
 * nobody else can make one, or copy one to another thread or repository.
 */
function renderMarker(marker: Marker, thread: Thread, run: Run): Markdown {
  const payload = Buffer.from(run.redact(JSON.stringify(marker))).toString('base64url')
  return Markdown.raw(
    `<!-- docs-agent ${payload}.${sign(payload, thread, run).toString('base64url')} -->`,
  )
}

/** The marker that a comment in this thread begins with; `undefined` if it has none of ours. */
function readMarker(body: string, thread: Thread, run: Run): Marker | undefined {
  const [, payload = '', signature = ''] = PATTERN.exec(body) ?? []
  // Without the key, as in a dry run, none is ours.
  if (payload === '' || run.inputs['api-key'] === '') return undefined
  const isOurs = timingSafeEqual(Buffer.from(signature, 'base64url'), sign(payload, thread, run))
  // Signed by us: it is what `renderMarker` wrote.
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

/** The project as markers name it: not readable, and the same for the same project of the same service only. */
export function hashProject({ inputs }: Run): string {
  const named = JSON.stringify([inputs['base-url'].href, inputs['project-id']])
  return createHash('sha256').update(named).digest('hex').slice(0, 16)
}

/** A comment that this action wrote, for whichever step: its marker is signed, and its author is the token's account. */
export type OwnComment = { readonly ref: CommentRef; readonly marker: Marker }

/** The comments of a thread, oldest first, and which of them are ours. */
type ThreadComments = {
  readonly all: readonly ThreadComment[]
  readonly own: readonly OwnComment[]
}

/** A comment as it is to be written. */
type Draft = { readonly marker: Marker; readonly text: Markdown }

/** Lists all comments of a thread. */
export async function listThread(thread: Thread, run: Run): Promise<Known<ThreadComments>> {
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
export type Place = {
  readonly thread: Thread
  /** The comment if it is known to exist. */
  readonly ref?: CommentRef | undefined
  /** Whether it may exist although it is not known: then it is looked for before it is written. */
  readonly mayExist: boolean
}

/**
 * Writes a comment, or edits one that exists. One that may have arrived is looked for before it is written again. Or a
 * GitHubError.
 *
 * @param isLast whether one that was deleted is written anew
 */
export async function writeComment(
  place: Place,
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
    // A stray answer is told from a deleted comment by looking for it.
    return await writeComment({ thread, mayExist: true }, draft, isLast, run)
  }
}

/** Whether two markers are of the comment that there is to be only one of. */
export function isSameComment(one: Marker, other: Marker): boolean {
  if (one.project !== other.project) return false
  if (one.kind === 'note' || other.kind === 'note') return one.kind === other.kind
  if (one.kind !== other.kind || one.step !== other.step) return false
  return one.kind === 'status' || (one.run === other.run && one.source === other.source)
}
