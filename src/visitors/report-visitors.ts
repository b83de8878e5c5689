import type { Deps } from '../lib/clock.ts'
import { code, joinMarkdown, type Markdown, md, sentencesWithCode } from '../lib/markdown.ts'
import { errorMessage } from '../lib/text.ts'
import type { Runner } from '../runner/runner.ts'
import type { DocsService } from '../service/docs-service.ts'
import { exportRows } from './export.ts'
import { countOf } from './format.ts'
import type { VisitorsOptions } from './options.ts'
import { visitorsOutputs } from './outputs.ts'
import { formatPeriod } from './period.ts'
import { readVisitors, type VisitorsReading } from './read.ts'
import { makeReport } from './report.ts'
import { RequestsStopped, VisitorsRequests } from './requests.ts'
import { visitorsHeadline, visitorsSummary } from './summary.ts'

/** What the report needs from outside. */
type VisitorsRunDeps = Deps & Runner

/**
 * Reads the visitors and reports them: to the job summary unless only the export was requested, to outputs and the
 * export.
 *
 * @returns why the step fails, as sentences; `undefined` if it does not
 */
export async function reportVisitors(
  options: VisitorsOptions,
  service: DocsService,
  deps: VisitorsRunDeps,
): Promise<string | undefined> {
  const { log } = deps
  const requests = new VisitorsRequests(service, {
    ...deps,
    maxRequests: options.maxRequests,
    onProgress: (line) => log.info(`Visitors of ${service.projectId}: ${line}`),
  })
  try {
    const reading = await readVisitors(requests, options)
    return await publish(reading, { options, service, deps })
  } catch (error) {
    const why = reasonForNoReport(error, deps)
    if (options.summary) deps.writeSummary('visitors', failureSummary(why, service.projectId))
    return why
  }
}

export function reportVisitorsDryRun(
  options: VisitorsOptions,
  projectId: string,
  deps: VisitorsRunDeps,
): void {
  if (options.summary) deps.writeSummary('visitors', dryRunSummary(options, projectId))
  deps.log.notice(describePlan(options), titleFor(projectId, 'dry run'))
}

function reasonForNoReport(error: unknown, { cancel }: VisitorsRunDeps): string {
  if (cancel.aborted) return 'Cancelled before the visitors report was complete.'
  if (!(error instanceof RequestsStopped)) throw error
  return `${error.message} So there is no visitors report.`
}

type Publishing = {
  readonly options: VisitorsOptions
  readonly service: DocsService
  readonly deps: VisitorsRunDeps
}

async function publish(
  reading: VisitorsReading,
  { options, service, deps }: Publishing,
): Promise<string | undefined> {
  const { projectId } = service
  const report = makeReport(reading, options)
  const failures: string[] = []
  const failed = reading.current.stopped?.reason === 'failed' ? reading.current.stopped : undefined
  if (failed !== undefined) failures.push(`${failed.message} So not all visitors could be read.`)
  let exported = ''
  if (options.exportTo !== undefined && failed === undefined) {
    try {
      await exportRows(report.pages, options.exportTo)
      exported = options.exportTo.name
    } catch (error) {
      failures.push(`The visitors could not be exported: \`visitors-export\` ${errorMessage(error)}.`)
    }
  }
  deps.setOutputs(visitorsOutputs(report, exported))
  if (options.summary) {
    deps.writeSummary(
      'visitors',
      visitorsSummary(report, { ...options, projectId, exported: exported !== '' }),
    )
  }
  for (const each of report.leftOut) deps.log.warning(`Visitors of ${projectId}: ${each}`)
  deps.log.notice(`${visitorsHeadline(report)}.`, titleFor(projectId))
  return failures.length === 0 ? undefined : failures.join('\n')
}

function titleFor(projectId: string, what = ''): string {
  return `Docs visitors of ${projectId}${what === '' ? '' : `: ${what}`}`
}

/** The summary where a report could not be made. `why`: sentences. */
function failureSummary(why: string, projectId: string): Markdown {
  return joinMarkdown([md`## ❌ No visitors report`, sentencesWithCode(why), md`Project ${code(projectId)}`])
}

/** What a run would do, as sentences. */
function describePlan({ period, trend, maxRequests, exportTo }: VisitorsOptions): string {
  const before = trend - 1
  const { from, to } = period
  const plan = [
    `list the visitors of ${formatPeriod(period)} (from ${from.text}, before ${to.text})`,
    ...(before === 0 ? [] : [`and of the ${countOf(before, 'period')} before`]),
    `with ${countOf(maxRequests, 'request')} at most`,
    ...(exportTo === undefined ? [] : [`and write all rows to \`${exportTo.name}\``]),
  ].join(' ')
  return `The docs service was not called. Without \`dry-run\`, this run would ${plan}.`
}

/** The summary of a dry run: what would have been read. */
function dryRunSummary(options: VisitorsOptions, projectId: string): Markdown {
  return joinMarkdown([
    md`## 📊 Visitors report: dry run`,
    sentencesWithCode(describePlan(options)),
    md`Project ${code(projectId)}`,
  ])
}
