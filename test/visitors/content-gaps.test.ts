import { expect, it } from 'vitest'
import { publicPath, publicSearch, type Question } from '../../src/mintlify/analytics.ts'
import { findContentGaps } from '../../src/visitors/content-gaps.ts'

/** Names with a count and its whole, such as `/a 14/21 /b 1/9`. */
function countsIn(text: string) {
  return [...text.matchAll(/(\S+) (\d+)\/(\d+)/g)].map(([, name = '', count, of]) => {
    return { name, count: Number(count), of: Number(of) }
  })
}
/** Ratings, with their votes against the page. */
const ratings = (text: string) =>
  countsIn(text).map(({ name, count, of }) => {
    return { name: publicPath(name), up: of - count, down: count }
  })
/** Searches, with those without a click. */
const searches = (text: string) =>
  countsIn(text).map(({ name, count, of }) => {
    return { name: publicSearch(name), hits: of, clickRate: 1 - count / of }
  })
/** Questions on these days of a month. */
const asked = (
  path: string | undefined,
  days: number[],
  outcome: Question['outcome'] = 'unanswered',
): Question[] => {
  const name = path === undefined ? undefined : publicPath(path)
  return days.map((day) => ({ name, atMs: Date.UTC(2026, 6, day), outcome }))
}

/** What is found, in the same words. */
function found(...sources: Parameters<typeof findContentGaps>): string {
  return findContentGaps(...sources)
    .map(({ name, count, of }) => `${name.forPeople ?? '?'} ${count}/${of}`)
    .join(' ')
}

const many = (count: number, text: string): string =>
  Array.from({ length: count }, (_, index) => text.replace('*', `${index}`)).join(' ')
/** Sites with 30% and 0% negative ratings, and with 40% and 0% searches without a click. */
const RATED = many(30, '/usual/* 3/10')
const LOVED = many(100, '/loved/* 0/50')
const SEARCHED = many(30, 'usual 40/100')
const CLICKED = many(30, 'usual 0/100')

it.each([
  ['a page beyond chance', `${RATED} /bad 14/21 /perhaps 23/45`, '', '/bad 14/21'],
  ['five votes, three against', `${LOVED} /five 3/5 /four 4/4 /two 2/5`, '', '/five 3/5'],
  ['a search beyond chance', '', `${SEARCHED} vain 37/38 perhaps 32/38`, 'vain 37/38'],
  ['a page with and without a final slash', `${LOVED} /a 2/3 /a/ 1/2`, '', '/a 3/5'],
  ['five searches', '', `${CLICKED} five 5/5 four 4/4`, 'five 5/5'],
  ['a search that is withheld', '', `${SEARCHED} a@b.example 40/40`, '? 40/40'],
  ['nothing of zeros', '/ 0/0', 'a 0/0', ''],
])('a content gap is %s', (_what, rated, searched, expected) => {
  expect(found(ratings(rated), searches(searched), [])).toBe(expected)
})

it('a content gap is a page with three unanswered questions on two days', () => {
  const [three, oneDay] = [asked('/a', [1, 1, 2]), asked('/b', [3, 3, 3])]
  const all = [
    ...three,
    ...asked('/a', [6], 'answered'),
    ...asked('/a', [7, 8], 'clarifying'),
    ...oneDay,
    ...asked('/c', [4, 5]),
  ]
  expect(found([], [], [...all, ...asked(undefined, [1, 2, 3])])).toBe('/a 3/4')
})

it('content gaps have most readers first', () => {
  const gaps = findContentGaps(
    ratings(`${RATED} /both 14/21 /bad 15/20`),
    searches(`${SEARCHED} csv 18/18`),
    [...asked('/both', [1, 2, 3, 4]), ...asked('/b', [5], 'answered')],
  )
  expect(gaps).toMatchObject([
    { kind: 'search', count: 18, of: 18, siteShare: expect.closeTo(1 - 1800 / 3018) },
    { kind: 'rating', count: 15, of: 20, siteShare: 119 / 341 },
    { kind: 'rating', count: 14, of: 21 },
    { kind: 'question', count: 4, of: 4, siteShare: 4 / 5 },
  ])
})

it('content gaps have at most 25 items', () => {
  const rated = `${many(40, '/bad/* 20/20')} ${many(400, '/good/* 0/20')}`
  expect(findContentGaps(ratings(rated), [], [])).toHaveLength(25)
})
