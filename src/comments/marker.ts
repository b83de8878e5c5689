import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Thread } from '../github/comments.ts'
import { Markdown } from '../lib/markdown.ts'
import { isJobId } from '../service/job.ts'

/** What a comment of ours is for. */
const KINDS = ['reply', 'status', 'announcement'] as const

/** `pending`: no job yet; `job`: its job is known; `ended`: nothing more happens, with or without a job. */
const STATES = ['pending', 'job', 'ended'] as const

/** What a comment of ours says to later runs, unseen by people. */
export type Marker = {
  readonly kind: (typeof KINDS)[number]
  readonly state: (typeof STATES)[number]
  /** Id of the job; empty while there is none. */
  readonly job: string
  /** See `hashProject`. */
  readonly project: string
  /** Workflow file, job and step, so that no two steps take each other's comments. */
  readonly step: string
  /** The command of the step that wrote the comment first; may be empty. */
  readonly command: string
  /** Id of the workflow run that wrote it last, and which attempt of it. */
  readonly run: string
  readonly attempt: string
  /** What the comment replies to, such as `issue-comment/5001`; empty if to nothing. */
  readonly source: string
  /** URL of the job's pull request, where it is one of this GitHub; empty while there is none. */
  readonly pull: string
  /** What an announcement has to remember, as JSON; else empty. */
  readonly history: string
}

const TEXT_FIELDS = [
  'job',
  'project',
  'step',
  'command',
  'run',
  'attempt',
  'source',
  'pull',
  'history',
] as const

/** Writes and reads markers. */
type Markers = {
  /** The marker as an HTML comment, to be put before all else in a comment of this thread. */
  render(marker: Marker, thread: Thread): Markdown
  /**
   * Reads the marker of a comment in this thread; `undefined` if it has none that was signed with our key for that very
   * place. Only one at the very beginning counts: what we quote comes after it.
   */
  read(body: string, thread: Thread): Marker | undefined
}

/**
 * Opens the markers of a repository. They are signed with a key derived from the API key, the place included: what
 * others write, or copy to another thread, is worth nothing.
 *
 * @param apiKey if it is empty, no marker is worth anything
 * @param repository `owner/name`
 */
export function openMarkers({ apiKey, repository }: { apiKey: string; repository: string }): Markers {
  const key = Buffer.from(hkdfSync('sha256', apiKey, '', 'docs-agent-action comment marker 1', 32))

  function sign(fields: string, { number, rootId }: Thread): Buffer {
    const signed = JSON.stringify([repository.toLowerCase(), number, rootId, fields])
    return createHmac('sha256', key).update(signed).digest()
  }

  return {
    render(marker, thread) {
      const fields = renderFields(marker)
      return Markdown.trusted(`<!-- docs-agent ${fields} sig=${sign(fields, thread).toString('hex')} -->`)
    },
    read(body, thread) {
      const [, fields, hex] = /^<!-- docs-agent ([^>]+) sig=([0-9a-f]{64}) -->/.exec(body) ?? []
      if (apiKey === '' || fields === undefined || hex === undefined) return undefined
      return timingSafeEqual(sign(fields, thread), Buffer.from(hex, 'hex')) ? readFields(fields) : undefined
    },
  }
}

/** A project as markers name it: the same for the same project only, and not to be read back. */
export function hashProject({ baseUrl, projectId }: { baseUrl: URL; projectId: string }): string {
  return createHash('sha256')
    .update(JSON.stringify([baseUrl.href, projectId]))
    .digest('hex')
    .slice(0, 16)
}

/** Whether a marker was written by a later run than another, or by a later attempt of the same run. */
export function isNewer(one: Marker, other: Marker): boolean {
  if (one.run !== other.run) return Number(one.run) > Number(other.run)
  return Number(one.attempt) > Number(other.attempt)
}

/** Whether a marker was written by an earlier attempt of the run of another. Legs of a matrix are of the same attempt. */
export function isEarlierAttempt(one: Marker, other: Marker): boolean {
  return one.run === other.run && isNewer(other, one)
}

function renderFields(marker: Marker): string {
  const pairs = (['kind', 'state', ...TEXT_FIELDS] as const).map((name) => `${name}=${encode(marker[name])}`)
  return pairs.join(' ')
}

function readFields(fields: string): Marker | undefined {
  const given = new URLSearchParams(fields.replaceAll('+', '%2B').replaceAll(' ', '&'))
  const field = (name: string): string => given.get(name) ?? ''
  const kind = KINDS.find((known) => known === field('kind'))
  const state = STATES.find((known) => known === field('state'))
  if (kind === undefined || state === undefined) return undefined
  return {
    kind,
    state,
    job: isJobId(field('job')) ? field('job') : '',
    project: field('project'),
    step: field('step'),
    command: field('command'),
    run: field('run'),
    attempt: field('attempt'),
    source: field('source'),
    pull: field('pull'),
    history: field('history'),
  }
}

// Two hyphens belong to the end of an HTML comment.
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('--', '-%2D')
}
