import type { RunDeps } from '../github/github.ts'
import type { Inputs } from '../inputs/table.ts'
import type { DocsService } from '../service/docs-service.ts'
import { AskingStopped } from './asking.ts'
import { type Export, openExport } from './export.ts'
import type { VisitorsFindings } from './findings.ts'
import { gapsInWords } from './gaps.ts'
import { gatherVisitors, type VisitorsPlan } from './gather.ts'
import type { VisitorsOptions } from './options.ts'
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
  visitors: VisitorsOptions,
  inputs: Inputs,
  service: DocsService,
  context: RunDeps,
): Promise<string | undefined> {
  const { when, top, trend } = visitors
  const period = 'days' in when ? fullDaysBefore(context.clock.now(), when.days) : when
  const plan: VisitorsPlan = { period, top, trend }
  if (inputs['dry-run']) return showDryRun(plan, visitors, context)
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
function withoutReport(why: string, context: RunDeps): string {
  context.writeSummary('visitors', visitorsFailureSummary(why))
  return why
}

type Told = {
  readonly visitors: VisitorsOptions
  readonly rows: Export | undefined
  readonly context: RunDeps
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
  context.writeSummary('visitors', visitorsSummary(findings, { ...visitors, exported }))
  for (const gap of gapsInWords(findings, visitors)) context.log.warning(`Visitors report: ${gap}`)
  context.log.notice(visitorsHeading(findings), 'Docs visitors')
  return failures.length === 0 ? undefined : failures.join('\n')
}

async function showDryRun(
  plan: VisitorsPlan,
  visitors: VisitorsOptions,
  context: RunDeps,
): Promise<undefined> {
  const purpose = visitorsPurpose(plan, { ...visitors, exported: visitors.exportTo?.name ?? '' })
  context.writeSummary('visitors', visitorsDryRunSummary(purpose))
  context.log.notice(
    `The docs service was not called. Without \`dry-run\`, this run would ${purpose}.`,
    'Docs visitors: dry run',
  )
}

function tell(line: string | undefined, { log }: RunDeps): void {
  if (line !== undefined) log.info(line)
}
