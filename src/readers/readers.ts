import type { InputProblem } from '../inputs/table.ts'
import { code, joinMarkdown, link, type Markdown, md, sentencesWithCode } from '../lib/markdown.ts'
import { byteLength, clip, countOf, errorMessage, formatCount, listOf } from '../lib/text.ts'
import { findOutputPath, WorkspaceError, writeOutput } from '../lib/workspace.ts'
import type { Run } from '../runner/run.ts'
import type { DocsService } from '../service/docs-service.ts'
import { AnalyticsReader, MAX_REQUESTS, NotRead } from './analytics-reader.ts'
import { DAY_MS, formatPeriod, fullDaysBefore, isoDay, type Period } from './format.ts'
import {
  type ReaderSignals,
  readSignals,
  SIGNALS_DAYS,
  signalsForAgent,
  signalsOutputs,
} from './signals.ts'
import { type ReportContent, readersMarkdown, readersSummary } from './summary.ts'
import {
  csvOf,
  EARLIER_PERIODS,
  headingOf,
  readVisitors,
  type VisitorsReport,
  visitorsOutputs,
} from './visitors.ts'

/** What is asked for, as far as the inputs do not say it as they are. */
export type ReadersOptions = {
  /** Absolute path of the file for all rows, free of links; `undefined` if none is wanted. */
  readonly exportTo: string | undefined
}

/**
 * Finds out what the inputs ask for, and all that is wrong with them.
 *
 * @returns `options`: `undefined` if no part is asked for
 */
export async function readReadersOptions({ inputs, environment }: Run) {
  const problems: InputProblem[] = []
  let exportTo: string | undefined
  const name = inputs['visitors-export']
  try {
    if (name !== '' && !/\.csv$/i.test(name)) throw new WorkspaceError('does not end in .csv')
    if (name !== '') exportTo = await findOutputPath(environment.workspace, name)
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    const problem = `("${clip(name, 80)}") ${error.message}`
    const accepted = 'a path in the workspace that ends in .csv'
    problems.push({ input: 'visitors-export', problem, accepted })
  }
  const isRequested =
    inputs['visitors-summary'] || name !== '' || inputs['reader-signals'] !== 'none'
  return { options: isRequested ? { exportTo } : undefined, problems }
}

/** A comment of GitHub's holds 64 KiB; a workflow that posts the report may add to it. */
const MAX_MARKDOWN_KIB = 60

/** The readers part of a run: visitors, and what readers missed, within one limit of requests. */
export class Readers {
  readonly #exportTo: string | undefined
  readonly #hasJob: boolean
  readonly #run: Run
  readonly #title: string
  readonly #reader: AnalyticsReader
  readonly #period: Period
  readonly #signalsPeriod: Period
  #signals: Promise<ReaderSignals> | undefined

  /**
   * The time that all requests may take begins to count.
   *
   * @param options `hasJob`: whether the run has a job, too
   */
  constructor(
    { exportTo, hasJob }: ReadersOptions & { readonly hasJob: boolean },
    service: DocsService,
    run: Run,
  ) {
    this.#exportTo = exportTo
    this.#hasJob = hasJob
    this.#run = run
    this.#title = `Docs readers: ${run.subject}`
    this.#reader = new AnalyticsReader(service, run, hasJob)
    this.#period = fullDaysBefore(run.clock.now(), run.inputs['visitors-days'])
    this.#signalsPeriod = fullDaysBefore(run.clock.now(), SIGNALS_DAYS)
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
   * @returns why the step fails, as sentences; `undefined` if it does not
   */
  async report(): Promise<string | undefined> {
    const { inputs, cancel, log } = this.#run
    if (inputs['dry-run']) return this.#reportPlan()
    if (inputs['reader-signals'] === 'agent') await this.#readSignals()
    const hasSummary = inputs['visitors-summary']
    const hasVisitors = hasSummary || this.#exportTo !== undefined
    const [report, docsPulls] = await Promise.all([
      hasVisitors ? readVisitors(this.#reader, this.#period, !hasSummary) : undefined,
      hasSummary ? readDocsPulls(this.#period, this.#run) : undefined,
    ])
    const signals = inputs['reader-signals'] === 'none' ? undefined : await this.#readSignals()
    if (cancel.aborted) {
      const failure = 'Cancelled before the readers report was complete.'
      this.#write({ failure })
      return failure
    }
    if (signals !== undefined) this.#run.setOutputs(signalsOutputs(signals))
    if (report instanceof NotRead) {
      const failure = report.text('the visitors')
      this.#write({ signals, failure })
      return failure
    }
    if (report === undefined) return signals && this.#reportSignals(signals)
    const failure = await this.#export(report)
    const exported = failure === undefined ? inputs['visitors-export'] : ''
    this.#run.setOutputs(visitorsOutputs(report, this.#reader.count))
    this.#write({ report, signals, docsPulls, exported })
    log.notice(`${headingOf(report)}.`, this.#title)
    return failure
  }

  /** Reads once what readers missed, for whichever part asks first. */
  async #readSignals(): Promise<ReaderSignals> {
    this.#signals ??= readSignals(this.#reader, this.#signalsPeriod)
    return await this.#signals
  }

  /** @returns why there is no file, as a sentence; `undefined` if there is, or none is asked for */
  async #export({ rows }: VisitorsReport): Promise<string | undefined> {
    if (this.#exportTo === undefined) return undefined
    try {
      await writeOutput(this.#exportTo, csvOf(rows))
    } catch (error) {
      return `Failed to export the visitors: \`visitors-export\` ${errorMessage(error)}.`
    }
    const { inputs, log } = this.#run
    log.info(`Wrote ${countOf(rows.length, 'row')} to ${inputs['visitors-export']}.`)
    return undefined
  }

  /** Reports what readers missed where the visitors were not asked for. */
  #reportSignals(signals: ReaderSignals): string | undefined {
    this.#write({ signals })
    const { period, items, isRead, hasRows, failure } = signals
    if (!isRead) return this.#hasJob ? undefined : failure?.text('what readers missed')
    const nothing = hasRows ? 'nothing stands out' : 'the service lists nothing'
    const found = items.length === 0 ? nothing : countOf(items.length, 'item')
    this.#run.log.notice(`What readers missed in ${formatPeriod(period)}: ${found}.`, this.#title)
    return undefined
  }

  /** Writes the summary, if any of it was asked for, and the Markdown output, and warns of what is missing. */
  #write(parts: Omit<ReportContent, 'inputs' | 'leftOut' | 'requests'>): void {
    const { inputs, cancel, log } = this.#run
    const { report, signals, failure } = parts
    const leftOut = this.#reader.leftOut()
    const content = { inputs, leftOut, requests: this.#reader.count, ...parts }
    const shown = inputs['visitors-summary'] ? content : { ...content, report: undefined }
    // A step that fails says why on its page, too.
    if (shown.report ?? signals ?? failure)
      this.#run.writeSummary('visitors', readersSummary(shown))
    if (cancel.aborted) return
    for (const warning of report?.warnings ?? []) log.warning(warning, this.#title)
    for (const sentence of leftOut) {
      // What readers missed was asked for by name; a report is of use without some of its rows.
      if (signals?.failure) log.cost(sentence)
      else log.notice(sentence, this.#title)
    }
    if (report === undefined && signals?.isRead !== true) return
    const markdown = readersMarkdown(content).source
    const isTooLong = byteLength(markdown) > MAX_MARKDOWN_KIB * 1024
    const left = 'The output visitors-markdown is left empty: it would be longer than'
    if (isTooLong) log.warning(`${left} ${MAX_MARKDOWN_KIB} KiB.`, this.#title)
    this.#run.setOutputs({ 'visitors-markdown': isTooLong ? '' : markdown })
  }

  #reportPlan(): undefined {
    const { inputs, log } = this.#run
    const signals = inputs['reader-signals']
    const parts: string[] = []
    const others = inputs['visitors-summary'] ? ` and of the ${EARLIER_PERIODS} periods before` : ''
    if (inputs['visitors-summary'] || this.#exportTo !== undefined)
      parts.push(`read the visitors of ${formatPeriod(this.#period)}${others}`)
    if (this.#exportTo !== undefined)
      parts.push(`write all rows to \`${inputs['visitors-export']}\``)
    if (signals !== 'none')
      parts.push(`read what readers missed in ${formatPeriod(this.#signalsPeriod)}`)
    if (signals === 'agent') parts.push('tell the agent')
    const plan = `The docs service was not called. Without \`dry-run\`, this run would ${listOf(parts)}, with ${MAX_REQUESTS} requests at most.`
    log.notice(plan, this.#title)
    if (!inputs['visitors-summary'] && signals === 'none') return
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
  const of = (kind: string): Found[] =>
    found.flatMap(([name, search]) => (name.startsWith(kind) ? [search] : []))
  const count = (kind: string): number =>
    of(kind).reduce((sum, { issueCount = 0 }) => sum + issueCount, 0)

  const ended = (['merged', 'closed'] as const).flatMap((kind) =>
    count(kind) > 0 ? `${formatCount(count(kind))} ${kind}` : [],
  )
  const parts = ended.length > 0 ? [md`${listOf(ended)} in the period`] : []
  const open = of('open').flatMap(({ nodes = [] }) =>
    nodes.map((node) => ({ url: node?.url ?? '', atMs: Date.parse(node?.createdAt ?? '') })),
  )
  const [oldest] = open.sort((left, right) => left.atMs - right.atMs)
  if (oldest !== undefined) {
    const days = Math.floor((clock.now() - oldest.atMs) / DAY_MS)
    const age = days === 0 ? 'opened today' : `the oldest for ${countOf(days, 'day')}`
    parts.push(md`${formatCount(count('open'))} open, ${link(age, oldest.url)}`)
  }
  if (parts.length === 0) return undefined
  const query = encodeURIComponent(`is:pr ${authors.join(' OR ')}`)
  const url = `${github.serverUrl}/${environment.repository}/pulls?q=${query}`
  return md`${link('Docs pull requests', url)}: ${joinMarkdown(parts, '; ')}`
}
