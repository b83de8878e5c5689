import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Trigger } from '../events/trigger.ts'
import type { Thread } from '../github/comments.ts'
import type { Inputs } from '../inputs/table.ts'
import { parseJson, stringField } from '../lib/json.ts'
import { Markdown } from '../lib/markdown.ts'
import { stepNames } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'

/** What a comment of ours tells later runs, unseen by people. */
export type Marker = {
  readonly kind: 'reply' | 'status' | 'announcement'
  /** Of a reply, as of the step's commit status: without a job and with `failure`, nothing was started. */
  readonly state: 'pending' | 'success' | 'failure' | 'error'
  /** Id of the job; empty while there is none. */
  readonly job: string
  /** URL of the job's pull request; empty while none is known. */
  readonly pull: string
  /** See `hashProject`. */
  readonly project: string
  /** Workflow file, job, step and leg, so that no two steps take each other's comments. */
  readonly step: string
  /** Id of the workflow run that wrote the comment last. */
  readonly run: string
  /** What a reply answers, such as `issue-comment/5001`; of an announcement, the open pull request it is for; else empty. */
  readonly source: string
  /** When the job was first named here, in milliseconds since the epoch; 0 while there is none. */
  readonly namedAt: number
}

const PATTERN = /^<!-- docs-agent ([\w-]+)\.([\w-]{43}) -->/

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
    const match = PATTERN.exec(body)
    if (match === null) return undefined
    const [, payload = '', signature = ''] = match
    const isOurs = timingSafeEqual(Buffer.from(signature, 'base64url'), this.#sign(payload, thread))
    // Signed by us: it is what `render` wrote.
    return isOurs ? (parsePayload(payload) as Marker | undefined) : undefined
  }

  #sign(payload: string, { number, rootId }: Thread): Buffer {
    const signed = JSON.stringify([this.#repository, number, rootId, payload])
    return createHmac('sha256', this.#key).update(signed).digest()
  }
}

function parsePayload(payload: string): unknown {
  return parseJson(Buffer.from(payload, 'base64url').toString())
}

/** The project that a marker names, whoever signed it; empty if it names none. */
export function unverifiedProject(body: string): string {
  return stringField(parsePayload(PATTERN.exec(body)?.[1] ?? ''), 'project') ?? ''
}

/** A project as markers name it: not readable, and the same for the same project of the same service only. */
export function hashProject(inputs: Pick<Inputs, 'base-url' | 'project-id'>): string {
  const named = JSON.stringify([inputs['base-url'].href, inputs['project-id']])
  return createHash('sha256').update(named).digest('hex').slice(0, 16)
}

/** The marker of the comment that a run is to write: a reply to its command, else a status comment. */
export function createMarker(
  { command }: Pick<Trigger, 'command'>,
  { inputs, environment }: Pick<Run, 'inputs' | 'environment'>,
): Marker {
  const { workflow, job, step } = stepNames(environment, inputs.matrix)
  return {
    kind: command === undefined ? 'status' : 'reply',
    state: 'pending',
    job: '',
    pull: '',
    project: hashProject(inputs),
    step: `${workflow}/${job}/${step}`,
    run: environment.runId,
    source: command === undefined ? '' : `${command.source.kind}/${command.source.id}`,
    namedAt: 0,
  }
}

/** Whether two markers are of the comment that there is to be only one of. */
export function isSameComment(one: Marker, other: Marker): boolean {
  if (one.kind !== other.kind || one.project !== other.project) return false
  if (one.kind === 'announcement') return one.job === other.job
  const isOfStep = one.step === other.step
  return isOfStep && (one.kind === 'status' || (one.run === other.run && one.source === other.source))
}
