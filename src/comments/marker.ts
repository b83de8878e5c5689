import { createHash } from 'node:crypto'
import { Markdown } from '../lib/markdown.ts'
import { isJobId } from '../service/job.ts'

/** What a comment of ours is for. */
const KINDS = ['reply', 'status', 'announcement'] as const

/** Which step of which workflow a comment belongs to, and for which project. */
export type MarkerOwner = {
  /** See `hashProject`. */
  readonly project: string
  /** Workflow, job and step, so that no two steps take each other's comments. */
  readonly step: string
  /** The command that asks this step. */
  readonly command: string
}

/** What a comment of ours says to later runs, unseen by people. */
export type Marker = MarkerOwner & {
  readonly kind: (typeof KINDS)[number]
  /** Id of the job; empty while there is none. */
  readonly job: string
  /** Id of the workflow run that wrote it last. */
  readonly run: string
  /** Id of the comment that it replies to; empty if to none. */
  readonly comment: string
}

const FIELDS = ['kind', 'job', 'project', 'step', 'command', 'run', 'comment'] as const
const NAME = 'docs-agent'

/** A project as markers name it: the same for the same project only, and not to be read back. */
export function hashProject({ baseUrl, projectId }: { baseUrl: URL; projectId: string }): string {
  return createHash('sha256')
    .update(JSON.stringify([baseUrl.href, projectId]))
    .digest('hex')
    .slice(0, 16)
}

/** The marker as an HTML comment, to be put before all else. */
export function renderMarker(marker: Marker): Markdown {
  const fields = FIELDS.map((field) => `${field}=${encode(marker[field])}`)
  return Markdown.trusted(`<!-- ${NAME} ${fields.join(' ')} -->`)
}

/**
 * Reads the marker of a comment; `undefined` if there is none. Only at the very beginning does one count: what we quote
 * comes after it. Who wrote the comment must be looked at besides: anybody can copy a marker.
 */
export function readMarker(body: string): Marker | undefined {
  const [, text] = /^<!-- docs-agent ([^\s>]+(?: [^\s>]+)*) -->/.exec(body) ?? []
  if (text === undefined) return undefined
  const given = new URLSearchParams(text.replaceAll('+', '%2B').replaceAll(' ', '&'))
  const field = (name: string): string => given.get(name) ?? ''
  const kind = KINDS.find((known) => known === field('kind'))
  if (kind === undefined) return undefined
  return {
    kind,
    job: isJobId(field('job')) ? field('job') : '',
    project: field('project'),
    step: field('step'),
    command: field('command'),
    run: field('run'),
    comment: field('comment'),
  }
}

// Two hyphens belong to the end of an HTML comment.
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('--', '-%2D')
}
