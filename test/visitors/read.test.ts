import { describe, expect, it } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { isComplete, type PeriodRows, type VisitorsReading } from '../../src/visitors/read.ts'
import { fullPage, read, scripted, status } from './reading.ts'

const NOW = '2026-07-27..2026-08-03'

function totalsOf({ pages }: PeriodRows): [string, number][] {
  return [...pages.values()].map(({ path, total }) => [path, total])
}

/** What of a reading was cut, and why. */
function cutsOf({ current, beforeStopped, previous }: VisitorsReading): unknown {
  return [current.stopped, beforeStopped, previous?.stopped].map((stopped) => stopped?.reason ?? '')
}

describe('requests', () => {
  it.each([
    [0, 1],
    [1, 1],
    [249, 1],
    [250, 1],
    [251, 2],
    [1000, 4],
    [1001, 5],
  ])('for %i rows without a trend are %i, and all rows come', async (pages, requests) => {
    const { sent, reading } = await read({ docs: { pages } })
    expect(sent).toEqual(Array.from({ length: requests }, (_, index) => `${NOW} 250@${index * 250}`))
    const found = await reading
    expect(found.current.pages.size).toBe(pages)
    expect(isComplete(found.current)).toBe(true)
    expect(found).toMatchObject({ before: [], previous: undefined, requests })
  })

  it('come in this order: the period, totals before it, pages of the one before', async () => {
    const { sent, reading } = await read({ docs: { pages: 600 }, trend: 4 })
    expect(sent).toEqual([
      `${NOW} 250@0`,
      `${NOW} 250@250`,
      `${NOW} 250@500`,
      '2026-07-20..2026-07-27 250@0',
      '2026-07-13..2026-07-20 1@0',
      '2026-07-06..2026-07-13 1@0',
      '2026-07-20..2026-07-27 250@250',
      '2026-07-20..2026-07-27 250@500',
    ])
    const found = await reading
    expect(cutsOf(found)).toEqual(['', '', ''])
    expect(found.before.map(({ period }) => period.from.text)).toEqual([
      '2026-07-20',
      '2026-07-13',
      '2026-07-06',
    ])
    expect(found.previous?.totals).toEqual(found.before[0]?.totals)
    expect(found.previous?.pages.size).toBe(600)
    expect(found.current.pages.size).toBe(600)
  })

  it.each([
    [2, { rows: [500, undefined], before: 0, cuts: ['max-requests', 'max-requests', ''] }],
    [3, { rows: [600, undefined], before: 0, cuts: ['', 'max-requests', ''] }],
    [4, { rows: [600, 250], before: 1, cuts: ['', 'max-requests', 'max-requests'] }],
    [7, { rows: [600, 500], before: 3, cuts: ['', '', 'max-requests'] }],
    [8, { rows: [600, 600], before: 3, cuts: ['', '', ''] }],
  ])('of at most %i leave out the end of that order', async (maxRequests, expected) => {
    const { sent, reading } = await read({ docs: { pages: 600 }, trend: 4, maxRequests })
    const found = await reading
    expect(sent).toHaveLength(maxRequests)
    expect({
      rows: [found.current.pages.size, found.previous?.pages.size],
      before: found.before.length,
      cuts: cutsOf(found),
    }).toEqual(expected)
  })

  it('that are tried again count', async () => {
    const { sent, reading } = await read({
      docs: { pages: 600 },
      maxRequests: 3,
      faults: [status(500, { times: 1 })],
    })
    expect(sent).toHaveLength(3)
    const { current, requests } = await reading
    expect([isComplete(current), current.pages.size, requests]).toEqual([false, 500, 3])
  })

  it('for a short period before need no more than its totals', async () => {
    const { sent, reading } = await read({ docs: { pages: 10 }, trend: 3, maxRequests: 3 })
    expect(sent).toHaveLength(3)
    expect(cutsOf(await reading)).toEqual(['', '', ''])
  })

  it('are logged, every fifty of them', async () => {
    const { log } = await read({
      docs: { pages: 26_000, limits: { analyticsPerHour: 1000 } },
      maxRequests: 200,
    })
    expect(log).toEqual(['50 requests so far.', '100 requests so far.'])
  })
})

describe('a service that is not to be believed', () => {
  it('is left alone once a page that announces more brings nothing new', async () => {
    const { sent, reading } = await read({ docs: scripted([fullPage('a'), fullPage('a')], () => true) })
    expect(sent).toHaveLength(2)
    const { current } = await reading
    expect(current).toMatchObject({ noNewRows: true, repeated: true })
    expect([isComplete(current), current.pages.size]).toEqual([false, 250])
  })

  it('is left alone if it announces more and sends no rows at all', async () => {
    const { sent, reading } = await read({ docs: scripted([[]], () => true) })
    expect(sent).toHaveLength(1)
    expect(isComplete((await reading).current)).toBe(false)
  })

  it('counts the later of rows that come twice', async () => {
    const first: [string, number][] = [['/twice', 1000], ...fullPage('a').slice(1)]
    const second: [string, number][] = [
      ['/twice', 5],
      ['/b', 7],
    ]
    const { reading } = await read({ docs: scripted([first, second]) })
    const { current } = await reading
    expect(isComplete(current)).toBe(true)
    expect(current.repeated).toBe(true)
    expect(totalsOf(current)).toHaveLength(251)
    expect(totalsOf(current)).toEqual(expect.arrayContaining(second))
  })

  it('is read on where pages are short though there is more', async () => {
    const { sent, reading } = await read({ docs: scripted([[['/a', 1]], [['/b', 1]]]) })
    expect(sent.at(-1)).toContain('250@250')
    const { current } = await reading
    expect([isComplete(current), current.repeated]).toEqual([true, false])
    expect(totalsOf(current)).toEqual([
      ['/a', 1],
      ['/b', 1],
    ])
  })

  it('is read on after a page of nothing but odd rows, and those are counted', async () => {
    let answers = 0
    const docs: DocsServiceOptions = {
      visitors: () => {
        answers += 1
        const odd = [{ path: '', human: 1, ai: 1, total: 1 }, null, 'row']
        const good = [{ path: '/good', human: 1, ai: 1, total: 1 }]
        const totals = { human: 1, ai: 1, total: 1 }
        return {
          status: 200,
          body: { totals, visitors: answers === 1 ? odd : good, hasMore: answers === 1 },
        }
      },
    }
    const { current } = await (await read({ docs })).reading
    expect(current).toMatchObject({ invalidRows: 3, noNewRows: false })
    expect([isComplete(current), totalsOf(current)]).toEqual([false, [['/good', 1]]])
  })

  it.each<[string, object]>([
    ['an odd `hasMore`', { visitors: [{ path: '/a', human: 1, ai: 0, total: 1 }], hasMore: 'yes' }],
    ['an odd list of rows', { visitors: 'none', hasMore: false }],
  ])('with %s is read to there, and not taken for complete', async (_name, rest) => {
    const totals = { human: 1, ai: 0, total: 1 }
    const { sent, reading } = await read({
      docs: { visitors: () => ({ status: 200, body: { totals, ...rest } }) },
    })
    expect(sent).toHaveLength(1)
    const { current } = await reading
    expect(current).toMatchObject({ totals, invalidAnswer: true })
    expect(isComplete(current)).toBe(false)
  })

  it('may end with the totals that it gave last', async () => {
    let answers = 0
    const docs: DocsServiceOptions = {
      visitors: () => {
        answers += 1
        const totals = { human: answers, ai: 0, total: answers }
        const visitors = fullPage(`${answers}`).map(([path, total]) => ({ path, human: total, ai: 0, total }))
        return { status: 200, body: { totals, visitors, hasMore: answers < 3 } }
      },
    }
    const { current } = await (await read({ docs })).reading
    expect([current.totals.total, isComplete(current)]).toEqual([3, true])
  })
})
