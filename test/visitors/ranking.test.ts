import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byText, openRanking } from '../../src/visitors/ranking.ts'

type Page = { readonly path: string; readonly total: number }

function byTotal(left: Page, right: Page): number {
  return right.total - left.total || byText(left.path, right.path)
}

function ranked(pages: readonly Page[], most: number): Page[] {
  const ranking = openRanking(byTotal, most)
  for (const page of pages) ranking.add(page)
  return ranking.first(most)
}

/** What a sort of all pages gives, the later row of each counting. */
function sorted(pages: readonly Page[], most: number): Page[] {
  return [...new Map(pages.map((page) => [page.path, page])).values()].sort(byTotal).slice(0, most)
}

const pages = fc.array(
  fc.record({ path: fc.string({ unit: 'grapheme', maxLength: 3 }), total: fc.integer({ min: 0, max: 9 }) }),
  { maxLength: 300 },
)

describe('a ranking', () => {
  it('is what a plain sort gives, ties and repeated pages included', () => {
    fc.assert(
      fc.property(pages, fc.integer({ min: 1, max: 100 }), (rows, most) => {
        expect(ranked(rows, most)).toEqual(sorted(rows, most))
      }),
    )
  })

  it('is so for far more pages than it keeps', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 100 }), (seed, most) => {
        const rows = Array.from({ length: 20_000 }, (_, index) => ({
          path: `/p${index}`,
          total: (Math.imul(index + seed, 2654435761) >>> 12) % 5000,
        }))
        expect(ranked(rows, most)).toEqual(sorted(rows, most))
      }),
      { numRuns: 10 },
    )
  })

  it('is the beginning of the true order even if most of what it kept was taken back', () => {
    const first = Array.from({ length: 5000 }, (_, index) => ({ path: `/p${index}`, total: 10_000 - index }))
    const again = first.slice(0, 4000).map(({ path }) => ({ path, total: 1 }))
    const found = ranked([...first, ...again], 10)
    expect(found).toEqual(sorted([...first, ...again], 10).slice(0, found.length))
  })
})
