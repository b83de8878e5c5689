import { mkdtemp, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FromGitHub, type Nodes, nodesOf } from '../github/client.ts'
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
import {
  afterColon,
  byteLength,
  countOf,
  errorMessage,
  type Failure,
  formatCount,
} from '../lib/text.ts'
import { DAY_MS, formatAge } from '../lib/time.ts'
import type { Counts } from '../mintlify/analytics.ts'
import type { Run } from '../runner/run.ts'
import {
  AnalyticsReader,
  formatChange,
  formatDifference,
  formatPeriod,
  fullDaysBefore,
  isoDay,
  MAX_REQUESTS,
  type Missing,
  type Period,
  pageName,
  rawTable,
  shortNames,
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
  readOverview,
  readsSentences,
  readVisitors,
  type VisitorsReport,
  visitorsFacts,
  visitorsOutputs,
} from './visitors.ts'

/** A comment on GitHub holds 64 KiB; a workflow that posts the report may add to it. */
const MAX_MARKDOWN_KIB = 60

/** The visitors report of a run: visitors and content gaps, within one limit of requests. */
export class VisitorsReporter {
  readonly #run: Run
  readonly #reader: AnalyticsReader
  readonly #period: Period
  #gaps: Promise<ContentGaps> | undefined

  /** Starts the time limit of all requests. */
  constructor(run: Run) {
    this.#run = run
    this.#reader = new AnalyticsReader(run)
    this.#period = fullDaysBefore(run.clock.now(), run.inputs['visitors-days'])
  }

  /** Returns the content gaps as lines for the prompt; none if they aren't wanted there, or nothing stands out. */
  async contentGaps(): Promise<readonly string[]> {
    const { inputs } = this.#run
    if (inputs['dry-run'] || inputs['content-gaps'] !== 'agent') return []
    return contentGapsForAgent(await this.#readGaps())
  }

  /**
   * Reads and reports everything that was requested: in summary, outputs, annotations, and the CSV file.
   *
   * @param job of this run, if it has one: the headline of the error that it ends in
   */
  async report(job?: Promise<string | undefined>): Promise<void> {
    const { inputs, cancel } = this.#run
    if (inputs['dry-run']) return this.#reportPlan()
    const { 'visitors-summary': hasSummary, 'content-gaps': wanted } = inputs
    const hasVisitors = hasSummary || inputs['visitors-export']
    // The job waits for them.
    if (wanted === 'agent') await this.#readGaps()
    const [overview, docsPulls] = await Promise.all([
      hasVisitors ? readOverview(this.#reader, this.#period, !hasSummary) : undefined,
      hasSummary ? readDocsPulls(this.#period, this.#run) : undefined,
    ])
    const gaps = wanted === 'none' ? undefined : await this.#readGaps()
    const report = overview && (await readVisitors(this.#reader, overview))
    const isUnread = hasVisitors ? report === undefined : !gaps?.isRead && job === undefined
    if (cancel.aborted) {
      const details = 'The run was canceled before the visitors report was complete.'
      return this.#publish({ failure: { headline: 'The visitors report was canceled', details } })
    }
    if (isUnread) {
      const headline = `No report: ${afterColon(this.#reader.failure() ?? 'no part could be read')}`
      const missing = await this.#reader.leftOut(job)
      const details = missing.map(({ sentence }) => sentence).join(' ')
      const isExplained = missing.every((one) => one.isExplained)
      return this.#publish({ failure: { headline, details }, gaps, isExplained })
    }
    const failure = await this.#export(report)
    const missing = await this.#reader.leftOut(job)
    this.#publish({ failure, report, gaps, docsPulls, missing })
  }

  /** Reads the content gaps once, whichever part needs them first. */
  #readGaps(): Promise<ContentGaps> {
    this.#gaps ??= readContentGaps(this.#reader, this.#period.toMs, this.#run.mintlify)
    return this.#gaps
  }

  /** Writes the CSV file, if it was requested. @returns why there is none */
  async #export(report: VisitorsReport | undefined): Promise<Failure | undefined> {
    const { inputs, environment, log } = this.#run
    if (!inputs['visitors-export'] || report === undefined) return undefined
    try {
      const folder = await mkdtemp(join(environment.tempFolder, 'visitors-'))
      const path = join(folder, 'visitors.csv')
      // The file gets its name once it is whole.
      await writeFile(`${path}.part`, csvOf(report.rows))
      await rename(`${path}.part`, path)
      this.#run.setOutputs({ 'visitors-csv': path })
      log.info(`Wrote ${countOf(report.rows.length, 'row')} to ${path}.`)
    } catch (error) {
      const headline = 'Could not write the CSV file of visitors'
      return { headline, details: `${headline}: ${errorMessage(error)}.` }
    }
    return undefined
  }

  /**
   * Writes summary, outputs, and annotations. A failure fails the step. One cause has one annotation, so that there is none
   * if the job's error has explained it.
   */
  #publish({ missing = [], isExplained = false, ...parts }: Publication): void {
    const { inputs, log } = this.#run
    const { failure, report, gaps, docsPulls } = parts
    const content = {
      ...parts,
      // Without a list, the section has only the sentences about missing parts, which the summary has elsewhere, too.
      gaps: gaps?.isRead || !(failure ?? report) ? gaps : undefined,
      leftOut: missing.map(({ sentence }) => sentence),
      run: this.#run,
      requests: this.#reader.count,
    }
    const shown = inputs['visitors-summary'] ? content : { ...content, report: undefined }
    if (shown.report ?? shown.gaps ?? failure)
      this.#run.writeSummary('visitors', visitorsSummary(shown))
    if (report?.lastVisited)
      log.warning(noVisitorsSentence(report.lastVisited), 'The docs had no visitors')
    for (const { sentence, isExplained } of missing) {
      const title = 'Part of the visitors report could not be read'
      // Content gaps were requested by name; a report is useful without some of its rows.
      if (isExplained) log.info(sentence)
      else if (gaps?.isWhole === false) log.warnInSummary(sentence, title)
      else log.notice(sentence, title)
    }
    if (gaps) this.#run.setOutputs(contentGapsOutputs(gaps))
    if (report) this.#run.setOutputs(visitorsOutputs(report, content.requests, docsPulls?.waiting))
    if (report ?? gaps?.isRead) {
      const found = report ? headingOf(report) : countOf(gaps?.items.length ?? 0, 'content gap')
      log.notice(`${found}.`, 'Visitors report')
      const markdown = joinMarkdown(firstScreen(content, 'agent')).source
      const isTooLong = byteLength(markdown) > MAX_MARKDOWN_KIB * 1024
      const title = 'The output `visitors-markdown` is empty'
      if (isTooLong)
        log.warnInSummary(`${title}, because it would exceed ${MAX_MARKDOWN_KIB} KiB.`, title)
      this.#run.setOutputs({ 'visitors-markdown': isTooLong ? '' : markdown })
    }
    if (failure && isExplained) log.info(failure.details)
    else if (failure) log.fail(failure.details, failure.headline)
  }

  #reportPlan(): void {
    const { log, mintlify } = this.#run
    const plan = `Nothing was sent to ${mintlify}. Without \`dry-run\`, this run would create a visitors report with at most ${MAX_REQUESTS} requests.`
    const title = 'Visitors report: dry run'
    log.notice(plan, title)
    this.#run.writeSummary('visitors', md`## 📊 ${title}\n\n${sentencesWithCode(plan)}`)
  }
}

/** What a run publishes of its report. */
type Publication = Omit<ReportContent, 'run' | 'requests' | 'leftOut'> & {
  readonly missing?: readonly Missing[]
  /** Whether the job's error explains the failure. */
  readonly isExplained?: boolean
}

type FoundPulls = FromGitHub<{ issueCount: number }> &
  Nodes<FromGitHub<{ createdAt: string; url: string }>>

/** The report's words on the docs pull requests in the run's repository. */
type DocsPulls = {
  readonly line: Markdown
  /** The part of the headline, if any wait. */
  readonly waiting: readonly string[]
}

/** Counts the docs pull requests with one search; `undefined` if it fails, or there are none. */
async function readDocsPulls({ fromMs, toMs }: Period, run: Run): Promise<DocsPulls | undefined> {
  const { github, clock, environment } = run
  // GitHub's search calls the account of an App `app/NAME`.
  const author = 'is:pr author:app/mintlify'
  const searchFor = (qualifiers: string): string => {
    const text = `repo:${environment.repository} ${author} ${qualifiers} sort:created-asc`
    const found = 'issueCount nodes { ... on PullRequest { createdAt url } }'
    return `search(type: ISSUE, first: 1, query: ${JSON.stringify(text)}) { ${found} }`
  }
  const days = `${isoDay(fromMs)}..${isoDay(toMs - DAY_MS)}`
  const searches = [`merged:${days}`, `is:unmerged closed:${days}`, 'is:open'].map(searchFor)
  const query = `query { merged: ${searches[0]} closed: ${searches[1]} open: ${searches[2]} }`
  const answer = await github.attempt(() => github.graphql<Record<string, FoundPulls>>(query))
  if (!answer.known || answer.value.errors.length > 0) return undefined
  const { merged, closed, open } = answer.value.data
  const [oldest] = nodesOf(open)
  const counts = [merged, closed, open].map((found) => found?.issueCount ?? 0)
  if (counts.every((count) => count === 0)) return undefined
  const [mergedCount = '', closedCount = '', openCount = ''] = counts.map(formatCount)
  const list = `${github.serverUrl}/${environment.repository}/pulls?q=${encodeURIComponent(author)}`
  const line = md`${link('Docs pull requests', list)} in the period: ${mergedCount} merged, ${closedCount} closed; ${openCount} still open`
  const openedMs = Date.parse(oldest?.createdAt ?? '')
  if (Number.isNaN(openedMs)) return { line, waiting: [] }
  const age = formatAge(clock.now() - openedMs)
  const wait =
    openCount === '1' ? 'request is waiting, for' : 'requests are waiting, the oldest for'
  return {
    line: md`${line} (${link(`oldest: ${age}`, oldest?.url ?? '')})`,
    waiting: [`${openCount} docs pull ${wait} ${age}`],
  }
}

/** Maximum number of characters of a path: on the first screen, in a folded table. */
const PATH_LENGTH = { first: 34, inTable: 80 }

/** The parts of a report, without those that weren't requested or could not be read. */
export type ReportContent = {
  readonly run: Pick<Run, 'inputs' | 'mintlify'>
  /** Why the step fails. */
  readonly failure?: Failure | undefined
  readonly report?: VisitorsReport | undefined
  readonly gaps?: ContentGaps | undefined
  readonly docsPulls?: DocsPulls | undefined
  /** Sentences about missing parts. */
  readonly leftOut?: readonly string[]
  readonly requests: number
}

/** Renders the report for the job summary, with its details folded. */
export function visitorsSummary(content: ReportContent): Markdown {
  const { report, gaps, run } = content
  const site = run.inputs['site-url']
  return joinMarkdown([
    ...firstScreen(content, 'people'),
    report && topPagesSection(report, site),
    gaps && contentGapsSections(gaps, 'people', site).folded,
    report && trendTable(report),
    report && machineFilesSection(report),
    (report ?? gaps) && factsSection(content),
  ])
}

/** Renders the first screen. For an agent, which may write, it has no chart. */
function firstScreen(content: ReportContent, audience: Audience) {
  const { run, failure, report, gaps, docsPulls, leftOut = [] } = content
  const site = run.inputs['site-url']
  const project = md`Project ${code(run.inputs['project-id'])}`
  const sections: (Markdown | undefined)[] = []
  if (failure)
    sections.push(
      md`## ❌ ${sentencesWithCode(failure.headline)}`,
      sentencesWithCode(failure.details),
      project,
    )
  if (report)
    sections.push(md`## 📊 ${headingOf(report)}`, md`${formatPeriod(report.period)} · ${project}`)
  else if (gaps)
    sections.push(md`## 🔎 Content gaps`, md`${formatPeriod(gaps.period)} · ${project}`)
  const warnings: string[] = []
  if (report?.lastVisited) warnings.push(noVisitorsSentence(report.lastVisited))
  if (audience === 'agent') warnings.push(...leftOut)
  else if (leftOut.length > 0 || report?.isComplete === false)
    warnings.push('Part of this report could not be read. The last section has the details.')
  sections.push(...warnings.map((warning) => sentencesWithCode(`⚠️ ${warning}`)))
  if (report)
    sections.push(
      firstReport(report),
      totalsTable(report),
      md`A visitor counted as both a person and AI appears once in All, so People and AI can add up to more than All.`,
      ...readsSentences(report).map((sentence) => md`${sentence}.`),
      audience === 'people' ? trendChart(report) : undefined,
      changesSection(report, site),
      docsPulls?.line,
      gaps && md`**Content gaps**, ${formatPeriod(gaps.period)}`,
    )
  if (gaps) sections.push(...contentGapsSections(gaps, audience, site).shown)
  return sections
}

function noVisitorsSentence({
  period,
  totals,
}: NonNullable<VisitorsReport['lastVisited']>): string {
  return `This period has no visitors, but ${formatPeriod(period)} had ${formatCount(totals.total)}. Check the site's analytics tracking, and check that \`project-id\` is the right project.`
}

/** Explains that there is no comparison, if no earlier period had visitors. */
function firstReport({ trend, compared }: VisitorsReport): Markdown | undefined {
  if (trend.length === 1 || compared.length > 0) return undefined
  return md`There is no comparison yet, because the earlier periods had no visitors.`
}

/** The kinds of visitors, and their lines in the chart, whose colors have a contrast of 3:1 to light and dark pages. */
const KINDS = [
  { kind: 'human', title: 'People', line: 'people (gray)', color: '#7d8590' },
  { kind: 'ai', title: 'AI', line: 'AI (orange)', color: '#d1570a' },
  { kind: 'total', title: 'All', line: 'all visitors (blue)', color: '#2f81f7' },
] as const
const TITLES = KINDS.map(({ title }) => title)

function cellsOf(counts: Counts): string[] {
  return KINDS.map(({ kind }) => formatCount(counts[kind]))
}

function totalsTable({ totals, compared, usual }: VisitorsReport): Markdown {
  const before = compared.at(-2)?.totals
  const words = { usual: '', highest: '**above** ', lowest: '**below** ' }
  const rows = KINDS.map(({ kind, title }) => {
    const cells = [title, `**${formatCount(totals[kind])}**`]
    const range = compareWithUsual(compared.map((each) => each.totals[kind]))
    if (range) {
      const ends = [Math.ceil(range.low), Math.floor(range.high)].map(formatCount)
      cells.push(words[range.position] + ends.join('–'))
    }
    if (before) cells.push(formatCount(before[kind]), formatChange(before[kind], totals[kind]))
    return cells
  })
  const head = ['', 'Now', usual ? 'Usual range' : [], before ? ['Before', 'Change'] : []].flat()
  return rawTable(head, rows, `l${'r'.repeat(head.length - 1)}`)
}

/** Renders the unusual pages in one table; nothing if they are unknown. */
function changesSection({ unusualPages }: VisitorsReport, site: URL | undefined): Markdown {
  if (unusualPages === undefined) return md``
  const { up, down, count } = unusualPages
  if (count === 0) return md`No page had unusual traffic.`
  const shown = [...up, ...down]
  const rows = shown.map(({ path, total, previous }): Row => {
    const name = pageName(path, site, PATH_LENGTH.first)
    const difference = formatDifference(total - previous)
    return [name, formatCount(total), difference, formatChange(previous, total)]
  })
  const more = count - shown.length
  if (more > 0) rows.push([`and ${formatCount(more)} more`, '', '', ''])
  return rawTable(['**Pages with unusual traffic**', 'Now', '+/−', 'Change'], rows, 'lrrr')
}

function topPagesSection({ top, pages }: VisitorsReport, site: URL | undefined): Markdown {
  if (pages.length === 0) return md``
  const rows = top.map((page) => {
    const name = pageName(page.path, site, PATH_LENGTH.inTable)
    const change = formatChange(page.previous, page.total)
    return [name, ...cellsOf(page), change]
  })
  const head = ['Page', ...TITLES, 'Change']
  const title = `Top pages: ${formatCount(top.length)} of ${formatCount(pages.length)}`
  return details(title, rawTable(head, rows, 'lrrrr'))
}

/** Anyone can ask a site for a file of such a name in any folder. */
const MAX_MACHINE_FILES = 100

function machineFilesSection({ machineFiles }: VisitorsReport): Markdown {
  if (machineFiles.length === 0) return md``
  const named = machineFiles.slice(0, MAX_MACHINE_FILES).map(({ path, total }) => {
    return md`${pageName(path, undefined, PATH_LENGTH.inTable)} ${formatCount(total)}`
  })
  const more = machineFiles.length - named.length
  if (more > 0) named.push(md`and ${formatCount(more)} more`)
  return details('Visitors of llms.txt and other files for AI', joinMarkdown(named, ' · '))
}

const CHART_OPTIONS = {
  xyChart: { width: 720, height: 260, xAxis: { labelFontSize: 11, labelPadding: 9 } },
  themeVariables: {
    xyChart: {
      backgroundColor: 'transparent',
      plotColorPalette: KINDS.map(({ color }) => color).join(', '),
    },
  },
}

/**
 * Renders the periods as a chart that GitHub draws, and names its lines, because older versions of Mermaid show no legend.
 * The source has only numbers and the action's own names, and only syntax of Mermaid 10.9.
 */
function trendChart({ compared }: VisitorsReport): Markdown {
  if (compared.length === 0) return md``
  const most = Math.max(1, ...compared.flatMap((each) => Object.values(each.totals)))
  const names = shortNames(compared.map(({ period }) => period)).map((name) => `"${name}"`)
  const source = [
    `%%{init: ${JSON.stringify(CHART_OPTIONS)}}%%`,
    'xychart-beta',
    `  x-axis [${names.join(', ')}]`,
    `  y-axis "Visitors" 0 --> ${Math.ceil(most * 1.05)}`,
    ...KINDS.map(({ kind, title }) => {
      return `  line "${title}" [${compared.map((each) => each.totals[kind]).join(', ')}]`
    }),
  ]
  const legend = KINDS.map(({ line }) => line).join(', ')
  return md`${codeBlock(source.join('\n'), 'mermaid')}\n\nLines: ${legend}.`
}

/** Renders the figures of the chart as a table. */
function trendTable({ compared }: VisitorsReport): Markdown {
  if (compared.length === 0) return md``
  const rows = compared.map(({ period, totals }, index) => {
    const change = formatChange(compared[index - 1]?.totals.total, totals.total)
    return [formatPeriod(period), ...cellsOf(totals), change]
  })
  const table = rawTable(['Period', ...TITLES, 'Change'], rows, 'lrrrr')
  return details(`Trend over ${compared.length} periods`, table)
}

/** Renders the parts that were left out, how to read the figures, and the number of requests. */
function factsSection(content: ReportContent): Markdown {
  const { run, report, gaps, leftOut = [], requests } = content
  const facts = [
    ...leftOut.map((sentence) => `⚠️ ${sentence}`),
    ...(report ? visitorsFacts(report, run.mintlify) : []),
    ...(gaps ? CONTENT_GAPS_FACTS : []),
    `Requests: ${requests} of at most ${MAX_REQUESTS}.`,
  ]
  const lines = facts.map((fact) => md`- ${sentencesWithCode(fact)}`)
  return details('Details', joinMarkdown(lines, '\n'))
}
