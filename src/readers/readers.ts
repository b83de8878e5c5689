import { hasPrompt } from '../events/trigger.ts'
import { code, joinMarkdown, md, sentencesWithCode } from '../lib/markdown.ts'
import { errorMessage } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService } from '../service/client.ts'
import { exportRows } from './export.ts'
import { countOf, listOf } from './format.ts'
import { type Missed, missedForAgent, readMissed } from './missed.ts'
import type { ReadersOptions } from './options.ts'
import { missedOutputs, visitorsOutputs } from './outputs.ts'
import { formatPeriod } from './period.ts'
import { type ReadingTools, readVisitors } from './read.ts'
import { makeReport, type VisitorsReport, visitorsHeadline } from './report.ts'
import { AnalyticsRequests, LeftOut, NotRead } from './requests.ts'
import { readersSummary, type SummaryContent } from './summary.ts'

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
    if (this.#run.inputs['dry-run']) return this.#reportPlan()
    const { visitors, signals } = this.#options
    try {
      if (signals === 'agent') await this.#readMissed()
      const reading = visitors && (await readVisitors(this.#tools, visitors))
      const missed = await this.#readMissed()
      if (missed !== undefined) this.#run.setOutputs(missedOutputs(missed))
      if (visitors === undefined || reading === undefined) return this.#reportMissed(missed)
      if (!(reading instanceof NotRead))
        return await this.#reportVisitors(makeReport(reading, visitors), missed)
      const failure = `${reading.message} So there is no visitors report.`
      this.#write({ failure, missed })
      return failure
    } catch (error) {
      if (!this.#run.cancel.aborted) throw error
      const failure = 'Cancelled before the readers report was complete.'
      this.#write({ failure, missed: undefined })
      return failure
    }
  }

  /** Reads once what readers missed, for whichever part asks first. */
  async #readMissed(): Promise<Missed | undefined> {
    const { signals, signalsPeriod } = this.#options
    if (signals !== 'none') this.#missed ??= readMissed(this.#tools, signalsPeriod)
    return await this.#missed
  }

  async #reportVisitors(report: VisitorsReport, missed: Missed | undefined): Promise<string | undefined> {
    const exportTo = this.#options.visitors?.exportTo
    let [exported, failure]: [string, string | undefined] = [exportTo?.name ?? '', undefined]
    try {
      if (exportTo !== undefined) await exportRows(report.pages, exportTo)
    } catch (error) {
      failure = `Failed to export the visitors: \`visitors-export\` ${errorMessage(error)}.`
      exported = ''
    }
    this.#run.setOutputs(visitorsOutputs(report, { exported, requests: this.#tools.requests.count }))
    this.#write({ report, missed, exported })
    this.#run.log.notice(`${visitorsHeadline(report)}.`, this.#title)
    return failure
  }

  /** Reports what readers missed where the visitors were not asked for. */
  #reportMissed(missed: Missed | undefined): string | undefined {
    if (missed === undefined) return undefined
    this.#write({ missed })
    const { inputs } = this.#run
    const isAlone = !hasPrompt(inputs) && inputs['job-id'] === ''
    if (isAlone && missed.readKinds === 0) return 'What readers missed could not be read.'
    if (missed.readKinds === 0) return undefined
    const nothing = missed.filledKinds > 0 ? 'nothing stands out' : 'the service lists nothing'
    const found = missed.items.length === 0 ? nothing : countOf(missed.items.length, 'item')
    this.#run.log.notice(`What readers missed in ${formatPeriod(missed.period)}: ${found}.`, this.#title)
    return undefined
  }

  /** Writes the summary, if any of it was asked for, and warns of what is missing. */
  #write(content: Pick<SummaryContent, 'missed'> & Partial<SummaryContent>): void {
    const { visitors, siteUrl, maxRequests } = this.#options
    const { service, requests, leftOut } = this.#tools
    const { sentences } = leftOut
    const { missed, ...ofVisitors } = content
    const shown = visitors?.summary === true ? ofVisitors : {}
    if (visitors?.summary === true || missed !== undefined) {
      const { projectId } = service
      const figures = { leftOut: sentences, requests: requests.count, maxRequests }
      this.#run.writeSummary('visitors', readersSummary({ projectId, siteUrl, missed, ...figures, ...shown }))
    }
    for (const sentence of [...(content.report?.warnings ?? []), ...sentences]) {
      this.#run.log.warning(sentence, this.#title)
    }
  }

  #reportPlan(): undefined {
    const { visitors, signals, signalsPeriod, maxRequests } = this.#options
    const parts: string[] = []
    if (visitors !== undefined) {
      const before = visitors.trend === 1 ? '' : ` and of the ${countOf(visitors.trend - 1, 'period')} before`
      parts.push(`read the visitors of ${formatPeriod(visitors.period)}${before}`)
    }
    if (visitors?.exportTo !== undefined) parts.push(`write all rows to \`${visitors.exportTo.name}\``)
    if (signals !== 'none') parts.push(`read what readers missed in ${formatPeriod(signalsPeriod)}`)
    if (signals === 'agent') parts.push('tell the agent')
    const plan = `The docs service was not called. Without \`dry-run\`, this run would ${listOf(parts)}, with ${countOf(maxRequests, 'request')} at most.`
    this.#run.log.notice(plan, this.#title)
    if (visitors?.summary !== true && signals === 'none') return
    const project = md`Project ${code(this.#tools.service.projectId)}`
    const head = md`## 📊 Readers report: dry run`
    this.#run.writeSummary('visitors', joinMarkdown([head, sentencesWithCode(plan), project]))
  }
}
