import { type OptionsDeps, readVisitorsOptions, type VisitorsOptions } from '../visitors/options.ts'
import { BASE_URL, BOOLEAN, integer } from './formats.ts'
import type { InputReader } from './reader.ts'

/**
 * Reads the inputs of the visitors report. What is wrong is left with the reader, whether the report is asked for or not.
 *
 * @returns `undefined` if neither a report nor an export is asked for
 */
export async function readVisitorsInputs(
  inputs: InputReader,
  deps: OptionsDeps,
): Promise<VisitorsOptions | undefined> {
  const values = {
    'visitors-summary': inputs.value('visitors-summary', BOOLEAN, 'false'),
    'visitors-days': inputs.value('visitors-days', integer(1, 366), '7'),
    'visitors-from': inputs.text('visitors-from'),
    'visitors-to': inputs.text('visitors-to'),
    'visitors-top': inputs.value('visitors-top', integer(1, 100), '10'),
    'visitors-trend': inputs.value('visitors-trend', integer(1, 52), '8'),
    'visitors-max-requests': inputs.value('visitors-max-requests', integer(1, 1000), '40'),
    'visitors-export': inputs.text('visitors-export'),
    'site-url': inputs.optional('site-url', BASE_URL),
  }
  const { options, problems } = await readVisitorsOptions(values, deps)
  for (const problem of problems) inputs.report(problem)
  return options
}

/** Whether the inputs ask for visitors, or try to. */
export function asksForVisitors(inputs: InputReader): boolean {
  return !/^(?:false)?$/i.test(inputs.text('visitors-summary')) || inputs.text('visitors-export') !== ''
}
