import type { PeriodDate } from '../inputs/formats.ts'
import type { InputProblem } from '../inputs/read.ts'
import type { Inputs } from '../inputs/table.ts'
import { WorkspaceError } from '../lib/workspace.ts'
import { findOutputPlace } from '../lib/workspace-output.ts'
import { EXPORT_FORMATS, type ExportFormat, exportFormat } from './export.ts'
import { LONGEST_DAYS, type Period, periodProblem } from './period.ts'

/** What the inputs say of the visitors report. */
export type VisitorsOptions = {
  /** A number of full UTC days before today, or a period that the user named. */
  readonly when: { readonly days: number } | Period
  /** Rows of each list of pages. */
  readonly top: number
  /** Periods in the trend, the current one included. */
  readonly trend: number
  readonly maxRequests: number
  readonly exportTo: ExportTarget | undefined
}

/** The file that all rows go to. */
export type ExportTarget = {
  /** As the workflow names it. */
  readonly name: string
  /** Where that is, with links followed. */
  readonly place: string
  readonly format: ExportFormat
}

/** Reads what the inputs say of visitors, and what is wrong with it as a whole. */
export async function readVisitorsOptions(
  inputs: Inputs,
  workspace: string,
): Promise<{ options: VisitorsOptions; problems: InputProblem[] }> {
  const problems: InputProblem[] = []
  const options: VisitorsOptions = {
    when: readPeriod(inputs, problems) ?? { days: inputs['visitors-days'] },
    top: inputs['visitors-top'],
    trend: inputs['visitors-trend'],
    maxRequests: inputs['visitors-max-requests'],
    exportTo: await readExport(inputs['visitors-export'], workspace, problems),
  }
  return { options, problems }
}

function readPeriod(inputs: Inputs, problems: InputProblem[]): Period | undefined {
  const from: PeriodDate | undefined = inputs['visitors-from']
  const to = inputs['visitors-to']
  if (from === undefined || to === undefined) {
    if (from !== to) problems.push(HALF_A_PERIOD)
    return undefined
  }
  const problem = periodProblem({ from, to })
  if (problem !== undefined) {
    problems.push({
      input: 'visitors-to',
      problem: `("${to.text}") ${problem} visitors-from ("${from.text}")`,
      accepted: `a date after visitors-from, by at most ${LONGEST_DAYS} days; the period ends before it`,
    })
  }
  return { from, to }
}

const HALF_A_PERIOD: InputProblem = {
  input: 'visitors-from',
  problem: 'and visitors-to name a period together, and one of them is missing',
  accepted: 'both or neither',
}

async function readExport(
  name: string,
  workspace: string,
  problems: InputProblem[],
): Promise<ExportTarget | undefined> {
  if (name === '') return undefined
  const format = exportFormat(name)
  const accepted = `a path in the workspace that ends in ${EXPORT_FORMATS.map((one) => `.${one}`).join(', ')}`
  try {
    if (format === undefined) throw new WorkspaceError('has no known ending')
    return { name, place: await findOutputPlace(workspace, name), format }
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    problems.push({ input: 'visitors-export', problem: `("${name}") ${error.message}`, accepted })
    return undefined
  }
}
