import type { InputProblem } from '../inputs/reader.ts'
import { WorkspaceError } from '../lib/workspace.ts'
import { findOutputPlace } from '../lib/workspace-output.ts'
import { EXPORT_FORMATS, type ExportTarget, exportFormat } from './export.ts'
import { DAY_MS, fullDaysBefore, MAX_DAYS, type Period, type PeriodDate, parsePeriodDate } from './period.ts'

/** The values of the inputs of the visitors report, by name; each is within its limits already. */
export type VisitorsInputs = {
  readonly 'visitors-summary': boolean
  readonly 'visitors-days': number
  /** Empty if it was not given, as is all text here. */
  readonly 'visitors-from': string
  readonly 'visitors-to': string
  readonly 'visitors-top': number
  readonly 'visitors-trend': number
  readonly 'visitors-max-requests': number
  readonly 'visitors-export': string
  readonly 'site-url': URL | undefined
}

/** What is asked for. */
export type VisitorsOptions = {
  readonly period: Period
  /** Whether the period is not over yet: it is compared with nothing. */
  readonly soFar: boolean
  /** Whether the report goes into the job summary; without it, `exportTo` is what was asked for. */
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
export type OptionsDeps = {
  /** Folder that an export must stay in. */
  readonly workspace: string
  /** Milliseconds since the epoch. */
  readonly nowMs: number
}

/** The options, if any part of the report is asked for, and all that is wrong with the inputs, asked for or not. */
export type VisitorsOptionsReading = {
  readonly options: VisitorsOptions | undefined
  readonly problems: readonly InputProblem[]
}

/** Finds out what the inputs ask for. */
export async function readVisitorsOptions(
  inputs: VisitorsInputs,
  { workspace, nowMs }: OptionsDeps,
): Promise<VisitorsOptionsReading> {
  const problems: InputProblem[] = []
  const explicit = readPeriod(inputs, nowMs, problems)
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

function readPeriod(inputs: VisitorsInputs, nowMs: number, problems: InputProblem[]): Period | undefined {
  const [from, to] = (['visitors-from', 'visitors-to'] as const).map((input, index, both) => {
    const other = both[1 - index] ?? input
    if (inputs[input] !== '') return readDate(input, inputs[input], problems)
    if (inputs[other] === '') return undefined
    const accepted = 'both visitors-from and visitors-to, or neither'
    problems.push({ input, problem: `is missing, though ${other} is given`, accepted })
    return undefined
  })
  if (from === undefined || to === undefined) return undefined
  const problem = findPeriodProblem({ from, to }, nowMs)
  if (problem !== undefined) problems.push(problem)
  return { from, to }
}

function readDate(input: string, text: string, problems: InputProblem[]): PeriodDate | undefined {
  try {
    return parsePeriodDate(text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const accepted = 'YYYY-MM-DD, or ISO 8601 such as 2026-07-27T00:00:00Z'
    problems.push({ input, problem: `("${text.slice(0, 80)}") ${error.message}`, accepted })
    return undefined
  }
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
    const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name
    problems.push({ input: 'visitors-export', problem: `("${shown}") ${problem}`, accepted })
  }
  const format = exportFormat(name)
  if (format === undefined) return refuse('has no known ending')
  try {
    return { name, place: await findOutputPlace(workspace, name), format }
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    return refuse(error.message)
  }
}
