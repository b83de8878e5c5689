import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Thread } from '../github/comments.ts'
import { parseJson } from '../lib/json.ts'
import { Markdown } from '../lib/markdown.ts'
import type { Run } from '../runner/run.ts'

/** What a comment of ours tells later runs, unseen by people. */
export type Marker = RecordMarker | NoteMarker

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
  /** What a reply answers, such as `issue-comment/5001`; else empty. */
  readonly source: string
}

/** What led to a job or a message. */
export type NoteItem = {
  readonly kind: 'pull' | 'commit' | 'release' | 'command' | 'signals'
  readonly url: string
  readonly title: string
  /** Login; empty where it is not known. */
  readonly author: string
}

/** One job or message. */
export type NoteLine = {
  /** Milliseconds since the epoch. */
  readonly atMs: number
  readonly job: string
  /** URL of the run, and its event; empty of an earlier job, of which nothing else is known. */
  readonly run: string
  readonly event: string
  readonly items: readonly NoteItem[]
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
export function renderMarker(marker: Marker, thread: Thread, run: Run): Markdown {
  const payload = Buffer.from(run.redact(JSON.stringify(marker))).toString('base64url')
  return Markdown.raw(`<!-- docs-agent ${payload}.${sign(payload, thread, run).toString('base64url')} -->`)
}

/** The marker that a comment in this thread begins with; `undefined` if it has none of ours. */
export function readMarker(body: string, thread: Thread, run: Run): Marker | undefined {
  const [, payload = '', signature = ''] = PATTERN.exec(body) ?? []
  // Without the key, as in a dry run, none is ours.
  if (payload === '' || run.inputs['api-key'] === '') return undefined
  const isOurs = timingSafeEqual(Buffer.from(signature, 'base64url'), sign(payload, thread, run))
  // Signed by us: it is what `renderMarker` wrote.
  return isOurs ? (parseJson(Buffer.from(payload, 'base64url').toString()) as Marker | undefined) : undefined
}

function sign(payload: string, { repository, number, rootId }: Thread, { inputs, environment }: Run): Buffer {
  const key = Buffer.from(hkdfSync('sha256', inputs['api-key'], '', 'docs-agent-action comment marker 3', 32))
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
