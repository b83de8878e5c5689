import { expect, test } from 'vitest'
import type { VisitorsQuery } from '../../docs-service/visitors/query.ts'
import { type VisitorsAnswer, type VisitorsRow, visitorsReport } from '../../docs-service/visitors/report.ts'
import { pagePath } from '../../docs-service/visitors/site.ts'

const WEEK = { fromMs: Date.UTC(2026, 6, 27), toMs: Date.UTC(2026, 7, 3) }
const WEEK_MS = WEEK.toMs - WEEK.fromMs

function page(pages: number, query: Partial<VisitorsQuery> = {}): VisitorsAnswer {
  return visitorsReport({ pages, seed: 1 }).answer({ ...WEEK, limit: 250, offset: 0, ...query })
}

function allRows(pages: number, limit: number, period = WEEK): VisitorsRow[] {
  const report = visitorsReport({ pages, seed: 1 })
  const rows: VisitorsRow[] = []
  for (let offset = 0; ; offset += limit) {
    const answer = report.answer({ ...period, limit, offset })
    rows.push(...answer.visitors)
    if (!answer.hasMore) return rows
  }
}

test.each([
  [0, 250],
  [1, 1],
  [249, 250],
  [250, 250],
  [251, 250],
  [1000, 7],
  [5000, 250],
])('a site of %i pages, read %i rows at a time, has each page exactly once', (pages, limit) => {
  const rows = allRows(pages, limit)
  expect(rows).toHaveLength(pages)
  expect(new Set(rows.map(({ path }) => path)).size).toBe(pages)
})

test('every page has a path of its own', () => {
  const paths = new Set<string>()
  for (let rank = 0; rank < 200_000; rank += 1) paths.add(pagePath(rank))
  expect(paths.size).toBe(200_000)
  for (const path of ['/quickstart', '/guides/webhooks', '/api-reference/tokens/create'])
    expect(paths).toContain(path)
})

test('rows beyond the last are an empty page without more', () => {
  expect(page(30, { offset: 30 })).toMatchObject({ visitors: [], hasMore: false })
  expect(page(30, { offset: 1e9 })).toMatchObject({ visitors: [], hasMore: false })
})

test('an empty period has no visitors and no rows', () => {
  expect(page(30, { toMs: WEEK.fromMs })).toEqual({
    totals: { human: 0, ai: 0, total: 0 },
    visitors: [],
    hasMore: false,
  })
})

test('counts are whole, and the total of a row leaves out whoever came both ways', () => {
  for (const { human, ai, total } of allRows(5000, 250)) {
    expect([human, ai, total].every(Number.isInteger)).toBe(true)
    expect(total).toBeGreaterThanOrEqual(Math.max(human, ai, 1))
    if (Math.min(human, ai) >= 5) expect(total).toBeLessThan(human + ai)
    else expect(total).toBeLessThanOrEqual(human + ai)
  }
})

test.each([2, 3, 40, 1000, 20_000])(
  'the totals of %i pages are no sum: at least the largest row, less than all rows',
  (pages) => {
    const { totals } = page(pages)
    const rows = allRows(pages, 250)
    for (const kind of ['human', 'ai', 'total'] as const) {
      const counts = rows.map((row) => row[kind])
      expect(totals[kind]).toBeGreaterThanOrEqual(Math.max(...counts))
      expect(totals[kind]).toBeLessThan(counts.reduce((left, right) => left + right))
    }
    expect(totals.total).toBeLessThan(totals.human + totals.ai)
    expect(totals.total).toBeGreaterThanOrEqual(Math.max(totals.human, totals.ai))
  },
)

test('every page of a period carries the same totals', () => {
  expect(page(1000, { offset: 750 }).totals).toEqual(page(1000).totals)
})

test('a few pages have most of the traffic, and the rows are not sorted by it', () => {
  const counts = allRows(1000, 250).map(({ total }) => total)
  const sorted = counts.toSorted((left, right) => right - left)
  const sum = (values: number[]) => values.reduce((left, right) => left + right, 0)
  expect(sum(sorted.slice(0, 100))).toBeGreaterThan(sum(counts) / 2)
  expect(counts).not.toEqual(sorted)
  expect(counts.indexOf(sorted[0] ?? 0)).toBeGreaterThan(0)
})

test('a longer period never has fewer visitors on a page', () => {
  const week = allRows(300, 250)
  const longer = allRows(300, 250, { fromMs: WEEK.fromMs - WEEK_MS / 2, toMs: WEEK.toMs })
  expect(week.filter(({ total }, row) => total > (longer[row]?.total ?? 0))).toEqual([])
})

test('the site grows from year to year, while from week to week some pages rise and some fall', () => {
  const year = 52 * WEEK_MS
  const before = page(300, { fromMs: WEEK.fromMs - year, toMs: WEEK.toMs - year })
  expect(page(300).totals.total).toBeGreaterThan(before.totals.total)
  const lastWeek = allRows(300, 250, { fromMs: WEEK.fromMs - WEEK_MS, toMs: WEEK.fromMs })
  const changes = allRows(300, 250).map(({ total }, row) => total - (lastWeek[row]?.total ?? 0))
  expect(changes.filter((change) => change > 0).length).toBeGreaterThan(30)
  expect(changes.filter((change) => change < 0).length).toBeGreaterThan(30)
})

test('a Sunday has fewer human visitors than the Tuesday before, and AI hardly minds', () => {
  const day = (date: number) =>
    page(300, { fromMs: Date.UTC(2026, 6, date), toMs: Date.UTC(2026, 6, date + 1) }).totals
  const [tuesday, sunday] = [day(28), day(26)]
  expect(sunday.human / tuesday.human).toBeLessThan(0.6)
  expect(sunday.ai / tuesday.ai).toBeGreaterThan(0.8)
})

test('another seed is another site', () => {
  const other = visitorsReport({ pages: 30, seed: 2 }).answer({ ...WEEK, limit: 250, offset: 0 })
  expect(other.totals).not.toEqual(page(30).totals)
})

test('a deep page of a million costs no more than the first', () => {
  const report = visitorsReport({ pages: 1_000_000, seed: 1 })
  // A walk over a million rows for each of these would take minutes, and end at the test's own limit.
  for (let row = 0; row < 20_000; row += 1) report.answer({ ...WEEK, limit: 1, offset: 950_000 + row })
  expect(report.answer({ ...WEEK, limit: 250, offset: 950_000 }).visitors).toHaveLength(250)
})
