import { code, link, type Markdown, md, sentencesWithCode } from '../lib/markdown.ts'
import { byteLength, countOf, errorMessage, formatCount, listOf } from '../lib/text.ts'
import { formatAge } from '../lib/time.ts'
import { findOutputPath, WorkspaceError, writeOutput } from '../lib/workspace.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService } from '../service/docs-service.ts'
import { AnalyticsReader, MAX_REQUESTS } from './analytics-reader.ts'
import { DAY_MS, formatPeriod, fullDaysBefore, isoDay, type Period } from './format.ts'
import { type ReaderSignals, readSignals, signalsForAgent, signalsOutputs } from './signals.ts'
import { type ReportContent, readersMarkdown, readersSummary } from './summary.ts'
import { csvOf, headingOf, readVisitors, type VisitorsReport, visitorsOutputs } from './visitors.ts'

/**
 * The absolute path of `visitors-export`, free of links; `undefined` if none is wanted.
 *
 * @throws {WorkspaceError} if it can't be written there
 */
export async function findExportPath({ inputs, environment }: Run): Promise<string | undefined> {
  const name = inputs['visitors-export']
  if (name === '') return undefined
  if (!/\.csv$/i.test(name)) throw new WorkspaceError('does not end in .csv')
  return await findOutputPath(environment.workspace, name)
}

/** A comment of GitHub's holds 64 KiB; a workflow that posts the report may add to it. */
const MAX_MARKDOWN_KIB = 60

/** How long a refused report waits for the job's error to explain it. */
const JOB_ERROR_MS = 5000

/** The readers part of a run: visitors, and what readers missed, within one limit of requests. */
export class Readers {
  readonly #exportTo: string | undefined
  readonly #run: Run
  readonly #title: string
  readonly #reader: AnalyticsReader
  readonly #period: Period
  #signals: Promise<ReaderSignals> | undefined

  /** The time that all requests may take begins to count. */
  constructor(exportTo: string | undefined, service: DocsService, run: Run) {
    this.#exportTo = exportTo
    this.#run = run
    this.#title = `Docs readers: ${run.subject}`
    this.#reader = new AnalyticsReader(service, run)
    this.#period = fullDaysBefore(run.clock.now(), run.inputs['visitors-days'])
  }

  /** What readers missed, as lines for the job's prompt: our own words first. None if there is nothing. */
  async signals(): Promise<readonly string[]> {
    const { inputs, cancel, log } = this.#run
    if (inputs['dry-run'] || inputs['reader-signals'] !== 'agent') return []
    const signals = await this.#readSignals()
    if (!signals.isRead && !cancel.aborted) log.cost('The agent is not told what readers missed.')
    return signalsForAgent(signals)
  }

  /**
   * Reads and reports all that was asked for: in summary, outputs and export.
   *
   * @param job of this run, if it has one: gives the headline of its error
   * @returns why the step fails, as sentences; `undefined` if it does not
   */
  async report(job?: Promise<string | undefined>): Promise<string | undefined> {
    const { inputs, cancel } = this.#run
    if (inputs['dry-run']) return this.#reportPlan()
    const { 'visitors-summary': hasSummary, 'reader-signals': wanted } = inputs
    const hasVisitors = hasSummary || this.#exportTo !== undefined
    if (wanted === 'agent') await this.#readSignals()
    const [report, docsPulls] = await Promise.all([
      hasVisitors ? readVisitors(this.#reader, this.#period, !hasSummary) : undefined,
      hasSummary ? readDocsPulls(this.#period, this.#run) : undefined,
    ])
    const signals = wanted === 'none' ? undefined : await this.#readSignals()
    if (cancel.aborted) {
      const failure = 'Cancelled before the readers report was complete.'
      return this.#publish({ failure, leftOut: [] })
    }
    const isUnread = hasVisitors ? report === undefined : !signals?.isRead && job === undefined
    if (isUnread) {
      // A refusal mostly meets the job, too, at once: its error then stands above and explains it.
      const late = async () => {
        await this.#run.clock.sleep(JOB_ERROR_MS, cancel)
        return undefined
      }
      const explained = this.#reader.isRefused
        ? await Promise.race([job, late()]).catch(() => undefined)
        : undefined
      const failure = this.#reader.leftOut(explained).join(' ')
      return this.#publish({ failure, signals, leftOut: [] })
    }
    const leftOut = this.#reader.leftOut()
    const failure = await this.#export(report)
    return this.#publish({ failure, report, signals, docsPulls, leftOut })
  }

  /** Reads once what readers missed, for whichever part asks first. */
  #readSignals(): Promise<ReaderSignals> {
    this.#signals ??= readSignals(this.#reader, this.#period.toMs)
    return this.#signals
  }

  /** @returns why there is no file, as a sentence; `undefined` if there is, or none is asked for */
  async #export(report: VisitorsReport | undefined): Promise<string | undefined> {
    if (this.#exportTo === undefined || report === undefined) return undefined
    const { inputs, log } = this.#run
    try {
      await writeOutput(this.#exportTo, csvOf(report.rows))
    } catch (error) {
      return `Failed to export the visitors: \`visitors-export\` ${errorMessage(error)}.`
    }
    log.info(`Wrote ${countOf(report.rows.length, 'row')} to ${inputs['visitors-export']}.`)
    return undefined
  }

  /** Writes the summary, as far as it was asked for, the outputs and the annotations. @returns why the step fails */
  #publish(parts: Omit<ReportContent, 'inputs' | 'requests'>): string | undefined {
    const { inputs, log } = this.#run
    const { failure, report, signals, leftOut } = parts
    const content = { ...parts, inputs, requests: this.#reader.count }
    const shown = inputs['visitors-summary'] ? content : { ...content, report: undefined }
    // A step that fails says why on its page, too.
    if (shown.report ?? signals ?? failure)
      this.#run.writeSummary('visitors', readersSummary(shown))
    for (const warning of report?.warnings ?? []) log.warning(warning, this.#title)
    for (const sentence of leftOut) {
      // What readers missed was asked for by name; a report is of use without some of its rows.
      if (signals?.isWhole === false) log.cost(sentence)
      else log.notice(sentence, this.#title)
    }
    if (signals) this.#run.setOutputs(signalsOutputs(signals))
    if (report) {
      this.#run.setOutputs(visitorsOutputs(report, content.requests))
      log.notice(`${headingOf(report)}.`, this.#title)
    } else if (signals?.isRead && failure === undefined) {
      const found = `${formatPeriod(signals.period)}: ${countOf(signals.items.length, 'item')}`
      log.notice(`What readers missed in ${found}.`, this.#title)
    }
    if (report ?? signals?.isRead) {
      const markdown = readersMarkdown(content).source
      const isTooLong = byteLength(markdown) > MAX_MARKDOWN_KIB * 1024
      const left = 'The output visitors-markdown is left empty: it would be longer than'
      if (isTooLong) log.cost(`${left} ${MAX_MARKDOWN_KIB} KiB.`)
      this.#run.setOutputs({ 'visitors-markdown': isTooLong ? '' : markdown })
    }
    return failure
  }

  #reportPlan(): undefined {
    const { inputs, log } = this.#run
    const { 'visitors-export': file, 'reader-signals': signals } = inputs
    const parts = [
      inputs['visitors-summary'] || file
        ? `read the visitors of ${formatPeriod(this.#period)}`
        : [],
      file ? `write all rows to \`${file}\`` : [],
      signals === 'none' ? [] : 'read what readers missed',
      signals === 'agent' ? 'tell the agent' : [],
    ].flat()
    const plan = `The docs service was not called. Without \`dry-run\`, this run would ${listOf(parts)}, with ${MAX_REQUESTS} requests at most.`
    log.notice(plan, this.#title)
    const page = md`## 📊 Readers report: dry run\n\n${sentencesWithCode(plan)}\n\nProject ${code(inputs['project-id'])}`
    this.#run.writeSummary('visitors', page)
  }
}

type Found = {
  readonly issueCount?: number
  readonly nodes?: readonly ({ readonly createdAt?: string; readonly url?: string } | null)[]
}

/** What became of the docs pull requests in the run's repository, as one line; `undefined` if not known, or there are none. */
async function readDocsPulls({ fromMs, toMs }: Period, run: Run): Promise<Markdown | undefined> {
  const { inputs, github, clock, environment } = run
  // In a search, the login of an App's account is `app/NAME`.
  const logins = inputs['ignore-authors'].map((login) => login.toLowerCase())
  const authors = [...new Set(logins)].map(
    (login) => `author:${login.replace(/^(.*)\[bot\]$/, 'app/$1')}`,
  )
  const days = `${isoDay(fromMs)}..${isoDay(toMs - DAY_MS)}`
  const wanted = { merged: `merged:${days}`, closed: `is:unmerged closed:${days}`, open: 'is:open' }
  // One search for each author: not every GitHub takes several authors as "or".
  const searches = authors.flatMap((author, index) =>
    Object.entries(wanted).map(([kind, qualifiers]) => {
      const text = `repo:${environment.repository} is:pr ${author} ${qualifiers} sort:created-asc`
      const pulls = 'issueCount nodes { ... on PullRequest { createdAt url } }'
      return `${kind}${index}: search(type: ISSUE, first: 1, query: ${JSON.stringify(text)}) { ${pulls} }`
    }),
  )
  const answer = await github.read(() =>
    github.graphql<Readonly<Record<string, Found>>>(`query { ${searches.join(' ')} }`),
  )
  if (!answer.known || answer.value.errors.length > 0) return undefined
  const found = Object.entries(answer.value.data ?? {})
  const searchesFor = (kind: keyof typeof wanted): Found[] =>
    found.flatMap(([name, search]) => (name.startsWith(kind) ? [search] : []))
  const count = (kind: keyof typeof wanted): number =>
    searchesFor(kind).reduce((sum, { issueCount = 0 }) => sum + issueCount, 0)
  const [merged, closed, open] = [count('merged'), count('closed'), count('open')]
  if (merged + closed + open === 0) return undefined

  const [oldest] = searchesFor('open')
    .flatMap(({ nodes = [] }) => nodes)
    .map((node) => ({ url: node?.url ?? '', atMs: Date.parse(node?.createdAt ?? '') }))
    .sort((left, right) => left.atMs - right.atMs)
  const query = encodeURIComponent(`is:pr ${authors.join(' OR ')}`)
  const url = `${github.serverUrl}/${environment.repository}/pulls?q=${query}`
  const all = md`${link('Docs pull requests', url)}: ${formatCount(merged)} merged and ${formatCount(closed)} closed in the period; ${formatCount(open)} open`
  if (oldest === undefined) return all
  const age = formatAge(clock.now() - oldest.atMs)
  return md`${all}, ${link(`the oldest for ${age}`, oldest.url)}`
}
