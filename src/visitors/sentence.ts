import { joinMarkdown, type Markdown, md } from '../lib/markdown.ts'
import type { VisitorsFindings } from './findings.ts'
import { count, countOf, difference, lengthInWords, ours, pageName, percent, periodInWords } from './words.ts'

/** The one line that says how it went: `📈 12,480 visitors read the docs, 8.3% more than the week before`. */
export function visitorsHeading({ totals, previous, change, period }: VisitorsFindings): string {
  const before = `the ${lengthInWords(period)} before`
  if (totals.total === 0) {
    const more = (previous?.total ?? 0) === 0 ? '' : `, ${count(previous?.total ?? 0)} ${before}`
    return `📊 No visitors read the docs${more}`
  }
  const visitors = `${countOf(totals.total, 'visitor')} read the docs`
  if (change === 'unknown') return `📊 ${visitors}`
  if (change === 'new') return `📈 ${visitors}, none ${before}`
  if (change === 0) return `📊 ${visitors}, as many as ${before}`
  return change > 0
    ? `📈 ${visitors}, ${percent(change)} more than ${before}`
    : `📉 ${visitors}, ${percent(-change)} fewer than ${before}`
}

/** The same with who came and what they read, for people in a hurry. */
export function visitorsSentence({ totals, period, top, moves }: VisitorsFindings): Markdown {
  const when = md`**${ours(periodInWords(period))}**`
  if (totals.total === 0) return md`${when}: nobody came, neither people nor AI.`
  const share = (totals.ai / totals.total) * 100
  const who = md`${when}: **${ours(count(totals.human))}** ${totals.human === 1 ? 'person' : 'people'} and **${ours(count(totals.ai))}** AI ${totals.ai === 1 ? 'visitor, who is' : 'visitors, who are'} ${ours(percent(share))} of all.`
  const [first] = top
  const [riser] = moves?.risers ?? []
  const [faller] = moves?.fallers ?? []
  const parts = [who]
  if (first !== undefined) parts.push(md`Most read was ${pageName(first.path)}.`)
  if (riser !== undefined) parts.push(md`${pageName(riser.path)} gained most (${gain(riser)}).`)
  if (faller !== undefined) parts.push(md`${pageName(faller.path)} lost most (${gain(faller)}).`)
  return joinMarkdown(parts, ' ')
}

function gain({ total, previous }: { readonly total: number; readonly previous: number }): Markdown {
  return ours(difference(total - previous))
}
