import type { Inputs } from '../inputs/inputs.ts'
import type { VisitorsInputs } from '../inputs/visitors-inputs.ts'
import type { RunContext } from '../run-context.ts'
import { writeSummary } from '../runner/summary.ts'
import type { DocsService } from '../service/docs-service.ts'
import { AskingStopped } from './asking.ts'
import { type Export, openExport } from './export.ts'
import type { VisitorsFindings } from './findings.ts'
import { gapsInWords } from './gaps.ts'
import { gatherVisitors, type VisitorsPlan } from './gather.ts'
import { visitorsOutputs } from './outputs.ts'
import { fullDaysBefore } from './period.ts'
import { visitorsProgressLine } from './progress-text.ts'
import { visitorsHeading } from './sentence.ts'
import { visitorsDryRunSummary, visitorsFailureSummary, visitorsPurpose, visitorsSummary } from './summary.ts'

/**
 * Reads the visitors and reports them, if a report is asked for.
 *
 * @returns why the step fails, as sentences; `undefined` if it does not
 */
export async function reportVisitors(
  inputs: Inputs,
  service: DocsService,
  context: RunContext,
): Promise<string | undefined> {
  const { visitors } = inputs
  if (visitors === undefined) return undefined
  const { when, top, trend } = visitors
  const period = 'days' in when ? fullDaysBefore(context.clock.now(), when.days) : when
  const plan: VisitorsPlan = { period, top, trend }
  if (inputs.dryRun) return showDryRun(plan, visitors, context)
  const { exportTo } = visitors
  const rows = exportTo === undefined ? undefined : openExport(exportTo.place, exportTo.format)
  try {
    const findings = await gatherVisitors(service, plan, {
      ...context,
      maxRequests: visitors.maxRequests,
      onEvent: (event) => tell(visitorsProgressLine(event), context),
      onRows: async (page) => await rows?.add(page),
    })
    return await report(findings, { visitors, rows, context })
  } catch (error) {
    if (context.cancel.aborted)
      return withoutReport('The visitors report was cancelled before it was whole.', context)
    if (!(error instanceof AskingStopped)) throw error
    return withoutReport(`The visitors could not be read. ${error.message}`, context)
  } finally {
    await rows?.discard()
  }
}

/** Says why there is no report; the summary's reader would look for it. */
function withoutReport(why: string, context: RunContext): string {
  writeSummary(visitorsFailureSummary(why), context)
  return why
}

type Told = {
  readonly visitors: VisitorsInputs
  readonly rows: Export | undefined
  readonly context: RunContext
}

async function report(
  findings: VisitorsFindings,
  { visitors, rows, context }: Told,
): Promise<string | undefined> {
  const failure = findings.gaps.find(({ part, flaw }) => part === 'current' && flaw === 'failed')?.end
  const failures = failure === undefined ? [] : [`The visitors could not all be read. ${failure.message}`]
  let exported = ''
  if (rows !== undefined && failure === undefined) {
    try {
      await rows.publish(findings.repeats)
      exported = visitors.exportTo?.name ?? ''
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      failures.push(`The visitors could not be exported: \`visitors-export\` ${problem}.`)
    }
  }
  context.setOutputs(visitorsOutputs(findings, exported))
  writeSummary(visitorsSummary(findings, { ...visitors, exported }), context)
  for (const gap of gapsInWords(findings, visitors)) context.log.warning(`Visitors report: ${gap}`)
  context.log.notice(visitorsHeading(findings), 'Docs visitors')
  return failures.length === 0 ? undefined : failures.join('\n')
}

async function showDryRun(
  plan: VisitorsPlan,
  visitors: VisitorsInputs,
  context: RunContext,
): Promise<undefined> {
  const purpose = visitorsPurpose(plan, { ...visitors, exported: visitors.exportTo?.name ?? '' })
  writeSummary(visitorsDryRunSummary(purpose), context)
  context.log.notice(
    `The docs service was not called. Without \`dry-run\`, this run would ${purpose}.`,
    'Docs visitors: dry run',
  )
}

function tell(line: string | undefined, { log }: RunContext): void {
  if (line !== undefined) log.info(line)
}
