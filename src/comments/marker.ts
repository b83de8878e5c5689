import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Thread } from '../github/comments.ts'
import type { Inputs } from '../inputs/table.ts'
import { parseJson } from '../lib/json.ts'
import { Markdown } from '../lib/markdown.ts'

/** What a comment of ours tells later runs, unseen by people. */
export type Marker = {
  readonly kind: 'reply' | 'status' | 'announcement'
  /** Id of the job; empty while there is none. */
  readonly job: string
  /** URL of the job's pull request; empty while none is known. */
  readonly pull: string
  /** See `hashProject`. */
  readonly project: string
  /** Workflow file, job and step, so that no two steps take each other's comments. */
  readonly step: string
  /** Id of the workflow run that wrote the comment last, and which attempt of it. */
  readonly run: string
  readonly attempt: string
  /** What a reply answers, such as `issue-comment/5001`; else empty. */
  readonly source: string
  /** When the job was first named here, in milliseconds since the epoch; 0 while there is none. */
  readonly namedAt: number
}

/**
 * Writes and reads markers. They are signed, with a key derived from the API key, so that nobody else can make one, or
 * copy one to another conversation.
 */
export class Markers {
  readonly #key: Buffer
  readonly #repository: string

  /** @param apiKey must not be empty where a marker is to count */
  constructor(apiKey: string, repository: string) {
    this.#key = Buffer.from(hkdfSync('sha256', apiKey, '', 'docs-agent-action comment marker 2', 32))
    this.#repository = repository.toLowerCase()
  }

  /** The marker as an HTML comment, for the very beginning of a comment in this thread. */
  render(marker: Marker, thread: Thread, redact: (text: string) => string): Markdown {
    const payload = Buffer.from(redact(JSON.stringify(marker))).toString('base64url')
    return Markdown.raw(`<!-- docs-agent ${payload}.${this.#sign(payload, thread).toString('base64url')} -->`)
  }

  /** The marker that a comment in this thread begins with; `undefined` if it has none of ours. */
  read(body: string, thread: Thread): Marker | undefined {
    const [, payload, signature] = /^<!-- docs-agent ([\w-]+)\.([\w-]{43}) -->/.exec(body) ?? []
    if (payload === undefined || signature === undefined) return undefined
    const isOurs = timingSafeEqual(Buffer.from(signature, 'base64url'), this.#sign(payload, thread))
    // Signed by us: it is what `render` wrote.
    return isOurs
      ? (parseJson(Buffer.from(payload, 'base64url').toString()) as Marker | undefined)
      : undefined
  }

  #sign(payload: string, { number, rootId }: Thread): Buffer {
    const signed = JSON.stringify([this.#repository, number, rootId, payload])
    return createHmac('sha256', this.#key).update(signed).digest()
  }
}

/** A project as markers name it: not readable, and the same for the same project of the same service only. */
export function hashProject(inputs: Pick<Inputs, 'base-url' | 'project-id'>): string {
  const named = JSON.stringify([inputs['base-url'].href, inputs['project-id']])
  return createHash('sha256').update(named).digest('hex').slice(0, 16)
}

/** Above zero if a marker was written by a later run than another, or by a later attempt of the same run. */
export function compareRuns(one: Marker, other: Marker): number {
  return Number(one.run) - Number(other.run) || Number(one.attempt) - Number(other.attempt)
}

/** Whether two markers are of the comment that there is to be only one of. */
export function isSameComment(one: Marker, other: Marker): boolean {
  if (one.kind !== other.kind || one.project !== other.project) return false
  if (one.kind === 'announcement') return one.job === other.job
  const isOfStep = one.step === other.step
  return isOfStep && (one.kind === 'status' || (one.run === other.run && one.source === other.source))
}
