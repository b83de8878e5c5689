import { errorMessage } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService } from '../service/client.ts'
import { exportRows } from './export.ts'
import { countOf, listOf } from './format.ts'
import { type Missed, missedForAgent, readMissed } from './missed.ts'
import type { ReadersOptions, VisitorsOptions } from './options.ts'
import { missedOutputs, visitorsOutputs } from './outputs.ts'
import { formatPeriod } from './period.ts'
import { type ReadingTools, readVisitors, type VisitorsReading } from './read.ts'
import { makeReport, visitorsHeadline } from './report.ts'
import { AnalyticsRequests, LeftOut, NotRead } from './requests.ts'
import {
  missedSummary,
  noVisitorsSummary,
  plannedSummary,
  type SummaryContext,
  visitorsSummary,
} from './summary.ts'

/** The readers part of a run: visitors, and what readers missed, within one limit of requests. */
export class Readers {
  readonly #options: ReadersOptions
  readonly #run: Run
  readonly #tools: ReadingTools
  readonly #title: string
  #missed: Promise<Missed | undefined> | undefined

  /** The time that all requests may take begins to count. */
  constructor(options: ReadersOptions, service: DocsService, run: Run) {
    this.#options = options
    this.#run = run
    this.#title = `Docs readers: ${service.projectId}`
    const requests = new AnalyticsRequests(run, {
      maxRequests: options.maxRequests,
      onProgress: (line) => run.log.info(`${this.#title}: ${line}`),
    })
    this.#tools = { service, requests, leftOut: new LeftOut() }
  }

  /** What the agent is to be told of what readers missed, as text for the job's context; empty if there is nothing. */
  async signals(): Promise<string> {
    if (this.#options.signals !== 'agent' || this.#run.inputs['dry-run']) return ''
    const missed = await this.#readMissed()
    if (missed?.readKinds === 0) {
      const why = this.#tools.leftOut.sentences.join(' ')
      this.#run.log.notice(`The agent is not told what readers missed. ${why}`, this.#title)
    }
    return missed === undefined ? '' : missedForAgent(missed)
  }

  /**
   * Reads and reports all that was asked for: in summary, outputs and export.
   *
   * @returns why the step fails, as sentences; `undefined` if it does not
   */
  async report(): Promise<string | undefined> {
    const { visitors, signals } = this.#options
    if (this.#run.inputs['dry-run']) return this.#reportPlan()
    try {
      if (signals === 'agent') await this.#readMissed()
      const reading = visitors && (await readVisitors(this.#tools, visitors))
      const missed = await this.#readMissed()
      if (missed !== undefined) this.#run.setOutputs(missedOutputs(missed))
      if (visitors === undefined || reading === undefined) return this.#reportMissed(missed)
      if (reading instanceof NotRead) return this.#reportNoVisitors(reading, visitors, missed)
      return await this.#reportVisitors(reading, visitors, missed)
    } catch (error) {
      if (!this.#run.cancel.aborted) throw error
      return 'Cancelled before the readers report was complete.'
    }
  }

  /** Reads once what readers missed, for whichever part asks first. */
  async #readMissed(): Promise<Missed | undefined> {
    const { signals, signalsPeriod } = this.#options
    if (signals !== 'none') this.#missed ??= readMissed(this.#tools, signalsPeriod)
    return await this.#missed
  }

  async #reportVisitors(
    reading: VisitorsReading,
    options: VisitorsOptions,
    missed: Missed | undefined,
  ): Promise<string | undefined> {
    const { summary, exportTo } = options
    const report = makeReport(reading, options)
    const failure =
      exportTo && (await exportRows(report.pages, exportTo).then(() => undefined, exportFailure))
    const exported = failure === undefined ? (exportTo?.name ?? '') : ''
    const context = this.#summaryContext(missed, exported)
    this.#run.setOutputs(visitorsOutputs(report, context))
    if (summary) this.#run.writeSummary('visitors', visitorsSummary(report, context))
    else if (missed !== undefined) this.#run.writeSummary('visitors', missedSummary(missed, context))
    this.#warn([...report.warnings, ...context.leftOut])
    this.#run.log.notice(`${visitorsHeadline(report)}.`, this.#title)
    return failure
  }

  #reportNoVisitors({ message }: NotRead, { summary }: VisitorsOptions, missed: Missed | undefined): string {
    const why = `${message} So there is no visitors report.`
    const context = this.#summaryContext(missed)
    if (summary) this.#run.writeSummary('visitors', noVisitorsSummary(why, context))
    else if (missed !== undefined) this.#run.writeSummary('visitors', missedSummary(missed, context))
    this.#warn(context.leftOut)
    return why
  }

  /** Reports what readers missed where the visitors were not asked for. */
  #reportMissed(missed: Missed | undefined): string | undefined {
    if (missed === undefined) return undefined
    const context = this.#summaryContext(missed)
    this.#run.writeSummary('visitors', missedSummary(missed, context))
    const { prompt, 'prompt-file': promptFiles, 'job-id': jobId } = this.#run.inputs
    const isAlone = prompt === '' && promptFiles.length === 0 && jobId === ''
    if (isAlone && missed.readKinds === 0) return context.leftOut.join(' ')
    this.#warn(context.leftOut)
    const found = missed.items.length === 0 ? 'nothing stands out' : countOf(missed.items.length, 'item')
    this.#run.log.notice(`What readers missed in ${formatPeriod(missed.period)}: ${found}.`, this.#title)
    return undefined
  }

  #reportPlan(): undefined {
    const { visitors, signals } = this.#options
    const plan = `The docs service was not called. Without \`dry-run\`, this run would ${describePlan(this.#options)}.`
    if (visitors?.summary === true || signals !== 'none') {
      this.#run.writeSummary('visitors', plannedSummary(plan, this.#tools.service.projectId))
    }
    this.#run.log.notice(plan, this.#title)
  }

  #warn(sentences: readonly string[]): void {
    for (const sentence of sentences) this.#run.log.warning(sentence, this.#title)
  }

  #summaryContext(missed: Missed | undefined, exported = ''): SummaryContext {
    const { service, requests, leftOut } = this.#tools
    const { siteUrl, maxRequests } = this.#options
    return {
      projectId: service.projectId,
      siteUrl,
      requests: requests.count,
      maxRequests,
      exported,
      leftOut: leftOut.sentences,
      missed,
    }
  }
}

function exportFailure(error: unknown): string {
  return `Failed to export the visitors: \`visitors-export\` ${errorMessage(error)}.`
}

function describePlan({ visitors, signals, signalsPeriod, maxRequests }: ReadersOptions): string {
  const before =
    visitors === undefined || visitors.trend === 1
      ? ''
      : ` and of the ${countOf(visitors.trend - 1, 'period')} before`
  const parts = [
    ...(visitors === undefined ? [] : [`read the visitors of ${formatPeriod(visitors.period)}${before}`]),
    ...(visitors?.exportTo === undefined ? [] : [`write all rows to \`${visitors.exportTo.name}\``]),
    ...(signals === 'none' ? [] : [`read what readers missed in ${formatPeriod(signalsPeriod)}`]),
    ...(signals === 'agent' ? ['tell the agent'] : []),
  ]
  return `${listOf(parts)}, with ${countOf(maxRequests, 'request')} at most`
}
