import type { InputProblem } from '../inputs/read.ts'
import { INPUTS, type InputName, type Inputs } from '../inputs/table.ts'
import { clip } from '../lib/text.ts'
import { findOutputPath, WorkspaceError } from '../lib/workspace.ts'
import { EXPORT_FORMATS, type ExportTarget, exportFormat } from './export.ts'
import { listOf } from './format.ts'
import { DAY_MS, fullDaysBefore, type Period } from './period.ts'

export type VisitorsOptions = {
  readonly period: Period
  /** Whether the period is not over yet: there is no comparison. */
  readonly isSoFar: boolean
  /** Whether the report goes into the job summary; without it, `exportTo` is what was asked for. */
  readonly summary: boolean
  /** Rows in the table of pages. */
  readonly top: number
  /** Periods in the trend, the current one included; 1: no comparison. */
  readonly trend: number
  readonly exportTo: ExportTarget | undefined
}

export type ReadersOptions = {
  readonly visitors: VisitorsOptions | undefined
  readonly signals: Inputs['reader-signals']
  readonly signalsPeriod: Period
  readonly maxRequests: number
  /** The documentation site that pages are linked to. */
  readonly siteUrl: URL | undefined
}

/** What the inputs come to, and all that is wrong with them, asked for or not. */
type ReadersOptionsReading = {
  /** `undefined` if no part is asked for. */
  readonly options: ReadersOptions | undefined
  readonly problems: readonly InputProblem[]
  /** Whether any part is asked for, rightly or not. */
  readonly isRequested: boolean
  /** Inputs that were given, but have no effect. */
  readonly unused: readonly InputName[]
  /** Sentences about those. */
  readonly warnings: readonly string[]
}

type OptionsDeps = {
  /** Directory that an export must stay in. */
  readonly workspace: string
  /** Milliseconds since the epoch. */
  readonly nowMs: number
  /** What is wrong with each input by itself. */
  readonly problems: readonly InputProblem[]
}

const MAX_DAYS = 366
/** What readers missed is told of so many days: a week has too few votes and questions to say something. */
export const SIGNALS_DAYS = 28

/** Finds out what the inputs ask for. */
export async function readReadersOptions(inputs: Inputs, deps: OptionsDeps): Promise<ReadersOptionsReading> {
  const problems: InputProblem[] = []
  const explicit = readPeriod(inputs, deps, problems)
  const exportTo = await readExportTarget(inputs['visitors-export'], deps.workspace, problems)
  const { 'visitors-summary': summary, 'reader-signals': signals } = inputs
  const hasVisitors = summary || inputs['visitors-export'] !== ''
  const isRequested = hasVisitors || signals !== 'none'
  const period = explicit ?? fullDaysBefore(deps.nowMs, inputs['visitors-days'])
  const isSoFar = period.to.ms > deps.nowMs
  const trend = isSoFar ? 1 : inputs['visitors-trend']
  const visitors = { period, isSoFar, summary, top: inputs['visitors-top'], trend, exportTo }
  const options: ReadersOptions = {
    visitors: hasVisitors ? visitors : undefined,
    signals,
    signalsPeriod: fullDaysBefore(deps.nowMs, SIGNALS_DAYS),
    maxRequests: inputs['visitors-max-requests'],
    siteUrl: inputs['site-url'],
  }
  return { options: isRequested ? options : undefined, problems, isRequested, ...findUnused(inputs, isSoFar) }
}

function readPeriod(
  { 'visitors-from': from, 'visitors-to': to }: Inputs,
  { nowMs, problems: earlier }: OptionsDeps,
  problems: InputProblem[],
): Period | undefined {
  const refuse = (input: InputName, problem: string, accepted: string): undefined => {
    problems.push({ input, problem, accepted })
  }
  if (from === undefined || to === undefined) {
    const accepted = 'both visitors-from and visitors-to, or neither'
    const hasFrom = from !== undefined || earlier.some(({ input }) => input === 'visitors-from')
    const hasTo = to !== undefined || earlier.some(({ input }) => input === 'visitors-to')
    if (hasFrom && !hasTo) refuse('visitors-to', 'is missing, though visitors-from is given', accepted)
    if (hasTo && !hasFrom) refuse('visitors-from', 'is missing, though visitors-to is given', accepted)
    return undefined
  }
  const start = `visitors-from ("${from.text}")`
  const accepted = `a date after visitors-from, by at most ${MAX_DAYS} days; the period ends before it`
  if (from.ms >= to.ms) return refuse('visitors-to', `("${to.text}") is not after ${start}`, accepted)
  if (to.ms - from.ms > MAX_DAYS * DAY_MS) {
    return refuse('visitors-to', `("${to.text}") is more than ${MAX_DAYS} days after ${start}`, accepted)
  }
  if (from.ms < nowMs) return { from, to }
  const future = `("${from.text}") is in the future, so there are no visitors yet`
  return refuse('visitors-from', future, 'a date in the past')
}

async function readExportTarget(
  name: string,
  workspace: string,
  problems: InputProblem[],
): Promise<ExportTarget | undefined> {
  if (name === '') return undefined
  const endings = EXPORT_FORMATS.map((format) => `.${format}`).join(', ')
  const refuse = (problem: string): undefined => {
    const accepted = `a path in the workspace that ends in ${endings}`
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

/** Inputs without effect. One that has the value of its default can't be told from one that was not given. */
function findUnused(inputs: Inputs, isSoFar: boolean): Pick<ReadersOptionsReading, 'unused' | 'warnings'> {
  const hasSummary = inputs['visitors-summary']
  const hasVisitors = hasSummary || inputs['visitors-export'] !== ''
  const hasSignals = inputs['reader-signals'] !== 'none'
  const rules: readonly [isUnused: boolean, names: readonly InputName[], why: string][] = [
    [
      !hasVisitors,
      ['visitors-days', 'visitors-from', 'visitors-to', 'visitors-top', 'visitors-trend'],
      'without `visitors-summary` or `visitors-export`',
    ],
    [hasVisitors && inputs['visitors-from'] !== undefined, ['visitors-days'], 'beside `visitors-from`'],
    [hasVisitors && isSoFar, ['visitors-trend'], 'on a period that is not over yet'],
    [!hasVisitors && !hasSignals, ['visitors-max-requests'], 'without a readers report'],
    [!hasSummary && !hasSignals, ['site-url'], 'without a readers report in the summary'],
  ]
  const unused: InputName[] = []
  const warnings: string[] = []
  for (const [isUnused, names, why] of rules) {
    const given = names.filter((name) => String(inputs[name] ?? '') !== INPUTS[name].default)
    if (!isUnused || given.length === 0) continue
    unused.push(...given)
    const list = listOf(given.map((name) => `\`${name}\``))
    warnings.push(`${list} ${given.length === 1 ? 'has' : 'have'} no effect ${why}.`)
  }
  return { unused, warnings }
}
