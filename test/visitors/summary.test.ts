import { describe, expect, it } from 'vitest'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive } from '../support/rendered.ts'
import { CHANGED, page, QUIET, report, summaryOf } from './samples.ts'

/** What is seen before anything is unfolded. */
const firstScreen = (text: string) => text.slice(0, text.indexOf('<details>')).trimEnd()

/** The first screen of the report of these totals. */
const screen = (...sample: Parameters<typeof report>) => firstScreen(summaryOf(report(...sample)))

/** What is folded under a title that begins so. */
function folded(text: string, title: string): string {
  const [, after = ''] = text.split(`<details><summary>${title}`)
  const [, body = ''] = after.split('</summary>\n\n')
  return body.replace(/\n\n<\/details>[\s\S]*/, '')
}

/** Right below the table. */
const BOTH =
  'A visitor counted as both a person and AI appears once in All, so People and AI can add up to more than All.'
const WEEKS = [9000, 9100, 8900, 9050, 9000, 9000, 9000]
const PAGES = {
  pages: [page('/quickstart', 3540, 412), page('/new', 40), ...QUIET],
  previousPages: [page('/quickstart', 3147), page('/old', 1204), ...QUIET],
}

describe('the first screen', () => {
  it('has heading, verdict, totals, reads, chart, and unusual pages, and says "about" once', () => {
    const reads = { human: 15_702, ai: 25_620, total: 41_322 }
    const text = summaryOf(report([...WEEKS, 12_480], { ...PAGES, reads }))
    expect(text.match(/about/gi)).toEqual(['About'])
    expect(
      firstScreen(text),
    ).toBe(`## 📊 About 12,480 visitors, the highest of the last 8 weeks; 1 page with unusual traffic

27 Jul to 2 Aug · Project \`docs\`

|  | Now | Usual range | Before | Change |
| :--- | ---: | ---: | ---: | ---: |
| People | **9,984** | **above** 6,907–7,498 | 7,200 | +38.7% |
| AI | **3,744** | **above** 2,590–2,811 | 2,700 | +38.7% |
| All | **12,480** | **above** 8,633–9,373 | 9,000 | +38.7% |

${BOTH}

AI made 62% of 41,322 reads.

\`\`\`mermaid
%%{init: {"xyChart":{"width":720,"height":260,"xAxis":{"labelFontSize":11,"labelPadding":9}},"themeVariables":{"xyChart":{"backgroundColor":"transparent","plotColorPalette":"#7d8590, #d1570a, #2f81f7"}}}}%%
xychart-beta
  x-axis ["8 Jun", "15 Jun", "22 Jun", "29 Jun", "6 Jul", "13 Jul", "20 Jul", "27 Jul"]
  y-axis "Visitors" 0 --> 13104
  line "People" [7200, 7280, 7120, 7240, 7200, 7200, 7200, 9984]
  line "AI" [2700, 2730, 2670, 2715, 2700, 2700, 2700, 3744]
  line "All" [9000, 9100, 8900, 9050, 9000, 9000, 9000, 12480]
\`\`\`

Lines: people (gray), AI (orange), all visitors (blue).

| **Pages with unusual traffic** | Now | +/− | Change |
| :--- | ---: | ---: | ---: |
| \`/quickstart\` | 3,540 | +393 | +12.5% |`)
  })

  it('has five pages that went up above those that went down, and the number of other pages', () => {
    const text = screen([...WEEKS, 9000], CHANGED)
    expect(text).toMatch(/^.*; 8 pages with unusual traffic\n/)
    expect(text).toContain('| `/up/0` | 300 | +200 | +200% |\n')
    const end =
      '| `/up/4` | 296 | +200 | +208.3% |\n| `/down` | 20 | -80 | -80% |\n| and 2 more |  |  |  |'
    expect(text.endsWith(end)).toBe(true)
  })

  it('of a first report says that there is no comparison yet, without chart, trend or change', () => {
    const text = summaryOf(report([0, 0, 0, 31_280], { pages: PAGES.pages }))
    expect(firstScreen(text)).toBe(`## 📊 About 31,280 visitors

27 Jul to 2 Aug · Project \`docs\`

There is no comparison yet, because the earlier periods had no visitors.

|  | Now |
| :--- | ---: |
| People | **25,024** |
| AI | **9,384** |
| All | **31,280** |

${BOTH}`)
    expect(text).not.toMatch(/mermaid|Trend|new\b/)
  })

  it.each([
    {
      what: 'after a period with visitors',
      totals: [...WEEKS, 0],
      expected: [
        '⚠️ This period has no visitors, but 20 to 26 Jul had 9,000.',
        '| All | **0** | **below** 8,633–9,373 | 9,000 | -100% |',
      ],
    },
    {
      what: 'like the week before',
      totals: [...WEEKS, 0, 0],
      expected: ['No visitors, within the usual range\n', '⚠️ This'],
    },
    {
      what: 'ever',
      totals: [0, 0, 0],
      expected: ['## 📊 No visitors\n', 'earlier periods had no visitors'],
    },
  ])('without visitors $what has a note', ({ totals, expected }) => {
    const text = screen(totals)
    for (const part of expected) expect(text).toContain(part)
    expect(text.includes('⚠️')).toBe(totals.some((total) => total > 0))
  })

  it.each([{ lack: 'isWhole' }, { lack: 'isPreviousWhole' }])(
    'says at once that not all was read, and has no unusual pages then ($lack)',
    (given) => {
      const sample = report([...WEEKS, 9000], { ...PAGES, [given.lack]: false })
      const text = firstScreen(summaryOf(sample, { leftOut: ['Some.'] }))
      const last = '⚠️ Part of this report could not be read. The last section has the details.'
      expect(text).toContain(`Project \`docs\`\n\n${last}\n\n|`)
      expect(text).not.toContain('unusual traffic')
    },
  )

  it('has no share above 100%, and none of nothing', () => {
    const reads = { human: 10, ai: 130, total: 100 }
    expect(screen([5, 5], { reads })).toContain('\n\nAI made 100% of 100 reads.')
    expect(screen([5, 5], { reads: { human: 0, ai: 0, total: 0 } })).not.toContain('AI made')
  })

  it('has a chart that starts with the first visitors', () => {
    const text = summaryOf(report([0, 0, 9, { human: 10, ai: 50, total: 55 }]))
    expect(text).toContain('line "All" [9, 55]')
  })
})

describe('folded', () => {
  it('are the top pages, and the figures of the chart', () => {
    const text = summaryOf(report([9000, 11_520, 12_480], PAGES))
    expect(folded(text, 'Top pages: 10 of 42')).toContain(`| Page | People | AI | All | Change |
| :--- | ---: | ---: | ---: | ---: |
| \`/quickstart\` | 3,128 | 412 | 3,540 | +12.5% |
| \`/quiet/0\` | 100 | 0 | 100 | 0% |`)
    expect(folded(text, 'Trend over 3 periods')).toBe(`| Period | People | AI | All | Change |
| :--- | ---: | ---: | ---: | ---: |
| 13 to 19 Jul | 7,200 | 2,700 | 9,000 | – |
| 20 to 26 Jul | 9,216 | 3,456 | 11,520 | +28% |
| 27 Jul to 2 Aug | 9,984 | 3,744 | 12,480 | +8.3% |`)
  })

  it('is a page of the top marked as new only if all pages of the period before are known', () => {
    const sample = { pages: [page('/a', 9)], previousPages: [page('/b', 9)] }
    const change = (more: object) =>
      folded(summaryOf(report([9, 9], { ...sample, ...more })), 'Top')
    expect(change({})).toMatch(/ 9 \| new \|$/)
    expect(change({ isPreviousWhole: false })).toMatch(/ 9 \| – \|$/)
  })

  it('are the files for machines, which are in no list of pages', () => {
    const files = ['/llms.txt', '/a/llms-full.txt', '/skill.md', '/SKILL.md']
    const rows = (total: number) => files.map((path, index) => page(path, total - index))
    const others = [page('/skill', 30), page('/my-llms.txt', 30), ...QUIET]
    const sample = { pages: [...rows(900), ...others], previousPages: [...rows(10), ...others] }
    const shown = report([5, 5], sample)
    expect([shown.pages.length, shown.rows.length]).toEqual([42, 46])
    const text = summaryOf(shown)
    expect(firstScreen(text)).toContain('No page had unusual traffic.')
    expect(folded(text, 'Visitors of llms.txt and other files for AI')).toBe(
      '`/llms.txt` 900 · `/a/llms-full.txt` 899 · `/skill.md` 898 · `/SKILL.md` 897',
    )
    expect(folded(text, 'Top pages')).not.toMatch(/\/llms|skill\.md/i)
  })

  it('are 100 of the files for machines at most, because anyone can ask for one in any folder', () => {
    const pages = Array.from({ length: 8000 }, (_, index) => page(`/${index}/llms.txt`, 9))
    const text = folded(
      summaryOf(report([9, 9], { pages })),
      'Visitors of llms.txt and other files for AI',
    )
    expect(text.split(' · ')).toHaveLength(101)
    expect(text).toMatch(/ · and 7,900 more$/)
  })

  it('are what was left out, how to read the figures, and the requests', () => {
    const text = summaryOf(report([...WEEKS, 9000], PAGES), { leftOut: ['A `b` c.'] })
    const facts = folded(text, 'Details')
    for (const expected of [
      /^- ⚠️ A `b` c\.\n/,
      /\n- Period: 27 Jul to 2 Aug \(UTC\)\.\n/,
      /\n- Usual range: .*7 weeks before .*3% .*\n/,
      /\n- Pages with unusual traffic: .*10 visitors .*3 times .*\n/,
      /\n- AI visitors .*user agent/,
      /\n- Requests: 11 of at most 40\.$/,
    ])
      expect(facts).toMatch(expected)
  })
})

describe('page paths', () => {
  function shown(paths: readonly string[], site: string) {
    const pages = paths.flatMap((path) => [page(path, 900, 890), page(`${path}-new`, 90, 80)])
    const previousPages = paths.flatMap((path) => [page(path, 100), page(`${path}-old`, 90)])
    const sample = { pages: [...pages, ...QUIET], previousPages: [...previousPages, ...QUIET] }
    return alive(summaryOf(report([1, 2], sample), {}, { 'site-url': site }))
  }

  it.each(['', 'https://example.com/docs'])('are inert, or links to the site (%s)', (site) => {
    const paths = HOSTILE_TEXTS.filter((path) => path !== '')
    while (paths.length % 5 !== 0) paths.push(`/${paths.length}`)
    const plain = shown(['/1', '/2', '/3', '/4', '/5'], site)
    for (let from = 0; from < paths.length; from += 5) {
      const five = paths.slice(from, from + 5)
      const { cells, images, mentions, links, html } = shown(five, site)
      expect([cells, images, mentions], `${five}`).toEqual([plain.cells, [], []])
      for (const url of links) expect(`${site && url}`).toMatch(/^https:\/\/example\.com\/docs\//)
      expect(html.filter((tag) => !/^<\/?code>$/.test(tag))).toEqual(plain.html)
    }
  })
})
