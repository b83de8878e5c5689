import { expect, it } from 'vitest'
import { findSignals } from '../../src/readers/signals.ts'
import { publicPath, publicSearch, type Question } from '../../src/service/analytics.ts'

const none = (text: string): string => text
const rating = (path: string, down: number, votes: number) => {
  return { name: publicPath(path, none), up: votes - down, down }
}
const search = (term: string, hits: number, clickRate: number) => {
  return { name: publicSearch(term, none), hits, clickRate }
}
/** Questions on these days of a month, none of them answered. */
const asked = (path: string | undefined, days: number[], isAnswered = false): Question[] => {
  const name = path === undefined ? undefined : publicPath(path, none)
  return days.map((day) => ({ name, day: `2026-07-${day}`, isAnswered }))
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
/** A site whose every page is loved, and whose every search is clicked. */
const LOVED = many(100, (index) => rating(`/loved/${index}`, 0, 50))
const CLICKED = many(30, () => search('usual', 100, 1))

it.each<[string, Parameters<typeof findSignals>, string[]]>([
  [
    'a page with more votes against it than chance explains, by the site',
    [[...USUAL_RATINGS, rating('/bad', 14, 21), rating('/perhaps', 23, 45)], [], []],
    ['rating /bad 14/21'],
  ],
  [
    'a page with five votes or more, three or more against it',
    [[...LOVED, rating('/five', 3, 5), rating('/four', 4, 4), rating('/two', 2, 5)], [], []],
    ['rating /five 3/5'],
  ],
  [
    'a search that leads to a click less than half as often as the site, beyond chance',
    [[], [...USUAL_SEARCHES, search('vain', 38, 1 / 38), search('perhaps', 38, 6 / 38)], []],
    ['search vain 37/38'],
  ],
  [
    'a search of five or more',
    [[], [...CLICKED, search('five', 5, 0), search('four', 4, 0)], []],
    ['search five 5/5'],
  ],
  [
    'a search that is withheld',
    [[], [...USUAL_SEARCHES, search('mail me at a@b.example', 40, 0)], []],
    ['search ? 40/40'],
  ],
  [
    'three questions without an answer on two days',
    [[], [], [...asked('/a', [1, 1, 2]), ...asked('/a', [6], true), ...asked('/b', [3, 3, 3])]],
    ['question /a 3/4'],
  ],
  [
    'no two questions, and none that have no name',
    [[], [], [...asked('/a', [4, 5]), ...asked(undefined, [1, 2, 3])]],
    [],
  ],
  ['nothing of nothing', [[], [], []], []],
  ['nothing of zeros', [[rating('/', 0, 0)], [search('a', 0, 0)], []], []],
])('readers miss %s', (_what, sources, expected) => {
  expect(found(...sources)).toEqual(expected)
})

it('what readers missed has the most readers first, and a page that two kinds name once', () => {
  const items = findSignals(
    [...USUAL_RATINGS, rating('/both', 14, 21), rating('/bad', 15, 20)],
    [...USUAL_SEARCHES, search('export csv', 18, 0)],
    [...asked('/both', [1, 2, 3, 4]), ...asked('/b', [5], true)],
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

it('what readers missed has 25 items at most', () => {
  const bad = many(40, (index) => rating(`/bad/${index}`, 20, 20))
  const good = many(400, (index) => rating(`/good/${index}`, 0, 20))
  expect(found([...bad, ...good], [], [])).toHaveLength(25)
})
