import type { InputProblem } from '../inputs/read.ts'
import type { Inputs } from '../inputs/table.ts'
import { clip } from '../lib/text.ts'
import { findOutputPath, WorkspaceError } from '../lib/workspace.ts'
import { EXPORT_FORMATS, type ExportTarget, exportFormat } from './export.ts'
import { DAY_MS, fullDaysBefore, MAX_DAYS, type Period } from './period.ts'

/** The inputs that the report depends on. */
export type VisitorsInputs = Pick<
  Inputs,
  | 'visitors-summary'
  | 'visitors-days'
  | 'visitors-from'
  | 'visitors-to'
  | 'visitors-top'
  | 'visitors-trend'
  | 'visitors-max-requests'
  | 'visitors-export'
  | 'site-url'
>

/** What is requested. */
export type VisitorsOptions = {
  readonly period: Period
  /** Whether the period is not over yet: it is compared with nothing. */
  readonly soFar: boolean
  /** Whether the report goes into the job summary; without it, `exportTo` is what was requested. */
  readonly summary: boolean
  /** Rows in the table of pages. */
  readonly top: number
  /** Periods in the trend, the current one included; 1: nothing is compared. */
  readonly trend: number
  readonly maxRequests: number
  readonly exportTo: ExportTarget | undefined
  /** The documentation site that pages are linked to. */
  readonly siteUrl: URL | undefined
}

/** What the inputs are judged against. */
type OptionsDeps = {
  /** Folder that an export must stay in. */
  readonly workspace: string
  /** Milliseconds since the epoch. */
  readonly nowMs: number
  /** What is wrong with each input by itself: it has no value then, but was given. */
  readonly problems: readonly InputProblem[]
}

/** The options, if any part of the report is requested, and all that is wrong with the inputs, requested or not. */
export type VisitorsOptionsReading = {
  readonly options: VisitorsOptions | undefined
  readonly problems: readonly InputProblem[]
}

/** Finds out what the inputs request. */
export async function readVisitorsOptions(
  inputs: VisitorsInputs,
  { workspace, nowMs, problems: earlier }: OptionsDeps,
): Promise<VisitorsOptionsReading> {
  const problems: InputProblem[] = []
  const explicit = readPeriod(inputs, { nowMs, problems: earlier }, problems)
  const exportTo = await readExportTarget(inputs['visitors-export'], workspace, problems)
  const summary = inputs['visitors-summary']
  if (!summary && exportTo === undefined) return { options: undefined, problems }
  const period = explicit ?? fullDaysBefore(nowMs, inputs['visitors-days'])
  const soFar = period.to.ms > nowMs
  const options: VisitorsOptions = {
    period,
    soFar,
    summary,
    top: inputs['visitors-top'],
    trend: soFar ? 1 : inputs['visitors-trend'],
    maxRequests: inputs['visitors-max-requests'],
    exportTo,
    siteUrl: inputs['site-url'],
  }
  return { options, problems }
}

function readPeriod(
  inputs: VisitorsInputs,
  { nowMs, problems: earlier }: Omit<OptionsDeps, 'workspace'>,
  problems: InputProblem[],
): Period | undefined {
  const { 'visitors-from': from, 'visitors-to': to } = inputs
  if (from === undefined || to === undefined) {
    const isWrong = (name: string): boolean => earlier.some(({ input }) => input === name)
    const hasFrom = from !== undefined || isWrong('visitors-from')
    const hasTo = to !== undefined || isWrong('visitors-to')
    if (hasFrom !== hasTo) problems.push(halfPeriod(hasFrom ? 'visitors-to' : 'visitors-from'))
    return undefined
  }
  const problem = findPeriodProblem({ from, to }, nowMs)
  if (problem !== undefined) problems.push(problem)
  return { from, to }
}

function halfPeriod(missing: 'visitors-from' | 'visitors-to'): InputProblem {
  const other = missing === 'visitors-from' ? 'visitors-to' : 'visitors-from'
  const accepted = 'both visitors-from and visitors-to, or neither'
  return { input: missing, problem: `is missing, though ${other} is given`, accepted }
}

function findPeriodProblem({ from, to }: Period, nowMs: number): InputProblem | undefined {
  const [start, end] = [`visitors-from ("${from.text}")`, `("${to.text}")`]
  const accepted = `a date after visitors-from, by at most ${MAX_DAYS} days; the period ends before it`
  if (from.ms >= to.ms) return { input: 'visitors-to', problem: `${end} is not after ${start}`, accepted }
  if (to.ms - from.ms > MAX_DAYS * DAY_MS) {
    return { input: 'visitors-to', problem: `${end} is more than ${MAX_DAYS} days after ${start}`, accepted }
  }
  if (from.ms < nowMs) return undefined
  const problem = `("${from.text}") is in the future, so there are no visitors yet`
  return { input: 'visitors-from', problem, accepted: 'a moment that is past' }
}

async function readExportTarget(
  name: string,
  workspace: string,
  problems: InputProblem[],
): Promise<ExportTarget | undefined> {
  if (name === '') return undefined
  const endings = EXPORT_FORMATS.map((format) => `.${format}`).join(', ')
  const accepted = `a path in the workspace that ends in ${endings}`
  const refuse = (problem: string): undefined => {
    problems.push({ input: 'visitors-export', problem: `("${clip(name, 80)}") ${problem}`, accepted })
  }
  const format = exportFormat(name)
  if (format === undefined) return refuse('has no known ending')
  try {
    return { name, path: await findOutputPath(workspace, name), format }
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    return refuse(error.message)
  }
}
