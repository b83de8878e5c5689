import { code, joinMarkdown, md, sentencesWithCode } from '../lib/markdown.ts'
import { capitalize, errorMessage } from '../lib/text.ts'
import { writeOutput } from '../lib/workspace.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService } from '../service/docs-service.ts'
import { countOf, formatPeriod, listOf } from './format.ts'
import { type Missed, readMissed } from './missed.ts'
import type { ReadersOptions } from './options.ts'
import { exportText, missedOutputs, visitorsOutputs } from './report-outputs.ts'
import { AnalyticsReader, NotRead } from './requests.ts'
import { missedForAgent } from './sections.ts'
import { readersSummary, type SummaryContent } from './summary.ts'
import { makeReport, readVisitors, type VisitorsReport, visitorsHeadline } from './visitors.ts'

/** The readers part of a run: visitors, and what readers missed, within one limit of requests. */
export class Readers {
  readonly #options: ReadersOptions
  readonly #run: Run
  readonly #title: string
  readonly #reader: AnalyticsReader
  #missed: Promise<Missed> | undefined

  /** The time that all requests may take begins to count. */
  constructor(options: ReadersOptions, service: DocsService, run: Run) {
    this.#options = options
    this.#run = run
    this.#title = `Docs readers: ${run.inputs['project-id']}`
    this.#reader = new AnalyticsReader(service, run)
  }

  /** What the agent is to be told of what readers missed, as text for the job's context; empty if there is nothing. */
  async signals(): Promise<string> {
    const { inputs, cancel, log } = this.#run
    if (inputs['dry-run'] || inputs['reader-signals'] !== 'agent') return ''
    const missed = await this.#readMissed()
    if (!missed.isRead && !cancel.aborted) {
      const why = this.#reader.leftOut.join(' ')
      log.notice(`The agent is not told what readers missed. ${why}`, this.#title)
    }
    return missedForAgent(missed)
  }

  /**
   * Reads and reports all that was asked for: in summary, outputs and export.
   *
   * @param hasJob whether the run has a job, too
   * @returns why the step fails, as sentences; `undefined` if it does not
   */
  async report(hasJob: boolean): Promise<string | undefined> {
    const { inputs, cancel } = this.#run
    if (inputs['dry-run']) return this.#reportPlan()
    const { visitors } = this.#options
    const signals = inputs['reader-signals']
    if (signals === 'agent') await this.#readMissed()
    const reading = visitors && (await readVisitors(this.#reader, visitors))
    const missed = signals === 'none' ? undefined : await this.#readMissed()
    if (cancel.aborted) return this.#reportFailure('Cancelled before the readers report was complete.')
    if (missed !== undefined) this.#run.setOutputs(missedOutputs(missed))
    if (reading instanceof NotRead) {
      // Key and credits are the job's, too, which says what to do about them.
      const isTold = hasJob && /\(40[12]\)$/.test(reading.headline)
      const why = isTold ? `${reading.headline}.` : reading.message
      return this.#reportFailure(`${capitalize(why)} So there is no visitors report.`, missed)
    }
    if (visitors === undefined || reading === undefined) return missed && this.#reportMissed(missed, hasJob)
    const report = makeReport(reading, { isSoFar: visitors.isSoFar, top: inputs['visitors-top'] })
    return await this.#reportVisitors(report, missed, visitors.exportTo)
  }

  /** Reads once what readers missed, for whichever part asks first. */
  async #readMissed(): Promise<Missed> {
    this.#missed ??= readMissed(this.#reader, this.#options.signalsPeriod)
    return await this.#missed
  }

  #reportFailure(failure: string, missed?: Missed): string {
    this.#write(missed, { failure })
    return failure
  }

  async #reportVisitors(
    report: VisitorsReport,
    missed: Missed | undefined,
    exportTo: string | undefined,
  ): Promise<string | undefined> {
    const { inputs, log } = this.#run
    let exported = inputs['visitors-export']
    let failure: string | undefined
    try {
      if (exportTo !== undefined) await writeOutput(exportTo, exportText(report.pages, exportTo))
    } catch (error) {
      failure = `Failed to export the visitors: \`visitors-export\` ${errorMessage(error)}.`
      exported = ''
    }
    if (exported !== '') log.info(`Wrote ${countOf(report.pages.length, 'row')} to ${exported}.`)
    this.#run.setOutputs({ ...visitorsOutputs(report, this.#reader.count), 'visitors-export': exported })
    this.#write(missed, { report, exported })
    log.notice(`${visitorsHeadline(report)}.`, this.#title)
    return failure
  }

  /** Reports what readers missed where the visitors were not asked for. */
  #reportMissed(missed: Missed, hasJob: boolean): string | undefined {
    this.#write(missed)
    const { period, items, isRead, hasRows } = missed
    if (!isRead) return hasJob ? undefined : 'What readers missed could not be read.'
    const nothing = hasRows ? 'nothing stands out' : 'the service lists nothing'
    const found = items.length === 0 ? nothing : countOf(items.length, 'item')
    this.#run.log.notice(`What readers missed in ${formatPeriod(period)}: ${found}.`, this.#title)
    return undefined
  }

  /** Writes the summary, if any of it was asked for, and warns of what is missing. */
  #write(missed: Missed | undefined, visitors: Partial<SummaryContent> = {}): void {
    const { inputs, cancel, log } = this.#run
    const { leftOut, count: requests } = this.#reader
    // A step that fails says why on its page, too.
    const hasVisitors = inputs['visitors-summary'] || visitors.failure !== undefined
    if (hasVisitors || missed !== undefined) {
      const content = { inputs, missed, leftOut, requests, ...(hasVisitors ? visitors : {}) }
      this.#run.writeSummary('visitors', readersSummary(content))
    }
    if (cancel.aborted) return
    const warnings = [...(visitors.report?.warnings ?? []), ...leftOut]
    for (const warning of warnings) log.warning(warning, this.#title)
  }

  #reportPlan(): undefined {
    const { inputs, log } = this.#run
    const { visitors, signalsPeriod } = this.#options
    const signals = inputs['reader-signals']
    const parts: string[] = []
    if (visitors !== undefined) {
      const { period, before, exportTo } = visitors
      const others = before.length === 0 ? '' : ` and of the ${countOf(before.length, 'period')} before`
      parts.push(`read the visitors of ${formatPeriod(period)}${others}`)
      if (exportTo !== undefined) parts.push(`write all rows to \`${inputs['visitors-export']}\``)
    }
    if (signals !== 'none') parts.push(`read what readers missed in ${formatPeriod(signalsPeriod)}`)
    if (signals === 'agent') parts.push('tell the agent')
    const plan = `The docs service was not called. Without \`dry-run\`, this run would ${listOf(parts)}, with ${countOf(inputs['visitors-max-requests'], 'request')} at most.`
    log.notice(plan, this.#title)
    if (!inputs['visitors-summary'] && signals === 'none') return
    const project = md`Project ${code(inputs['project-id'])}`
    const head = md`## 📊 Readers report: dry run`
    this.#run.writeSummary('visitors', joinMarkdown([head, sentencesWithCode(plan), project]))
  }
}
