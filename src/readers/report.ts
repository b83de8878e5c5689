import { mkdtemp, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Inputs } from '../inputs/table.ts'
import {
  code,
  codeBlock,
  details,
  joinMarkdown,
  link,
  type Markdown,
  md,
  type Row,
  sentencesWithCode,
} from '../lib/markdown.ts'
import { byteLength, countOf, errorMessage, formatCount, listOf } from '../lib/text.ts'
import { formatAge } from '../lib/time.ts'
import type { Counts } from '../mintlify/analytics.ts'
import type { MintlifyClient } from '../mintlify/mintlify-client.ts'
import type { Run } from '../runner/run.ts'
import {
  AnalyticsReader,
  DAY_MS,
  formatChange,
  formatPeriod,
  fullDaysBefore,
  isoDay,
  MAX_REQUESTS,
  type Period,
  pageName,
  periodName,
  rawTable,
  shortNames,
  signed,
} from './analytics-reader.ts'
import {
  type Audience,
  CONTENT_GAPS_FACTS,
  type ContentGaps,
  contentGapsForAgent,
  contentGapsOutputs,
  contentGapsSections,
  readContentGaps,
} from './content-gaps.ts'
import {
  compareWithUsual,
  csvOf,
  headingOf,
  MARGIN_PERCENT,
  PAGE_CHANGES_FACT,
  readsSentences,
  readVisitors,
  type VisitorsReport,
  visitorsOutputs,
} from './visitors.ts'

/** A comment of GitHub's holds 64 KiB; a workflow that posts the report may add to it. */
const MAX_MARKDOWN_KIB = 60

/** How long a refused report waits for the job's error to explain it. */
const JOB_ERROR_MS = 5000

/** The readers part of a run: visitors, and what readers missed, within one limit of requests. */
export class Readers {
  readonly #run: Run
  readonly #title: string
  readonly #reader: AnalyticsReader
  readonly #period: Period
  #signals: Promise<ContentGaps> | undefined

  /** The time that all requests may take begins to count. */
  constructor(service: MintlifyClient, run: Run) {
    this.#run = run
    this.#title = 'Docs readers'
    this.#reader = new AnalyticsReader(service, run)
    this.#period = fullDaysBefore(run.clock.now(), run.inputs['visitors-days'])
  }

  /** What readers missed, as lines for the job's prompt: our own words first. None if there is nothing. */
  async signals(): Promise<readonly string[]> {
    const { inputs, cancel, log } = this.#run
    if (inputs['dry-run'] || inputs['content-gaps'] !== 'agent') return []
    const signals = await this.#readSignals()
    if (!signals.isRead && !cancel.aborted)
      log.warnInSummary('The agent is not told what readers missed.')
    return contentGapsForAgent(signals)
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
    const { 'visitors-summary': hasSummary, 'content-gaps': wanted } = inputs
    const hasVisitors = hasSummary || inputs['visitors-export']
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
  #readSignals(): Promise<ContentGaps> {
    this.#signals ??= readContentGaps(this.#reader, this.#period.toMs)
    return this.#signals
  }

  /** @returns why there is no file, as a sentence; `undefined` if there is, or none is asked for */
  async #export(report: VisitorsReport | undefined): Promise<string | undefined> {
    const { inputs, environment, log } = this.#run
    if (!inputs['visitors-export'] || report === undefined) return undefined
    try {
      const folder = await mkdtemp(join(environment.tempFolder, 'visitors-'))
      const path = join(folder, 'visitors.csv')
      // Under its name only once it is whole.
      await writeFile(`${path}.part`, csvOf(report.rows))
      await rename(`${path}.part`, path)
      this.#run.setOutputs({ 'visitors-csv': path })
      log.info(`Wrote ${countOf(report.rows.length, 'row')} to ${path}.`)
    } catch (error) {
      return `Could not write the CSV file of visitors: ${errorMessage(error)}.`
    }
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
      if (signals?.isWhole === false) log.warnInSummary(sentence)
      else log.notice(sentence, this.#title)
    }
    if (signals) this.#run.setOutputs(contentGapsOutputs(signals))
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
      if (isTooLong) log.warnInSummary(`${left} ${MAX_MARKDOWN_KIB} KiB.`)
      this.#run.setOutputs({ 'visitors-markdown': isTooLong ? '' : markdown })
    }
    return failure
  }

  #reportPlan(): undefined {
    const { inputs, log } = this.#run
    const { 'visitors-export': hasExport, 'content-gaps': signals } = inputs
    const parts = [
      inputs['visitors-summary'] || hasExport
        ? `read the visitors of ${formatPeriod(this.#period)}`
        : [],
      hasExport ? 'write all rows to a CSV file' : [],
      signals === 'none' ? [] : 'read what readers missed',
      signals === 'agent' ? 'tell the agent' : [],
    ].flat()
    const plan = `The docs service was not called. Without \`dry-run\`, this run would ${listOf(parts)}, with ${MAX_REQUESTS} requests at most.`
    log.notice(plan, this.#title)
    const page = md`## 📊 Readers report: dry run\n\n${sentencesWithCode(plan)}\n\nProject ${code(inputs['project-id'])}`
    this.#run.writeSummary('visitors', page)
  }
}

type ReadersFindings = {
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
    github.graphql<Readonly<Record<string, ReadersFindings>>>(`query { ${searches.join(' ')} }`),
  )
  if (!answer.known || answer.value.errors.length > 0) return undefined
  const found = Object.entries(answer.value.data ?? {})
  const searchesFor = (kind: keyof typeof wanted): ReadersFindings[] =>
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

/** Maximum number of characters of a path: on the first screen, in a folded table. */
const PATH_LENGTH = { first: 34, inTable: 80 }

/** All that a report is made of; what was not asked for or not read is missing. */
export type ReportContent = {
  readonly inputs: Inputs
  /** Why the step fails, as sentences; `undefined` if it does not. */
  readonly failure: string | undefined
  readonly report?: VisitorsReport | undefined
  readonly signals?: ContentGaps | undefined
  /** What was done about the docs meanwhile. */
  readonly docsPulls?: Markdown | undefined
  /** Sentences about what is missing. */
  readonly leftOut: readonly string[]
  readonly requests: number
}

/** The report for the job summary, its details folded. */
export function readersSummary(content: ReportContent): Markdown {
  const { report, signals, inputs } = content
  const site = inputs['site-url']
  return joinMarkdown([
    ...firstScreen(content, 'people'),
    report ? topPagesSection(report, site) : md``,
    signals ? contentGapsSections(signals, 'people', site).folded : md``,
    ...(report ? [trendTable(report), machineFilesSection(report)] : []),
    report || signals ? factsSection(content) : md``,
  ])
}

/** The report for an issue, a discussion, a mail: without chart and what is folded, and fit for an agent to read. */
function readersMarkdown(content: ReportContent): Markdown {
  return joinMarkdown(firstScreen(content, 'agent'))
}

function firstScreen(content: ReportContent, audience: Audience): Markdown[] {
  const { inputs, failure, report, signals, docsPulls, leftOut } = content
  const site = inputs['site-url']
  const project = md`project ${code(inputs['project-id'])}`
  const sections: Markdown[] = []
  if (failure !== undefined)
    sections.push(md`## ❌ Readers report`, sentencesWithCode(failure), project)
  if (report !== undefined) {
    const icons = { usual: '📊', highest: '📈', lowest: '📉' }
    const lacking = `Not complete: ${countOf(report.pages.length, 'page')} could be read.`
    const warnings = [...report.warnings, ...(report.isComplete ? [] : [lacking])]
    if (audience === 'agent') warnings.push(...leftOut)
    else if (leftOut.length > 0) warnings.push('The last part says what is missing, and why.')
    sections.push(
      md`## ${icons[report.usual?.position ?? 'usual']} ${headingOf(report)}`,
      md`${formatPeriod(report.period)} · ${project}`,
      ...warnings.map((warning) => sentencesWithCode(`⚠️ ${warning}`)),
      firstReport(report),
      totalsTable(report),
      md`Visitors are deduplicated: people and AI do not add up to all.`,
      ...readsSentences(report).map((sentence) => md`${sentence}.`),
      audience === 'people' ? trendChart(report) : md``,
      changesSection(report, site),
      docsPulls ?? md``,
    )
  }
  if (signals !== undefined) {
    const [title, period] = ['What readers missed', formatPeriod(signals.period)]
    const head = report
      ? [md`**${title}**, ${period}`]
      : [md`## 🔎 ${title}`, md`${period} · ${project}`]
    sections.push(...head, ...contentGapsSections(signals, audience, site).shown)
  }
  return sections
}

/** Why there is no comparison, where no earlier period had visitors. */
function firstReport({ trend, compared, period }: VisitorsReport): Markdown {
  const before = trend.length - 1
  if (before === 0 || compared.length > 0) return md``
  const earlier = `${before} ${periodName(period, before)} before`
  return md`This is the first report: there were no visitors in the ${earlier}.`
}

function totalsTable({ totals, compared, usual }: VisitorsReport): Markdown {
  const before = compared.at(-2)?.totals
  const words = { usual: '', highest: '**above** ', lowest: '**below** ' }
  const row = (name: string, of: (totals: Counts) => number): string[] => {
    const now = of(totals)
    const range = compareWithUsual(compared.map((each) => of(each.totals)))
    const cells = [name, `**${formatCount(now)}**`]
    if (range) {
      const ends = [Math.ceil(range.low), Math.floor(range.high)].map(formatCount)
      cells.push(words[range.position] + ends.join('\u00A0–\u00A0'))
    }
    return before ? [...cells, formatCount(of(before)), formatChange(of(before), now)] : cells
  }
  const head = ['', 'Now', ...(usual ? ['Usual'] : []), ...(before ? ['Before', 'Change'] : [])]
  const rows = [
    row('People', ({ human }) => human),
    row('AI', ({ ai }) => ai),
    row('**All**', ({ total }) => total),
  ]
  return rawTable(head, rows, `l${'r'.repeat(head.length - 1)}`)
}

/** The pages that moved, as one table; nothing if that is not known. `site`, here and below: that pages are linked to. */
function changesSection({ pageChanges }: VisitorsReport, site: URL | undefined): Markdown {
  if (pageChanges === undefined) return md``
  const { up, down, count } = pageChanges
  if (count === 0) return md`**What moved:** Nothing moved beyond the usual.`
  const shown = [...up, ...down]
  const rows = shown.map(({ path, total, previous }): Row => {
    const name = pageName(path, site, PATH_LENGTH.first)
    const difference = signed(total - previous, formatCount)
    return [name, formatCount(total), difference, formatChange(previous, total)]
  })
  const more = count - shown.length
  if (more > 0) rows.push([`and ${formatCount(more)} more`, '', '', ''])
  return rawTable(['**What moved**', 'Now', '+/−', 'Change'], rows, 'lrrr')
}

function topPagesSection({ top, pages }: VisitorsReport, site: URL | undefined): Markdown {
  if (pages.length === 0) return md``
  const rows = top.map(({ path, human, ai, total, previous }, index) => {
    const name = pageName(path, site, PATH_LENGTH.inTable)
    const counts = [formatCount(human), formatCount(ai), `**${formatCount(total)}**`]
    return [String(index + 1), name, ...counts, formatChange(previous, total)]
  })
  const head = ['', 'Page', 'People', 'AI', 'All', 'Change']
  const title = `Top pages: ${formatCount(top.length)} of ${formatCount(pages.length)}`
  return details(title, rawTable(head, rows, 'rlrrrr'))
}

function machineFilesSection({ machineFiles }: VisitorsReport): Markdown {
  if (machineFiles.length === 0) return md``
  const named = machineFiles.map(({ path, total }) => {
    return md`${pageName(path, undefined, PATH_LENGTH.inTable)} ${formatCount(total)}`
  })
  return details('Visitors of files for machines', joinMarkdown(named, ' · '))
}

/** The lines of the chart. Each colour has a contrast of 3:1 or more to GitHub's light and dark pages. */
const CHART_LINES = [
  { title: 'All', name: 'all (blue)', color: '#2f81f7', of: ({ total }: Counts) => total },
  { title: 'People', name: 'people (grey)', color: '#7d8590', of: ({ human }: Counts) => human },
  { title: 'AI', name: 'AI (orange)', color: '#d1570a', of: ({ ai }: Counts) => ai },
]
const COLORS = CHART_LINES.map(({ color }) => color).join(', ')
const CHART_OPTIONS = {
  xyChart: { width: 720, height: 260, xAxis: { labelFontSize: 11, labelPadding: 9 } },
  themeVariables: { xyChart: { backgroundColor: 'transparent', plotColorPalette: COLORS } },
}

/**
 * The periods as a chart that GitHub draws, and what its lines are: new versions of Mermaid show a legend, older
 * ones do not. The source has numbers and names of our own making, and keeps to what Mermaid 10.9 draws already.
 */
function trendChart({ compared, totals: latest }: VisitorsReport): Markdown {
  if (compared.length === 0) return md``
  const most = Math.max(
    1,
    ...compared.flatMap(({ totals }) => CHART_LINES.map(({ of }) => of(totals))),
  )
  const names = shortNames(compared.map(({ period }) => period)).map((name) => `"${name}"`)
  const source = [
    `%%{init: ${JSON.stringify(CHART_OPTIONS)}}%%`,
    'xychart-beta',
    `  x-axis [${names.join(', ')}]`,
    `  y-axis "Visitors" 0 --> ${Math.ceil(most * 1.05)}`,
    ...CHART_LINES.map(
      ({ title, of }) =>
        `  line "${title}" [${compared.map(({ totals }) => of(totals)).join(', ')}]`,
    ),
  ]
  const fromTop = CHART_LINES.toSorted((left, right) => right.of(latest) - left.of(latest))
  const lines = fromTop.map(({ name }) => name).join(', ')
  return md`${codeBlock(source.join('\n'), 'mermaid')}\n\nFrom the top, at the right: ${lines}.`
}

/** All periods with the same figures, folded. */
function trendTable({ compared }: VisitorsReport): Markdown {
  if (compared.length === 0) return md``
  const rows = compared.map(({ period, totals: { human, ai, total } }, index) => {
    const change = formatChange(compared[index - 1]?.totals.total, total)
    return [formatPeriod(period), ...[human, ai, total].map(formatCount), change]
  })
  const table = rawTable(['Period', 'People', 'AI', 'All', 'Change'], rows, 'lrrrr')
  return details(`Trend over ${compared.length} periods`, table)
}

/** What was left out, what the figures mean, and what they cost. */
function factsSection(content: ReportContent): Markdown {
  const { report, signals, leftOut, requests } = content
  const list = (items: readonly string[]): Markdown =>
    joinMarkdown(
      items.map((item) => md`- ${sentencesWithCode(item)}`),
      '\n',
    )
  const all = list([
    ...(report ? visitorsFacts(report) : []),
    ...(signals ? CONTENT_GAPS_FACTS : []),
    `Requests: ${requests} of ${MAX_REQUESTS} allowed.`,
  ])
  if (leftOut.length === 0) return details('How to read these figures', all)
  const both = joinMarkdown([md`**Left out**`, list(leftOut), md`**These figures**`, all])
  return details('What was left out, and how to read these figures', both)
}

function visitorsFacts({ period, trend, compared, usual, pageChanges }: VisitorsReport): string[] {
  const before = trend.at(-2)?.period
  const earlier = `${compared.length - 1} ${periodName(period, compared.length - 1)}`
  return [
    `Period: ${formatPeriod(period)} in UTC${before === undefined ? '' : `; before it: ${formatPeriod(before)}`}.`,
    ...(usual
      ? [`Usual: the range of the ${earlier} before, and ${MARGIN_PERCENT} % beyond.`]
      : []),
    ...(pageChanges ? [PAGE_CHANGES_FACT] : []),
    'The service estimates distinct visitors: they are deduplicated, over pages and over people and AI, so neither pages nor people and AI add up to all visitors.',
    "AI visitors are recognised by their user agent alone: pages fetched to answer someone's question, and pages read as Markdown. Search indexes and training crawlers count as neither people nor AI.",
    'Reads are events: each time that a page was read, by the same visitor or another.',
  ]
}
