import type { Clock } from '../lib/clock.ts'
import type { Redact } from '../lib/redact.ts'
import { openWorkspace } from '../lib/workspace.ts'
import type { Environment } from '../runner/environment.ts'
import { apiKeyProblem } from '../service/api-key.ts'
import type { VisitorsOptions } from '../visitors/options.ts'
import { type CommentInputs, readCommentInputs } from './comment-inputs.ts'
import { BASE_URL, BOOLEAN, PATH_SEGMENT } from './formats.ts'
import { asksForJob, type JobInputs, readJobInputs } from './job-inputs.ts'
import { type InputReader, InputsError, openInputs } from './reader.ts'
import { asksForVisitors, readVisitorsInputs } from './visitors-inputs.ts'

/** All inputs of a run, checked. */
export type Inputs = {
  readonly apiKey: string
  readonly projectId: string
  readonly baseUrl: URL
  readonly dryRun: boolean
  readonly job: JobInputs
  readonly comments: CommentInputs
  /** `undefined` if neither a visitors report nor an export is asked for. */
  readonly visitors: VisitorsOptions | undefined
}

/** All files that a run reads may have this many bytes together. */
const FILES_LIMIT_BYTES = 1024 * 1024

/**
 * Reads and checks all inputs, and the files that they name.
 *
 * @param commandGiven whether a comment asks for a job
 * @throws {InputsError} naming all that is wrong
 */
export async function loadInputs(
  { environment, redact, clock }: { environment: Environment; redact: Redact; clock: Clock },
  commandGiven: boolean,
): Promise<Inputs> {
  const reader = openInputs(environment.inputs, redact)
  const dryRun = reader.value('dry-run', BOOLEAN, 'false')
  const inputs: Inputs = {
    apiKey: readApiKey(reader, dryRun),
    projectId: readProjectId(reader),
    baseUrl: reader.value('base-url', BASE_URL, 'https://api.mintlify.com'),
    dryRun,
    job: await readJobInputs(reader, openWorkspace(environment.workspace, FILES_LIMIT_BYTES)),
    comments: readCommentInputs(reader),
    visitors: await readVisitorsInputs(reader, { workspace: environment.workspace, nowMs: clock.now() }),
  }
  if (!commandGiven && !asksForJob(reader) && !asksForVisitors(reader)) reader.report(NOTHING_ASKED)
  if (reader.problems.length > 0) throw new InputsError(reader.problems)
  return inputs
}

/** The inputs whose values are secrets. */
export function secretsOf(environment: Environment): string[] {
  return ['api-key', 'github-token']
    .map((name) => environment.inputs.get(name) ?? '')
    .filter((value) => value !== '')
}

const NOTHING_ASKED = {
  input: 'prompt',
  problem: 'is missing, and nothing else is asked for either',
  accepted:
    'prompt, prompt-file, job-id, visitors-summary, visitors-export, or a comment that begins with the command (/docs)',
}

function readApiKey(reader: InputReader, dryRun: boolean): string {
  const key = reader.text('api-key')
  const problem = key === '' ? 'is missing' : apiKeyProblem(key)
  if (problem !== undefined && !(dryRun && key === '')) {
    const accepted = 'an admin API key of the docs service, best from a secret of the repository'
    reader.report({ input: 'api-key', problem, accepted })
  }
  return key
}

function readProjectId(reader: InputReader): string {
  if (reader.text('project-id') === '') {
    reader.report({
      input: 'project-id',
      problem: 'is missing',
      accepted: "the project's id, from the dashboard's API keys page",
    })
  }
  return reader.optional('project-id', PATH_SEGMENT) ?? ''
}
