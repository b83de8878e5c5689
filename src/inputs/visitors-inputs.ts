import { WorkspaceError } from '../lib/workspace.ts'
import type { ExportFormat } from '../visitors/export.ts'
import { LONGEST_DAYS, type Period, parsePeriodDate, periodProblem } from '../visitors/period.ts'
import { BOOLEAN, integer } from './formats.ts'
import type { InputFormat, InputReader } from './reader.ts'

/** What the inputs say of the visitors report. */
export type VisitorsInputs = {
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

const DATE: InputFormat<Period['from']> = {
  parse: parsePeriodDate,
  accepted: 'YYYY-MM-DD, or ISO 8601 such as 2026-07-27T00:00:00Z',
}

/**
 * Reads the inputs of the visitors report. What is wrong is left with the reader, whether the report is asked for or not.
 *
 * @param workspace folder that an export must stay in
 * @returns `undefined` if no report is asked for
 */
export async function readVisitorsInputs(
  inputs: InputReader,
  workspace: string,
): Promise<VisitorsInputs | undefined> {
  const asked = inputs.value('visitors-summary', BOOLEAN, 'false')
  const days = inputs.value('visitors-days', integer(1, LONGEST_DAYS), '7')
  const found: VisitorsInputs = {
    when: readPeriod(inputs) ?? { days },
    top: inputs.value('visitors-top', integer(1, 100), '10'),
    trend: inputs.value('visitors-trend', integer(1, 52), '8'),
    maxRequests: inputs.value('visitors-max-requests', integer(1, 5000), '40'),
    exportTo: await readExport(inputs, workspace),
  }
  return asked ? found : undefined
}

/** Whether the inputs ask for a visitors report, or try to. */
export function asksForVisitors(inputs: InputReader): boolean {
  return !/^(?:false)?$/i.test(inputs.text('visitors-summary'))
}

function readPeriod(inputs: InputReader): Period | undefined {
  const from = inputs.optional('visitors-from', DATE)
  const to = inputs.optional('visitors-to', DATE)
  refuseHalf(inputs, 'visitors-from', 'visitors-to')
  refuseHalf(inputs, 'visitors-to', 'visitors-from')
  if (from === undefined || to === undefined) return undefined
  const problem = periodProblem({ from, to })
  if (problem !== undefined) {
    inputs.report({
      input: 'visitors-to',
      problem: `("${to.text}") ${problem} visitors-from ("${from.text}")`,
      accepted: `a date after visitors-from, by at most ${LONGEST_DAYS} days; the period ends before it`,
    })
  }
  return { from, to }
}

function refuseHalf(inputs: InputReader, given: string, missing: string): void {
  if (inputs.text(given) === '' || inputs.text(missing) !== '') return
  inputs.report({
    input: missing,
    problem: `is missing, though ${given} is given`,
    accepted: 'both visitors-from and visitors-to, or neither',
  })
}

async function readExport(inputs: InputReader, workspace: string): Promise<ExportTarget | undefined> {
  const name = inputs.text('visitors-export')
  if (name === '') return undefined
  const { EXPORT_FORMATS, exportFormat } = await import('../visitors/export.ts')
  const { findOutputPlace } = await import('../lib/workspace-output.ts')
  const endings = EXPORT_FORMATS.map((format) => `.${format}`).join(', ')
  const accepted = `a path in the workspace that ends in ${endings}`
  const format = exportFormat(name)
  if (format === undefined) {
    inputs.report({ input: 'visitors-export', problem: `("${name}") has no known ending`, accepted })
    return undefined
  }
  try {
    return { name, place: await findOutputPlace(workspace, name), format }
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    inputs.report({ input: 'visitors-export', problem: `("${name}") ${error.message}`, accepted })
    return undefined
  }
}
