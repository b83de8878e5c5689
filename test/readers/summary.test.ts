import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive } from '../support/rendered.ts'
import { MOVED, page, QUIET, report, summaryOf } from './samples.ts'

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

/** Random paths beside those that are known to be hostile. */
const PATHS = Number(process.env['PATHS'] ?? 20)
/** Below the table. */
const APART = 'Visitors are deduplicated: people and AI do not add up to all.'
const WEEKS = [9000, 9100, 8900, 9050, 9000, 9000, 9000]
const PAGES = {
  pages: [page('/quickstart', 3540, 412), page('/new', 40), ...QUIET],
  previousPages: [page('/quickstart', 3147), page('/old', 1204), ...QUIET],
}

describe('the first screen', () => {
  it('has heading, verdict, totals, chart, reads and what moved, and says "about" once', () => {
    const reads = { human: 15_702, ai: 25_620, total: 41_322 }
    const text = summaryOf(report([...WEEKS, 12_480], { ...PAGES, reads }))
    expect(text.match(/about/gi)).toEqual(['About'])
    expect(
      firstScreen(text),
    ).toBe(`## 📈 About 12,480 visitors read the docs, the highest of 8 weeks; 1 page moved

27 Jul to 2 Aug · project \`docs\`

|  | Now | Usual | Before | Change |
| :--- | ---: | ---: | ---: | ---: |
| People | **9,984** | **above** 6,907 – 7,498 | 7,200 | +38.7 % |
| AI | **3,744** | **above** 2,590 – 2,811 | 2,700 | +38.7 % |
| **All** | **12,480** | **above** 8,633 – 9,373 | 9,000 | +38.7 % |

${APART}

AI made 62 % of 41,322 reads.

\`\`\`mermaid
%%{init: {"xyChart":{"width":720,"height":260,"xAxis":{"labelFontSize":11,"labelPadding":9}},"themeVariables":{"xyChart":{"backgroundColor":"transparent","plotColorPalette":"#2f81f7, #7d8590, #d1570a"}}}}%%
xychart-beta
  x-axis ["8 Jun", "15 Jun", "22 Jun", "29 Jun", "6 Jul", "13 Jul", "20 Jul", "27 Jul"]
  y-axis "Visitors" 0 --> 13104
  line "All" [9000, 9100, 8900, 9050, 9000, 9000, 9000, 12480]
  line "People" [7200, 7280, 7120, 7240, 7200, 7200, 7200, 9984]
  line "AI" [2700, 2730, 2670, 2715, 2700, 2700, 2700, 3744]
\`\`\`

From the top, at the right: all (blue), people (grey), AI (orange).

| **What moved** | Now | +/− | Change |
| :--- | ---: | ---: | ---: |
| \`/quickstart\` | 3,540 | +393 | +12.5 % |`)
  })

  it('has five pages that went up above those that went down, and says how many more did', () => {
    const text = screen([...WEEKS, 9000], MOVED)
    expect(text).toMatch(/^.*; 8 pages moved\n/)
    expect(text).toContain('| `/up/0` | 300 | +200 | +200 % |\n')
    const end =
      '| `/up/4` | 296 | +200 | +208 % |\n| `/down` | 20 | −80 | −80.0 % |\n| and 2 more |  |  |  |'
    expect(text.endsWith(end)).toBe(true)
  })

  it('of a first report says that it is the first, without chart, trend or change', () => {
    const text = summaryOf(report([0, 0, 0, 31_280], { pages: PAGES.pages }))
    expect(firstScreen(text)).toBe(`## 📊 About 31,280 visitors read the docs

27 Jul to 2 Aug · project \`docs\`

This is the first report: there were no visitors in the 3 weeks before.

|  | Now |
| :--- | ---: |
| People | **25,024** |
| AI | **9,384** |
| **All** | **31,280** |

${APART}`)
    expect(text).not.toMatch(/mermaid|Trend|new\b/)
  })

  const ASK = "is the site's tracking broken, or is `project-id` another project's?"
  it.each([
    [
      'nobody after a period with visitors',
      [...WEEKS, 0],
      [
        `⚠️ No visitors at all, after 9,000 in 20 to 26 Jul: ${ASK}`,
        '| **All** | **0** | **below** 8,633 – 9,373 | 9,000 | −100 % |',
      ],
    ],
    ['nobody for longer', [9000, 0, 0], [`after 9,000 in 13 to 19 Jul: ${ASK}`]],
    [
      'nobody, as the week before',
      [...WEEKS, 0, 0],
      ['visitors read the docs, as usual\n', '⚠️ No'],
    ],
    [
      'nobody ever',
      [0, 0, 0],
      ['## 📊 No visitors read the docs\n', 'in the 2 weeks before.', '| **All** | **0** |'],
    ],
  ])('of %s says so', (_who, totals, expected) => {
    const text = screen(totals)
    for (const part of expected) expect(text).toContain(part)
    expect(text.includes('⚠️')).toBe(totals.some((total) => total > 0))
  })

  it.each([
    ['isWhole', '⚠️ Not complete: 42 pages could be read.\n\n'],
    ['isPreviousWhole', ''],
  ])('says at once that not all was read, and then not what moved (%s)', (lack, says) => {
    const sample = report([...WEEKS, 9000], { ...PAGES, [lack]: false })
    const text = firstScreen(summaryOf(sample, { leftOut: ['Some.'] }))
    const last = '⚠️ The last part says what is missing, and why.'
    expect(text).toContain(`project \`docs\`\n\n${says}${last}\n\n|`)
    expect(text).not.toContain('What moved')
  })

  it('has no share above 100 %, though the service counts more AI than reads, and none of nothing', () => {
    const reads = { human: 10, ai: 130, total: 100 }
    expect(screen([5, 5], { reads })).toContain('\n\nAI made 100 % of 100 reads.')
    expect(screen([5, 5], { reads: { human: 0, ai: 0, total: 0 } })).not.toContain('AI made')
  })

  it('has a chart that begins with the first visitors, and tells its lines in the order seen', () => {
    const text = summaryOf(report([0, 0, 9, { human: 10, ai: 50, total: 55 }]))
    expect(text).toContain('line "All" [9, 55]')
    expect(text).toContain('From the top, at the right: all (blue), AI (orange), people (grey).')
  })
})

describe('what is folded', () => {
  it('has the top pages, and the figures of the chart', () => {
    const text = summaryOf(report([9000, 11_520, 12_480], PAGES))
    expect(folded(text, 'Top pages: 10 of 42')).toContain(`|  | Page | People | AI | All | Change |
| ---: | :--- | ---: | ---: | ---: | ---: |
| 1 | \`/quickstart\` | 3,128 | 412 | **3,540** | +12.5 % |
| 2 | \`/quiet/0\` | 100 | 0 | **100** | 0.0 % |`)
    expect(folded(text, 'Trend over 3 periods')).toBe(`| Period | People | AI | All | Change |
| :--- | ---: | ---: | ---: | ---: |
| 13 to 19 Jul | 7,200 | 2,700 | 9,000 | – |
| 20 to 26 Jul | 9,216 | 3,456 | 11,520 | +28.0 % |
| 27 Jul to 2 Aug | 9,984 | 3,744 | 12,480 | +8.3 % |`)
  })

  it('tells a page of the top that is new from one that is not known to be', () => {
    const sample = { pages: [page('/a', 9)], previousPages: [page('/b', 9)] }
    const change = (more: object) =>
      folded(summaryOf(report([9, 9], { ...sample, ...more })), 'Top')
    expect(change({})).toMatch(/\*\*9\*\* \| new \|$/)
    expect(change({ isPreviousWhole: false })).toMatch(/\*\*9\*\* \| – \|$/)
  })

  it('has the files for machines, which are in no list of pages', () => {
    const files = ['/llms.txt', '/a/llms-full.txt', '/skill.md', '/SKILL.md']
    const rows = (total: number) => files.map((path, index) => page(path, total - index))
    const others = [page('/skill', 30), page('/my-llms.txt', 30), ...QUIET]
    const sample = { pages: [...rows(900), ...others], previousPages: [...rows(10), ...others] }
    const shown = report([5, 5], sample)
    expect([shown.pages.length, shown.rows.length]).toEqual([42, 46])
    const text = summaryOf(shown)
    expect(firstScreen(text)).toContain('**What moved:** Nothing moved beyond the usual.')
    expect(folded(text, 'Visitors of files for machines')).toBe(
      '`/llms.txt` 900 · `/a/llms-full.txt` 899 · `/skill.md` 898 · `/SKILL.md` 897',
    )
    expect(folded(text, 'Top pages')).not.toMatch(/\/llms|skill\.md/i)
  })

  it('says what the figures mean, what they cost and what was left out', () => {
    const more = { leftOut: ['A `b` c.'] }
    const text = summaryOf(report([...WEEKS, 9000], PAGES), more)
    const facts = folded(text, 'What was left out')
    for (const expected of [
      '**Left out**\n\n- A `b` c.\n',
      '\n- Period: 27 Jul to 2 Aug in UTC; before it: 20 to 26 Jul.\n',
      '\n- Usual: the range of the 7 weeks before, and 3 % beyond.\n',
      'by at least 3 times what counts and pages vary by chance',
      '\n- AI visitors are recognised by their user agent alone',
      '\n- Requests: 11 of 40 allowed.',
    ])
      expect(facts).toContain(expected)
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
    const random = fc.sample(fc.string({ unit: 'binary', minLength: 1 }), PATHS)
    const paths = [...new Set([...HOSTILE_TEXTS.filter((path) => path !== ''), ...random])]
    for (let from = 0; from < paths.length; from += 5) {
      const five = paths.slice(from, from + 5)
      const { cells, images, mentions, links, html } = shown(five, site)
      const plain = shown(
        five.map((_, index) => `/plain-${index}`),
        site,
      )
      expect([cells, images, mentions], `${five}`).toEqual([plain.cells, [], []])
      for (const url of links) expect(`${site && url}`).toMatch(/^https:\/\/example\.com\/docs\//)
      expect(html.filter((tag) => !/^<\/?code>$/.test(tag))).toEqual(plain.html)
    }
  })
})
