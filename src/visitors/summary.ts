import { joinMarkdown, type Markdown, md } from '../lib/markdown.ts'
import { sentencesWithCode } from '../lib/sentences.ts'
import { trendSection } from './chart.ts'
import type { VisitorsFindings } from './findings.ts'
import { gapsInWords, type VisitorsLimits } from './gaps.ts'
import type { Period } from './period.ts'
import { visitorsHeading, visitorsSentence } from './sentence.ts'
import { movesTable, topPages, totalsTable } from './tables.ts'
import { count, countOf, periodInWords } from './words.ts'

/** What a summary shows beside the findings. */
export type VisitorsSummaryOptions = VisitorsLimits & {
  /** Path of the file that all rows went to; empty if there is none. */
  readonly exported: string
}

/** Most bytes of a summary: a job summary of the same step has the rest of GitHub's 1 MiB. */
const LIMIT_BYTES = 256 * 1024

/** The visitors report. Where it would be too long, its tables get shorter, and it says so. */
export function visitorsSummary(findings: VisitorsFindings, options: VisitorsSummaryOptions): Markdown {
  for (let most = 100; ; most = Math.floor(most / 2)) {
    const summary = joinMarkdown(sections(findings, options, most))
    if (most === 0 || Buffer.byteLength(summary.source) <= LIMIT_BYTES) return summary
  }
}

/** What a run would do, to follow "this run would". */
export function visitorsPurpose(
  { period }: { readonly period: Period },
  options: VisitorsSummaryOptions,
): string {
  const before = options.trend - 1
  const { from, to } = period
  return [
    `list the visitors of ${periodInWords(period)} (from ${from.text}, before ${to.text})`,
    ...(before === 0 ? [] : [`and of the ${countOf(before, 'period')} before`]),
    `with ${countOf(options.maxRequests, 'request')} at most`,
    ...(options.exported === '' ? [] : [`and write all rows to \`${options.exported}\``]),
  ].join(' ')
}

/** What stands in the place of a report that could not be made: why, as sentences. */
export function visitorsFailureSummary(why: string): Markdown {
  return joinMarkdown([md`## ❌ Docs visitors: no report`, sentencesWithCode(why)])
}

/** The summary of a dry run: what would have been read. */
export function visitorsDryRunSummary(purpose: string): Markdown {
  return joinMarkdown([
    md`## 📊 Docs visitors: dry run`,
    sentencesWithCode(`The docs service was not called. Without \`dry-run\`, this run would ${purpose}.`),
  ])
}

function sections(findings: VisitorsFindings, options: VisitorsSummaryOptions, most: number): Markdown[] {
  const { trend, moves, top } = findings
  const gaps = gapsInWords(findings, options)
  const longest = Math.max(top.length, moves?.risers.length ?? 0, moves?.fallers.length ?? 0)
  if (longest > most)
    gaps.push(`The tables show ${most} rows at most, so that the report fits in a job summary`)
  return [
    md`## ${visitorsHeading(findings)}`,
    visitorsSentence(findings),
    totalsTable(findings),
    ...(trend.length > 1 ? [trendSection(trend)] : []),
    md`### Top pages`,
    topPages(findings, most),
    ...(moves === undefined ? [] : [movesTable('Risers', moves.risers.slice(0, most))]),
    ...(moves === undefined ? [] : [movesTable('Fallers', moves.fallers.slice(0, most))]),
    footer(findings, options, gaps),
  ]
}

function footer(
  findings: VisitorsFindings,
  options: VisitorsSummaryOptions,
  gaps: readonly string[],
): Markdown {
  const { period, trend, requests } = findings
  const before = trend.at(-2)?.period
  const facts = [
    `Period: ${periodInWords(period)}, in UTC${before === undefined ? '' : `; before it: ${periodInWords(before)}`}.`,
    `Requests: ${count(requests)} of ${count(options.maxRequests)} allowed.`,
    ...(options.exported === '' ? [] : [`All rows: \`${options.exported}\`.`]),
    'Who came more than once, or both ways, counts once: so pages do not add up to all visitors, nor people and AI.',
  ]
  return joinMarkdown([md`---`, ...leftOut(gaps), sentencesWithCode(facts.join(' '))])
}

function leftOut(gaps: readonly string[]): Markdown[] {
  if (gaps.length === 0) return []
  const items = gaps.map((gap) => md`- ${sentencesWithCode(gap)}`)
  return [md`**Left out**`, joinMarkdown(items, '\n')]
}
