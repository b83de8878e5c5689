import { code, md, sentencesWithCode } from '../lib/markdown.ts'
import { byteLength, errorMessage, listOf } from '../lib/text.ts'
import { writeOutput } from '../lib/workspace.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService } from '../service/docs-service.ts'
import { AnalyticsReader, NotRead } from './analytics-reader.ts'
import { countOf, formatPeriod, type Period } from './format.ts'
import { fullDaysBefore, type ReadersOptions } from './options.ts'
import {
  type ReaderSignals,
  readSignals,
  SIGNALS_DAYS,
  type SignalsForAgent,
  signalsForAgent,
  signalsOutputs,
} from './signals.ts'
import { type ReportContent, readersMarkdown, readersSummary } from './summary.ts'
import {
  exportText,
  readVisitors,
  type VisitorsReport,
  visitorsHeadline,
  visitorsOutputs,
} from './visitors.ts'

/** A comment of GitHub's holds 64 KiB; a workflow that posts the report may add to it. */
const MAX_MARKDOWN_KIB = 60

/** The readers part of a run: visitors, and what readers missed, within one limit of requests. */
export class Readers {
  readonly #visitors: ReadersOptions['visitors']
  readonly #run: Run
  readonly #title: string
  readonly #reader: AnalyticsReader
  readonly #signalsPeriod: Period
  #signals: Promise<ReaderSignals> | undefined

  /** The time that all requests may take begins to count. */
  constructor({ visitors }: ReadersOptions, service: DocsService, run: Run) {
    this.#visitors = visitors
    this.#run = run
    this.#title = `Docs readers: ${run.subject}`
    this.#reader = new AnalyticsReader(service, run)
    this.#signalsPeriod = fullDaysBefore(run.clock.now(), SIGNALS_DAYS)
  }

  /** What readers missed, for the job's context; `undefined` if there is nothing. */
  async signals(): Promise<SignalsForAgent | undefined> {
    const { inputs, cancel, log } = this.#run
    if (inputs['dry-run'] || inputs['reader-signals'] !== 'agent') return undefined
    const signals = await this.#readSignals()
    if (!signals.isRead && !cancel.aborted) {
      const why = this.#reader.leftOut(true).join(' ')
      log.notice(`The agent is not told what readers missed. ${why}`, this.#title)
    }
    return signalsForAgent(signals)
  }

  /**
   * Reads and reports all that was asked for: in summary, outputs and export.
   *
   * @param hasJob whether the run has a job, too
   * @returns why the step fails, as sentences; `undefined` if it does not
   */
  async report(hasJob: boolean): Promise<string | undefined> {
    const { inputs, cancel, log } = this.#run
    if (inputs['dry-run']) return this.#reportPlan()
    const visitors = this.#visitors
    if (inputs['reader-signals'] === 'agent') await this.#readSignals()
    const report = visitors && (await readVisitors(this.#reader, visitors, inputs['visitors-top']))
    const signals = inputs['reader-signals'] === 'none' ? undefined : await this.#readSignals()
    if (cancel.aborted) {
      const failure = 'Cancelled before the readers report was complete.'
      this.#write({ failure }, hasJob)
      return failure
    }
    if (signals !== undefined) this.#run.setOutputs(signalsOutputs(signals))
    if (report instanceof NotRead) {
      const failure = report.text('the visitors', hasJob)
      if (failure !== report.message) log.info(`${this.#title}: ${report.message}`)
      this.#write({ signals, failure }, hasJob)
      return failure
    }
    if (report === undefined) return signals && this.#reportSignals(signals, hasJob)
    const failure = await this.#export(report, visitors?.exportTo)
    const exported = failure === undefined ? inputs['visitors-export'] : ''
    this.#run.setOutputs({ ...visitorsOutputs(report, this.#reader.count), 'visitors-export': exported })
    this.#write({ report, signals, exported }, hasJob)
    log.notice(`${visitorsHeadline(report)}.`, this.#title)
    return failure
  }

  /** Reads once what readers missed, for whichever part asks first. */
  async #readSignals(): Promise<ReaderSignals> {
    this.#signals ??= readSignals(this.#reader, this.#signalsPeriod)
    return await this.#signals
  }

  /** @returns why there is no file, as a sentence; `undefined` if there is, or none is asked for */
  async #export(report: VisitorsReport, exportTo: string | undefined): Promise<string | undefined> {
    if (exportTo === undefined) return undefined
    try {
      await writeOutput(exportTo, exportText(report.pages, exportTo))
    } catch (error) {
      return `Failed to export the visitors: \`visitors-export\` ${errorMessage(error)}.`
    }
    const { inputs, log } = this.#run
    log.info(`Wrote ${countOf(report.pages.length, 'row')} to ${inputs['visitors-export']}.`)
    return undefined
  }

  /** Reports what readers missed where the visitors were not asked for. */
  #reportSignals(signals: ReaderSignals, hasJob: boolean): string | undefined {
    this.#write({ signals }, hasJob)
    const { period, items, isRead, hasRows, failure } = signals
    if (!isRead) return hasJob ? undefined : failure?.text('what readers missed', false)
    const nothing = hasRows ? 'nothing stands out' : 'the service lists nothing'
    const found = items.length === 0 ? nothing : countOf(items.length, 'item')
    this.#run.log.notice(`What readers missed in ${formatPeriod(period)}: ${found}.`, this.#title)
    return undefined
  }

  /** Writes the summary, if any of it was asked for, and the Markdown output, and warns of what is missing. */
  #write(parts: Omit<ReportContent, 'inputs' | 'leftOut' | 'requests'>, hasJob: boolean): void {
    const { inputs, cancel, log } = this.#run
    const { report, signals, failure } = parts
    const leftOut = this.#reader.leftOut(hasJob)
    const content = { inputs, leftOut, requests: this.#reader.count, ...parts }
    const shown = inputs['visitors-summary'] ? content : { ...content, report: undefined }
    // A step that fails says why on its page, too.
    if (shown.report ?? signals ?? failure) this.#run.writeSummary('visitors', readersSummary(shown))
    if (cancel.aborted) return
    for (const warning of [...(report?.warnings ?? []), ...leftOut]) log.warning(warning, this.#title)
    if (report === undefined && signals?.isRead !== true) return
    const markdown = readersMarkdown(content).source
    const isTooLong = byteLength(markdown) > MAX_MARKDOWN_KIB * 1024
    const limit = `${MAX_MARKDOWN_KIB} KiB`
    const tooLong = `The output visitors-markdown is left empty: it would be longer than ${limit}.`
    if (isTooLong) log.warning(tooLong, this.#title)
    this.#run.setOutputs({ 'visitors-markdown': isTooLong ? '' : markdown })
  }

  #reportPlan(): undefined {
    const { inputs, log } = this.#run
    const signals = inputs['reader-signals']
    const parts: string[] = []
    if (this.#visitors !== undefined) {
      const { period, before, exportTo } = this.#visitors
      const others = before.length === 0 ? '' : ` and of the ${countOf(before.length, 'period')} before`
      parts.push(`read the visitors of ${formatPeriod(period)}${others}`)
      if (exportTo !== undefined) parts.push(`write all rows to \`${inputs['visitors-export']}\``)
    }
    if (signals !== 'none') parts.push(`read what readers missed in ${formatPeriod(this.#signalsPeriod)}`)
    if (signals === 'agent') parts.push('tell the agent')
    const plan = `The docs service was not called. Without \`dry-run\`, this run would ${listOf(parts)}, with ${countOf(inputs['visitors-max-requests'], 'request')} at most.`
    log.notice(plan, this.#title)
    if (!inputs['visitors-summary'] && signals === 'none') return
    const page = md`## 📊 Readers report: dry run\n\n${sentencesWithCode(plan)}\n\nProject ${code(inputs['project-id'])}`
    this.#run.writeSummary('visitors', page)
  }
}
