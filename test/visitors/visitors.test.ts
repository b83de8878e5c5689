import { describe, expect, it } from 'vitest'
import type { Fault } from '../../docs-service/faults.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive } from '../support/rendered.ts'
import { counts, GAPS, pages, REPORT, refusal, runVisitors, site } from './scene.ts'

const like = (pattern: RegExp) => expect.stringMatching(pattern)
const WEEKS = [counts(9984, 3744, 12_480), counts(7200, 2700, 9000)]

describe('the report', () => {
  it('has heading, table, chart, and pages on its first screen, and the same without chart in the output', async () => {
    const now = [{ path: '/start', ...counts(3128, 412) }, ...pages('/new 40')]
    const docs = site(WEEKS, now, pages('/start 3147 /old 1204'))
    const { summary, markdown, visitors, sent, log } = await runVisitors(REPORT, { docs })
    const chart = `

\`\`\`mermaid
${summary.match(/^%%.*$/m)?.[0]}
xychart-beta
  x-axis ["2026-06-08","2026-06-15","2026-06-22","2026-06-29","2026-07-06","2026-07-13","2026-07-20","2026-07-27"]
  y-axis "Visitors" 0 --> 12480
  line "People" [0,0,0,0,0,0,7200,9984]
  line "AI" [0,0,0,0,0,0,2700,3744]
  line "All" [0,0,0,0,0,0,9000,12480]
\`\`\`

Lines: people (gray), AI (orange), all (blue).`
    expect(summary).toBe(`## 📊 About 12,480 visitors (+38.7%)

27 Jul to 2 Aug (UTC) · Project \`docs\`

|  | Now | Before | Change |
| :--- | ---: | ---: | ---: |
| People | 9,984 | 7,200 | +38.7% |
| AI | 3,744 | 2,700 | +38.7% |
| All | 12,480 | 9,000 | +38.7% |

A visitor counted as both a person and AI is one in All.${chart}

| Page | People | AI | All | Change |
| :--- | ---: | ---: | ---: | ---: |
| \`/start\` | 3,128 | 412 | 3,540 | +12.5% |
| \`/new\` | 40 | 0 | 40 | new |`)
    expect(markdown).toBe(summary.replace(chart, ''))
    expect(log).toEqual(['Visitors report: About 12,480 visitors (+38.7%)'])
    expect(visitors).toMatchObject({
      ...{ from: '2026-07-27', to: '2026-08-03', totals: WEEKS[0], previous: WEEKS[1] },
      ...{ change: 38.7, gaps: null, complete: true },
      top: [
        { path: '/start', human: 3128, ai: 412, total: 3540, change: 12.5 },
        { path: '/new', human: 40, ai: 0, total: 40, change: null },
      ],
    })
    expect(visitors.trend[7]).toEqual({ from: '2026-07-27', to: '2026-08-03', totals: WEEKS[0] })
    expect(sent.join('\n')).toBe(`visitors 2026-07-27..2026-08-03 1
visitors 2026-07-20..2026-07-27 1
visitors 2026-07-13..2026-07-20 1
visitors 2026-07-06..2026-07-13 1
visitors 2026-06-29..2026-07-06 1
visitors 2026-06-22..2026-06-29 1
visitors 2026-06-15..2026-06-22 1
visitors 2026-06-08..2026-06-15 1
visitors 2026-07-27..2026-08-03 250
visitors 2026-07-20..2026-07-27 250`)
  })

  it.each([
    { now: '2026-08-03T23:59:59.999Z', days: '7', words: '27 Jul to 2 Aug', from: '2026-07-27' },
    { now: '2028-03-01T00:00:01Z', days: '1', words: '29 Feb', from: '2028-02-29' },
    {
      now: '2026-01-28T06:00:00Z',
      days: '366',
      words: '27 Jan 2025 to 27 Jan 2026',
      from: '2025-01-27',
    },
  ])('of $days days at $now is about the full UTC days $words', async (given) => {
    const { now, days, words, from } = given
    const inputs = { ...REPORT, 'visitors-days': days }
    const { summary, visitors } = await runVisitors(inputs, { startMs: Date.parse(now) })
    expect(summary).toContain(`\n\n${words} (UTC) · `)
    expect(visitors).toMatchObject({ from, to: now.slice(0, 10) })
  })

  it('has the ten pages with most visitors, whatever their order and form, and no files for AI', async () => {
    const files = '/llms.txt 90 /a/LLMS-full.txt 90 /skill.md 90 /skill.mdx 20 /my-llms.txt 19'
    const odd = [null, 7, { path: '/x' }, { path: '/y', ...counts(-9, 0) }, { ...counts(99) }]
    const many = Array.from({ length: 300 }, (_, index) => `/p${index} ${index / 100}`).join(' ')
    const now = [...odd, ...pages(`${many} /same 8 /same 8 ${files} /half 17.5 /up 60 /zero 2`)]
    const before = pages('/same 8 /half 36 /up 1 /zero 0')
    const { summary, visitors } = await runVisitors(REPORT, { docs: site(WEEKS, now, before) })
    const rows = summary.match(/^\| `.*$/gm)
    expect(rows?.slice(0, 6)).toEqual([
      '| `/up` | 60 | 0 | 60 | +5,900% |',
      '| `/skill.mdx` | 20 | 0 | 20 | new |',
      '| `/my-llms.txt` | 19 | 0 | 19 | new |',
      '| `/half` | 18 | 0 | 18 | -50% |',
      '| `/same` | 8 | 0 | 8 | 0% |',
      like(/^\| `\/p\d+` \| 3 /),
    ])
    expect([rows?.length, visitors.top.length, visitors.complete]).toEqual([10, 10, true])
  })

  it.each([
    { weeks: [0, 9], annotations: [like(/^warning: .*no visitors .*tracking.*`project-id`/)] },
    { weeks: [0, 0, 9], annotations: [like(/^warning: /)] },
    { weeks: [0, 0], annotations: [] },
  ])('without visitors after weeks of $weeks has the right annotations', async (given) => {
    const docs = site(given.weeks.map((human) => counts(human)))
    const { summary, annotations, hasFailed } = await runVisitors(REPORT, { docs })
    expect(summary).toMatch(/^## 📊 No visitors(?: \(-100%\))?\n/)
    expect([annotations, hasFailed]).toEqual([given.annotations, false])
  })

  it('of a first week has no change', async () => {
    const { summary, visitors } = await runVisitors(REPORT, { docs: site([counts(50)]) })
    expect(summary).toMatch(/^## 📊 About 50 visitors\n.*\n\| All \| 50 \| 0 \| new \|/s)
    expect(visitors.change).toBeNull()
  })

  it('shows paths as inert text', async () => {
    const paths = HOSTILE_TEXTS.filter((path) => path !== '')
    const shown = async (from: number) => {
      const ten = Array.from({ length: 10 }, (_, index) => paths[from + index] ?? `/${index}`)
      const rows = ten.map((path) => ({ path, ...counts(9) }))
      return alive((await runVisitors(REPORT, { docs: site(WEEKS, rows) })).summary)
    }
    const plain = await shown(Number.POSITIVE_INFINITY)
    for (let from = 0; from < paths.length; from += 10) {
      const { cells, images, mentions, links, html } = await shown(from)
      expect([cells, images, mentions, links]).toEqual([plain.cells, [], [], []])
      expect(html.filter((tag) => !/^<\/?code>$/.test(tag))).toEqual([])
    }
  })

  it('is only announced in a dry run', async () => {
    const { sent, summary, outputs } = await runVisitors({ ...REPORT, ...GAPS, 'dry-run': 'true' })
    expect([sent, outputs]).toEqual([[], {}])
    expect(summary).toMatch(/^## 📊 Visitors report: dry run\n\nNothing was sent/)
  })
})

describe('requests', () => {
  it('are at most 40, and one sentence lists the missing parts', async () => {
    const docs = { pages: 8000 }
    const { sent, summary, visitors, annotations } = await runVisitors(
      { ...REPORT, ...GAPS },
      { docs },
    )
    expect([sent.length, visitors.trend.length, visitors.complete]).toEqual([36, 8, false])
    const missing = 'read all pages since 2026-07-27 (the limit of requests or time was reached)'
    expect(summary).toContain(`\n\n⚠️ The action could not ${missing} and read all pages since 2026`)
    expect(annotations).toEqual([like(/^notice: The action could not read all pages since 2026/)])
  })

  it.each<{ what: string; faults: Fault[]; sent: number; trend: number; top: number }>([
    {
      what: 'a refusal',
      faults: [refusal(403, 'visitors', { match: { nth: 3 } })],
      sent: 5,
      trend: 2,
      top: 0,
    },
    {
      what: 'a failure that passes',
      faults: [refusal(500, 'visitors', { times: 2 })],
      sent: 12,
      trend: 8,
      top: 10,
    },
    {
      what: 'failures',
      faults: [refusal(500, 'visitors', { match: { nth: 10 } })],
      sent: 12,
      trend: 8,
      top: 10,
    },
    {
      what: 'the limit',
      faults: [refusal(429, 'visitors', { match: { nth: 4 } })],
      sent: 6,
      trend: 3,
      top: 0,
    },
    {
      what: 'a pause of 40 minutes',
      faults: [refusal(429, 'visitors', { match: { nth: 4 }, headers: { 'retry-after': '2400' } })],
      sent: 4,
      trend: 3,
      top: 0,
    },
  ])('after $what are few, take 5 minutes at most, and the report has the rest', async (given) => {
    const { faults, ...expected } = given
    const run = await runVisitors(REPORT, { faults, docs: { pages: 20 } })
    const { trend, top, complete } = run.visitors
    expect([run.sent.length, trend.length, top.length]).toEqual([
      expected.sent,
      expected.trend,
      expected.top,
    ])
    expect(run.tookMs).toBeLessThanOrEqual(300_000)
    expect([run.hasFailed, run.annotations.length]).toEqual([false, complete ? 0 : 1])
    expect(run.markdown?.includes('⚠️ The action could not')).toBe(!complete)
  })
})
