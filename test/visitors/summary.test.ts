import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SummaryOptions } from '../../src/visitors/details.ts'
import { makeReport } from '../../src/visitors/report.ts'
import { RequestsStopped } from '../../src/visitors/requests.ts'
import { visitorsHeadline, visitorsSummary } from '../../src/visitors/summary.ts'
import { HOSTILE_TEXTS } from '../hostile-texts.ts'
import { alive } from '../rendered.ts'
import { OPTIONS, page, reading } from './samples.ts'

function summary(read: ReturnType<typeof reading>, more: Partial<SummaryOptions> = {}): string {
  const trend = read.before.length + 1
  const options: SummaryOptions = { ...OPTIONS, trend, projectId: 'docs', exported: false, ...more }
  return visitorsSummary(makeReport(read, options), options).source
}

/** What is seen before anything is unfolded. */
function firstScreen(text: string): string {
  return text.slice(0, text.indexOf('<details>')).trimEnd()
}

/** What is folded under a title that begins so. */
function folded(text: string, title: string): string {
  const found = [...text.matchAll(/<details><summary>(.*?)<\/summary>\n\n([\s\S]*?)\n\n<\/details>/g)]
  return found.find(([, name]) => name?.startsWith(title))?.[2] ?? ''
}

const WEEKS = [9000, 9100, 8900, 9050, 9000, 9000, 9000]
const NOW = [page('/quickstart', 3540, 412), page('/llms.txt', 800, 792), page('/new', 40), page('/few', 3)]
const BEFORE = [page('/quickstart', 3147), page('/llms.txt', 700, 600), page('/old', 1204), page('/few', 9)]

describe('the headline', () => {
  it.each<[number[], number, string]>([
    [[9000, 9100, 8900, 9200], 7, 'About 9,200 visitors read the docs, as usual'],
    [[9000, 9100, 8900, 12_480], 7, 'About 12,480 visitors read the docs, the highest of 4 weeks'],
    [[9000, 9100, 8900, 12], 1, 'About 12 visitors read the docs, the lowest of 4 days'],
    [[900, 910, 890, 1], 30, 'About 1 visitor read the docs, the lowest of 4 periods of 30 days'],
    [[9000, 9100, 12_480], 7, 'About 12,480 visitors read the docs'],
    [[5, 6, 7, 0], 7, 'No visitors read the docs, the lowest of 4 weeks'],
    [[0, 0, 0, 0], 7, 'No visitors read the docs'],
  ])('after %j by periods of %i days is a sentence', (totals, days, headline) => {
    expect(visitorsHeadline(makeReport(reading(totals, { days }), OPTIONS))).toBe(headline)
  })

  it('of a period that is not over says so', () => {
    const report = makeReport(reading([12]), { ...OPTIONS, soFar: true, trend: 1 })
    expect(visitorsHeadline(report)).toBe('About 12 visitors read the docs so far')
  })
})

describe('the first screen', () => {
  it('has heading, verdict, totals, what moved, and what AI reads', () => {
    const text = summary(reading([...WEEKS, 12_480], { pages: NOW, previousPages: BEFORE }))
    expect(firstScreen(text)).toBe(`## 📈 About 12,480 visitors read the docs, the highest of 8 weeks

27 Jul – 2 Aug 2026 · project \`docs\`

|  | Now | Before | Change | Usual | 8 weeks |
| :--- | ---: | ---: | ---: | ---: | :--- |
| People | **9,984** | 7,200 | +38.7% | **above** 6,907 – 7,498 | ▁▁▁▁▁▁▁█ |
| AI | **3,744** | 2,700 | +38.7% | **above** 2,590 – 2,811 | ▁▁▁▁▁▁▁█ |
| **All** | **12,480** | 9,000 | +38.7% | **above** 8,633 – 9,373 | ▁▁▁▁▁▁▁█ |
| AI share | **30.0%** | 30.0% | 0.0 points | 29.1% – 30.9% | ████████ |

**What moved**

| Up |  |
| :--- | ---: |
| \`/quickstart\` | +393 (+12.5%) |
| \`/llms.txt\` | +100 (+14.3%) |

**New:** \`/new\` 40

**Gone:** \`/old\` 1,204

**Read mostly by AI:** \`/llms.txt\` 99.0% of 800`)
  })

  it('has what went up beside what went down, and says how many more did', () => {
    const pages = (up: number, down: number) => [
      ...Array.from({ length: 7 }, (_, index) => page(`/up/${index}`, up - index)),
      ...Array.from({ length: 2 }, (_, index) => page(`/down/${index}`, down + index)),
    ]
    const text = summary(reading([...WEEKS, 9000], { pages: pages(200, 50), previousPages: pages(100, 100) }))
    expect(text).toContain(`| Up | and 2 more | Down |  |
| :--- | ---: | :--- | ---: |
| \`/up/0\` | +100 (+100%) | \`/down/0\` | −50 (−50.0%) |
| \`/up/1\` | +100 (+101%) | \`/down/1\` | −50 (−49.5%) |
| \`/up/2\` | +100 (+102%) |  |  |`)
  })

  it('of a quiet week says that nothing moved', () => {
    const pages = [page('/a', 100), page('/b', 20)]
    const text = firstScreen(summary(reading([...WEEKS, 9010], { pages, previousPages: pages })))
    expect(text).toMatch(/^## 📊 About 9,010 visitors read the docs, as usual\n/)
    expect(text).toContain('**What moved:** Nothing moved beyond the usual.')
    expect(text).toContain('**Read mostly by AI:** no page.')
  })

  it('without a trend compares nothing', () => {
    const text = summary(reading([12_480], { pages: NOW }), { trend: 1 })
    expect(firstScreen(text)).toContain('|  | Now |\n| :--- | ---: |\n| People | **9,984** |')
    expect(text).not.toMatch(/mermaid|Change|Usual|What moved|⚠️/)
  })

  it('with fewer than three periods before has no usual range', () => {
    expect(summary(reading([1000, 1000, 2000]))).toContain('|  | Now | Before | Change | 3 weeks |')
  })

  it('has the latest sixteen periods of a long trend', () => {
    const text = summary(reading(Array.from({ length: 52 }, () => 5)))
    expect(text).toContain('| 16 weeks |')
    expect(text).toMatch(/\| \*\*All\*\* .* \| █{16} \|/)
  })

  it('says at once where not all pages were read', () => {
    const stopped = new RequestsStopped('max-requests', '')
    const text = firstScreen(summary(reading([...WEEKS, 9000], { pages: NOW, current: { stopped } })))
    expect(text).toContain('⚠️ **Not complete:** only 4 pages could be read. The last part below says why.')
    expect(text).not.toContain('What moved')
    expect(text).toContain('**Read mostly by AI:** `/llms.txt`')
  })

  it('says at once where not all could be compared', () => {
    const text = summary(reading([...WEEKS, 9000], { pages: NOW, previous: { invalidRows: 1 } }))
    expect(firstScreen(text)).toContain('⚠️ **Not all could be compared.** The last part below says why.')
  })

  it('of a period that is not over says that it is compared with nothing', () => {
    const text = firstScreen(summary(reading([500], { pages: NOW }), { soFar: true, trend: 1 }))
    expect(text).toMatch(/^## 📊 About 500 visitors read the docs so far\n/)
    expect(text).toContain('⏳ The period is not over yet, so it is compared with nothing.')
  })

  it('without data says so, with zeros', () => {
    const text = summary(reading([0, 0, 0]))
    expect(text).toMatch(/^## 📊 No visitors read the docs\n/)
    expect(text).toContain('| **All** | **0** | 0 | 0.0% | ▁▁▁ |')
    expect(text).toContain('| AI share | **0.0%** | 0.0% | 0.0 points | ▁▁▁ |')
    expect(text).toContain('No page had a visitor.')
  })

  it('has no share above 100 %, though the service counts more AI than visitors', () => {
    const odd = { human: 10, ai: 130, total: 100 }
    const pages = [{ path: '/odd', ...odd }]
    const text = summary(reading([odd, odd, odd, odd], { pages, previousPages: pages }))
    expect(text).toMatch(/\| AI share \| \*\*100%\*\* \| 100% \| 0\.0 points \| 97\.0% – 100% \|/)
    expect(text).toContain('**Read mostly by AI:** `/odd` 100% of 100')
  })
})

describe('what is folded', () => {
  const text = summary(reading([9000, 11_520, 12_480], { pages: NOW, previousPages: BEFORE }))

  it('has the top pages with people, AI, all and change', () => {
    expect(folded(text, 'Top pages (4 of 4)')).toBe(`|  | Page | People | AI | All | Change |
| ---: | :--- | ---: | ---: | ---: | ---: |
| 1 | \`/quickstart\` | 3,128 | 412 | **3,540** | +12.5% |
| 2 | \`/llms.txt\` | 8 | 792 | **800** | +14.3% |
| 3 | \`/new\` | 40 | 0 | **40** | new |
| 4 | \`/few\` | 3 | 0 | **3** | −66.7% |`)
  })

  it('has the trend as a chart, in thousands, and the same figures as a table', () => {
    const trend = folded(text, 'Trend over 3 weeks')
    expect(trend).toContain('x-axis ["13 Jul", "20 Jul", "27 Jul"]')
    expect(trend).toContain('y-axis "Thousand visitors" 0 --> 14')
    expect(trend).toContain('line [9, 11.52, 12.48]')
    expect(trend).toContain('line [2.7, 3.456, 3.744]')
    expect(trend).toContain('| 13 – 19 Jul 2026 | 7,200 | 2,700 | 9,000 | – |')
    expect(trend).toContain('| 27 Jul – 2 Aug 2026 | 9,984 | 3,744 | 12,480 | +8.3% |')
  })

  it.each([
    [900, 'y-axis "Visitors" 0 --> 950', 'line [900, 900]'],
    [960, 'y-axis "Thousand visitors" 0 --> 1.01', 'line [0.96, 0.96]'],
    [1000, 'y-axis "Thousand visitors" 0 --> 1.1', 'line [1, 1]'],
    [2_500_000, 'y-axis "Million visitors" 0 --> 2.7', 'line [2.5, 2.5]'],
    [0, 'y-axis "Visitors" 0 --> 1', 'line [0, 0]'],
  ])('has a chart of %i visitors without numbers of four digits', (total, axis, line) => {
    const chart = summary(reading([total, total]))
    expect(chart).toContain(axis)
    expect(chart).toContain(line)
  })

  it('has a chart of a long trend with its days under it, and all of them in the table', () => {
    const trend = folded(summary(reading(Array.from({ length: 52 }, () => 5))), 'Trend over 52 weeks')
    expect(trend).toContain('x-axis "4 Aug 2025 – 2 Aug 2026" 1 --> 52')
    expect(trend.match(/^\| \d.*2025|^\| \d.*2026/gm)).toHaveLength(52)
  })

  it('says what the figures mean, and the number of requests', () => {
    const text = summary(reading([...WEEKS, 9000]), {
      exported: true,
      exportTo: { name: 'out/x.csv', path: '/w/out/x.csv', format: 'csv' },
    })
    const facts = folded(text, 'How to read these figures')
    expect(facts).toContain('- Period: 27 Jul – 2 Aug 2026 in UTC; before it: 20 – 26 Jul 2026.')
    expect(facts).toContain('- Usual: the range of the 7 weeks before, and 3% beyond.')
    expect(facts).toContain('- AI visitors are AI tools and crawlers')
    expect(facts).toContain('- Requests: 11 of 40 allowed.')
    expect(facts).toContain('- All rows: `out/x.csv`.')
  })

  it('says what was left out', () => {
    const beforeStopped = new RequestsStopped('max-requests', '')
    const text = summary(reading([9000], { beforeStopped }), { trend: 8 })
    expect(folded(text, 'What was left out, and how to read these figures')).toContain(
      '**Left out or not certain**\n\n- None of the weeks before could be read: the requests that `visitors-max-requests` allows were used up.\n- So what moved is not known.',
    )
  })
})

describe('the report', () => {
  it('says "about" once, whatever it has to say', () => {
    const stopped = new RequestsStopped('time', '')
    for (const sample of [
      {},
      { current: { stopped, invalidRows: 1, invalidAnswer: true, noNewRows: true, repeated: true } },
      { beforeStopped: stopped, previous: { repeated: true, stopped } },
    ]) {
      const text = summary(reading([...WEEKS, 12_480], { pages: NOW, previousPages: BEFORE, ...sample }))
      expect(text.match(/about/gi)).toEqual(['About'])
    }
  })

  it('links its pages to the site, where that is given', () => {
    const siteUrl = new URL('https://example.com/docs/')
    const pages = [page('/guides/a b', 40), page('/../up', 30)]
    const text = summary(reading([1, 2], { pages, previousPages: [] }), { siteUrl })
    expect(text).toContain('**New:** [`/guides/a b`](https://example.com/docs/guides/a%20b) 40 · `/../up` 30')
    expect(text).toContain('| 1 | [`/guides/a b`](https://example.com/docs/guides/a%20b) |')
    expect(summary(reading([1, 2], { pages }))).not.toContain('](')
  })
})

describe('page paths', () => {
  const withPath = (path: string, siteUrl?: URL): string => {
    const others = [page('/p', 20, 20), page('/q', 40)]
    const now = [page(path, 300, 290), page(`${path}-new`, 90, 80), ...others]
    const before = [page(path, 100), page(`${path}-old`, 90), ...others]
    return summary(reading([1, 2], { pages: now, previousPages: before }), { siteUrl })
  }
  const plain = alive(withPath('/plain'))

  it.each(HOSTILE_TEXTS.filter((path) => path !== ''))('are inert: %j', (path) => {
    const shown = alive(withPath(path))
    expect(shown.cells).toEqual(plain.cells)
    expect([shown.links, shown.images, shown.mentions]).toEqual([[], [], []])
    expect(shown.html.filter((tag) => !/^<\/?code>$/.test(tag))).toEqual(plain.html)
    const linked = alive(withPath(path, new URL('https://example.com/docs')))
    expect(linked.cells).toEqual(plain.cells)
    expect([linked.images, linked.mentions]).toEqual([[], []])
    for (const url of linked.links) expect(url).toMatch(/^https:\/\/example\.com\/docs\//)
  })

  it('are inert, whatever they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.boolean(), (path, linked) => {
        const shown = alive(withPath(path, linked ? new URL('https://example.com') : undefined))
        expect(shown.cells).toEqual(plain.cells)
        expect(shown.mentions).toEqual([])
        for (const url of shown.links) expect(url).toMatch(/^https:\/\/example\.com\//)
      }),
    )
  })
})

describe('the size', () => {
  it('stays far below 1 MiB whatever the data; the table of pages is cut first, and says so', () => {
    const siteUrl = new URL('https://example.com')
    const pages = Array.from({ length: 100 }, (_, index) => ({
      path: `/${'`|<>'.repeat(400)}${index}`,
      human: Number.MAX_SAFE_INTEGER,
      ai: Number.MAX_SAFE_INTEGER,
      total: Number.MAX_SAFE_INTEGER - index,
    }))
    const totals = Array.from({ length: 52 }, () => Number.MAX_SAFE_INTEGER)
    const longest = summary(reading(totals, { pages }), { siteUrl, top: 100, trend: 52 })
    expect(Buffer.byteLength(longest)).toBeLessThanOrEqual(128 * 1024)
    expect(longest.includes('The table of pages is cut')).toBe(false)
    const longer = pages.map((each, index) => ({ ...each, path: `/${'é'.repeat(250)}${index}` }))
    const cut = summary(reading(totals, { pages: longer }), { siteUrl, top: 100, trend: 52 })
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(128 * 1024)
    expect(/<summary>Top pages .*?<\/summary>/.exec(cut)?.[0]).toBe(
      '<summary>Top pages (50 of 100)</summary>',
    )
    expect(firstScreen(cut).includes('⚠️')).toBe(false)
    expect(/- The table of .*/.exec(cut)?.[0]).toBe(
      '- The table of pages is cut to 50 rows, so that the report fits a job summary.',
    )
  })
})
