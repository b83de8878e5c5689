import type { Trigger } from '../events/trigger.ts'
import type { Known } from '../github/client.ts'
import type { Status } from '../github/types.ts'
import { isRerun, runUrlOf } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { memoryCommit } from './step-status.ts'
import { readStatus, type StepHistory, type StepStatus, stepContext, usesMemory } from './step-statuses.ts'

/** The job that a run is to go on with. */
export type EarlierJob = {
  readonly id: string
  /** Its pull request as far as GitHub knows it; empty if none is known. */
  readonly prLink: string
  /** `resume`: started by an earlier attempt of this very run; `continue`: by an earlier run or command. */
  readonly kind: 'resume' | 'continue'
  /** When it was first named on GitHub: a get may answer 404 for a minute from here. Milliseconds since the epoch. */
  readonly namedAtMs: number
}

type Found = Known<EarlierJob | undefined>

const NONE: Found = { known: true, value: undefined }

/** Finds the step's job by its commit statuses: that of an earlier attempt of this run, else the newest. */
export async function findStepJob(trigger: Trigger, { statuses }: StepHistory, run: Run): Promise<Found> {
  if (!usesMemory(trigger, run.inputs)) return NONE
  const before = statuses.known ? statuses.value : []
  const ofThisRun = isRerun(run.environment) ? await findOfThisRun(trigger, before, run) : NONE
  if (!ofThisRun.known || ofThisRun.value !== undefined) return ofThisRun
  if (!statuses.known) return statuses
  const [newest] = before.toSorted((one, other) => other.createdAtMs - one.createdAtMs)
  return newest === undefined ? NONE : jobOf('continue', newest, before, run)
}

/** A job's first status has the run as its target, whatever pull request it goes on with. */
async function findOfThisRun({ event }: Trigger, before: readonly StepStatus[], run: Run): Promise<Found> {
  const { github, environment, inputs } = run
  const sha = memoryCommit(event, environment)
  const context = stepContext(inputs, environment)
  // Newest first.
  const all = await github.read(() => github.list<Status>(`${github.path}/commits/${sha}/statuses`))
  if (!all.known) return all
  const ofStep = all.value.filter((one) => one.context === context)
  const own = ofStep.map((status) => readStatus(status, sha))
  const first = own.find(({ targetUrl }) => targetUrl === runUrlOf(environment))
  return first === undefined ? NONE : jobOf('resume', first, [...own, ...before], run)
}

/** @param all statuses of the step, one of which may name the job's pull request where the one found names the run */
function jobOf(kind: EarlierJob['kind'], { jobId }: StepStatus, all: readonly StepStatus[], run: Run): Found {
  if (jobId === '') return { known: false, why: "the step's commit status does not name its job" }
  const ofJob = all.filter((status) => status.jobId === jobId)
  const runUrls = `${run.environment.serverUrl}/${run.environment.repository}/actions/runs/`
  const prLink = ofJob.find(({ targetUrl }) => !targetUrl.startsWith(runUrls))?.targetUrl ?? ''
  const namedAtMs = Math.min(...ofJob.map(({ createdAtMs }) => createdAtMs))
  return { known: true, value: { id: jobId, prLink, kind, namedAtMs } }
}
