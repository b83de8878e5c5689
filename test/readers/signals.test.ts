import { describe, expect, it } from 'vitest'
import { findSignals } from '../../src/readers/signals.ts'
import { PublicNames } from '../../src/service/analytics.ts'

const names = new PublicNames((text) => text)
const rating = (page: string, down: number, votes: number) => {
  return { page: names.ofPath(page), up: votes - down, down }
}
const search = (term: string, hits: number, clickRate: number) => {
  return { term: names.ofSearch(term), hits, clickRate }
}
const question = (page: string, day: number, isAnswered = false, category = '') => {
  const about = {
    page: page === '' ? undefined : names.ofPath(page),
    category: category === '' ? undefined : names.ofCategory(category),
  }
  return { ...about, day: `2026-07-${day}`, isAnswered }
}

function many<T>(count: number, of: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => of(index))
}

/** What is found, as `rating /page 14/21`. */
function found(...sources: Parameters<typeof findSignals>): string[] {
  const shown = findSignals(...sources).flatMap(({ signals }) => signals)
  return shown.map(({ kind, name, count, of }) => `${kind} ${name.forPeople ?? '?'} ${count}/${of}`)
}

/** Ratings of a site that 30 of 100 find bad, beside those that a test is about; searches of which 60 of 100 lead on. */
const USUAL_RATINGS = many(30, (index) => rating(`/usual/${index}`, 3, 10))
const USUAL_SEARCHES = many(30, () => search('usual', 100, 0.6))

describe('what readers missed', () => {
  it('is a page with surely more votes against it than the site has, of five or more, three against it', () => {
    const bad = [rating('/bad', 14, 21), rating('/perhaps', 23, 45)]
    expect(found([...USUAL_RATINGS, ...bad], [], [])).toEqual(['rating /bad 14/21'])
    const loved = many(100, (index) => rating(`/loved/${index}`, 0, 50))
    const few = [rating('/five', 3, 5), rating('/four', 4, 4), rating('/two', 2, 5)]
    expect(found([...loved, ...few], [], [])).toEqual(['rating /five 3/5'])
  })

  it('is a search that surely leads to a click less than half as often as those of the site, of five or more', () => {
    const vain = [search('export csv', 38, 1 / 38), search('perhaps', 38, 6 / 38)]
    expect(found([], [...USUAL_SEARCHES, ...vain], [])).toEqual(['search export csv 37/38'])
    const clicked = many(30, () => search('usual', 100, 1))
    const few = [search('five', 5, 0), search('four', 4, 0)]
    expect(found([], [...clicked, ...few], [])).toEqual(['search five 5/5'])
    const secret = search('mail me at a@b.example', 40, 0)
    expect(found([], [...USUAL_SEARCHES, secret], [])).toEqual(['search ? 40/40'])
  })

  it('is three questions without an answer on two days, by page, or by category where they name none', () => {
    const asked = (days: number[], page: string, category = '') =>
      days.map((day) => question(page, day, false, category))
    const pages = [asked([1, 1, 2], '/three'), asked([3, 3, 3], '/one-day'), asked([4, 5], '/two')]
    expect(found([], [], [...pages.flat(), question('/three', 6, true)])).toEqual([
      'question /three 3/4',
    ])
    const sdks = 'API & SDKs'
    const secret = asked([1, 2, 3], '/a b', sdks)
    expect(found([], [], secret)).toEqual(['question ? 3/3'])
    const categories = [asked([1, 2, 3, 4], '', sdks), asked([1, 2, 3], ''), asked([5], '/a', sdks)]
    expect(found([], [], categories.flat())).toEqual(['question API & SDKs 4/4'])
  })

  it('is nothing of nothing', () => {
    expect(found([], [], [])).toEqual([])
    expect(found([rating('/', 0, 0)], [search('a', 0, 0)], [])).toEqual([])
  })

  it('is told with the most readers first, a page that two kinds name once', () => {
    const items = findSignals(
      [...USUAL_RATINGS, rating('/both', 14, 21), rating('/bad', 15, 20)],
      [...USUAL_SEARCHES, search('export csv', 18, 0)],
      [...[1, 2, 3, 4].map((day) => question('/both', day)), question('/b', 5, true)],
    )
    expect(items.map(({ signals }) => signals)).toMatchObject([
      [
        { kind: 'rating', count: 14, of: 21, siteShare: 119 / 341 },
        { kind: 'question', count: 4, of: 4, siteShare: 4 / 5 },
      ],
      [{ kind: 'search', count: 18, of: 18, siteShare: 1 - 1800 / 3018 }],
      [{ kind: 'rating', count: 15, of: 20 }],
    ])
  })

  it('names 25 items at most', () => {
    const bad = many(40, (index) => rating(`/bad/${index}`, 20, 20))
    const good = many(400, (index) => rating(`/good/${index}`, 0, 20))
    expect(found([...bad, ...good], [], [])).toHaveLength(25)
  })
})
