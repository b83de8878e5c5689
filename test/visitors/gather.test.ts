import { describe, expect, it } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { fullPage, gather, scripted, status } from './gathering.ts'

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
    const { asked, rows, findings } = await gather({ docs: { pages } })
    expect(asked).toEqual(
      Array.from({ length: requests }, (_, index) => `2026-07-27..2026-08-03 250@${index * 250}`),
    )
    expect(new Set(rows.map(({ path }) => path)).size).toBe(pages)
    const { complete, requests: counted, trend, previous, change, top } = await findings
    expect({ complete, counted, trend: trend.length, previous, change }).toEqual({
      complete: true,
      counted: requests,
      trend: 1,
      previous: undefined,
      change: 'unknown',
    })
    expect(top).toHaveLength(Math.min(10, pages))
  })

  it('come in the order of the contract: the period, totals before it, pages of the one before', async () => {
    const { asked, findings } = await gather({ docs: { pages: 600 }, trend: 4 })
    expect(asked).toEqual([
      '2026-07-27..2026-08-03 250@0',
      '2026-07-27..2026-08-03 250@250',
      '2026-07-27..2026-08-03 250@500',
      '2026-07-20..2026-07-27 250@0',
      '2026-07-13..2026-07-20 1@0',
      '2026-07-06..2026-07-13 1@0',
      '2026-07-20..2026-07-27 250@250',
      '2026-07-20..2026-07-27 250@500',
    ])
    const { moves, gaps, trend, previous } = await findings
    expect(gaps).toEqual([])
    expect(trend.map(({ period }) => period.from.text)).toEqual([
      '2026-07-06',
      '2026-07-13',
      '2026-07-20',
      '2026-07-27',
    ])
    expect(trend.at(-2)?.totals).toEqual(previous)
    expect(moves?.risers).toHaveLength(10)
    expect(moves?.fallers).toHaveLength(10)
  })

  it.each([
    [2, { complete: false, trend: 1, moves: false, gaps: ['current requests', 'trend requests'] }],
    [3, { complete: true, trend: 1, moves: false, gaps: ['trend requests'] }],
    [4, { complete: true, trend: 2, moves: false, gaps: ['trend requests', 'previous requests'] }],
    [7, { complete: true, trend: 4, moves: false, gaps: ['previous requests'] }],
    [8, { complete: true, trend: 4, moves: true, gaps: [] }],
  ])('of at most %i leave out the end of that order, and say so', async (maxRequests, expected) => {
    const { asked, findings } = await gather({ docs: { pages: 600 }, trend: 4, maxRequests })
    const { complete, trend, moves, gaps } = await findings
    expect(asked).toHaveLength(Math.min(maxRequests, 8))
    expect({
      complete,
      trend: trend.length,
      moves: moves !== undefined,
      gaps: gaps.map(({ part, flaw }) => `${part} ${flaw}`),
    }).toEqual(expected)
  })

  it('that are tried again count', async () => {
    const { asked, findings } = await gather({
      docs: { pages: 600 },
      maxRequests: 3,
      faults: [status(500, { times: 1 })],
    })
    expect(asked).toHaveLength(3)
    expect(await findings).toMatchObject({ complete: false, requests: 3, rows: 500 })
  })
})

describe('a service that is not to be believed', () => {
  it('is left alone once a page that announces more brings nothing new', async () => {
    const { asked, findings } = await gather({ docs: scripted([fullPage('a'), fullPage('a')], () => true) })
    expect(asked).toHaveLength(2)
    const { complete, gaps, top } = await findings
    expect(complete).toBe(false)
    expect(gaps.map(({ flaw }) => flaw)).toEqual(expect.arrayContaining(['no-more-rows', 'repeated']))
    expect(new Set(top.map(({ path }) => path)).size).toBe(10)
  })

  it('is left alone if it announces more and sends no rows at all', async () => {
    const { asked, findings } = await gather({ docs: scripted([[]], () => true) })
    expect(asked).toHaveLength(1)
    expect(await findings).toMatchObject({ complete: false, top: [] })
  })

  it('counts the later of rows that come twice; nothing is compared where that was so in the period before', async () => {
    const first: [string, number][] = [['/twice', 1000], ...fullPage('a').slice(1)]
    const { findings } = await gather({
      docs: scripted([
        first,
        [
          ['/twice', 5],
          ['/b', 7],
        ],
      ]),
      trend: 2,
      top: 3,
    })
    const { complete, top, moves, repeats } = await findings
    expect(complete).toBe(true)
    expect(moves).toBeUndefined()
    expect(top.map(({ path, total }) => [path, total])).toEqual([
      ['/b', 7],
      ['/twice', 5],
      ['/a/1', 1],
    ])
    expect([...repeats]).toEqual([['/twice', 250]])
  })

  it('compares nothing where rows came twice: another may not have come at all', async () => {
    const { findings } = await gather({
      docs: scripted([
        [
          ['/a', 5],
          ['/b', 3],
        ],
        [['/a', 5]],
      ]),
      trend: 2,
    })
    expect((await findings).moves).toBeUndefined()
  })

  it('is read on where pages are short though there is more', async () => {
    const { asked, findings } = await gather({ docs: scripted([[['/a', 1]], [['/b', 1]]]) })
    expect(asked.at(-1)).toContain('250@250')
    expect(await findings).toMatchObject({ complete: true, rows: 2, gaps: [] })
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
    expect(await (await gather({ docs })).findings).toMatchObject({ totals: { total: 3 }, complete: true })
  })
})
