import { describe, expect, it } from 'vitest'
import { findMissed, type MissedItem, wilson } from '../../src/readers/signals.ts'
import type { Question, Rating, Search } from '../../src/service/analytics.ts'
import { PublicName } from '../../src/service/public-name.ts'
import { Dice } from './simulation.ts'

const path = (text: string): PublicName | undefined => PublicName.ofPath(text)
const rating = (page: string, down: number, votes: number): Rating => ({
  page: path(page),
  up: votes - down,
  down,
})
const search = (term: string, hits: number, clickRate: number): Search => ({
  term: PublicName.ofSearch(term),
  hits,
  clickRate,
})
const question = (page: string | undefined, day: number, isAnswered = false, category = ''): Question => ({
  day: `2026-07-${String(day).padStart(2, '0')}`,
  isAnswered,
  page: page === undefined ? undefined : path(page),
  category: PublicName.ofCategory(category),
})

type Sources = {
  readonly ratings?: readonly Rating[]
  readonly searches?: readonly Search[]
  readonly questions?: readonly Question[]
}

/** What is found, as `rating /page 14/21`. */
function found(sources: Sources): string[] {
  const items = findMissed({ ratings: [], searches: [], questions: [], ...sources })
  const shown = (item: MissedItem): string =>
    item.map(({ kind, name, count, of }) => `${kind} ${name?.text ?? '?'} ${count}/${of}`).join(' + ')
  return items.map(shown)
}

/** Ratings of a site that 30 of 100 find bad, beside those that a test is about. */
const USUAL_RATINGS = Array.from({ length: 30 }, (_, index) => rating(`/usual/${index}`, 3, 10))
const USUAL_SEARCHES = Array.from({ length: 30 }, () => search('usual', 100, 0.6))

describe('the interval of a share', () => {
  // Figures of Wilson's own formula, worked out by hand and by R's prop.test without its correction.
  it.each([
    [0, 10, 1.96, 0, 0.2775],
    [5, 10, 1.96, 0.2366, 0.7634],
    [14, 21, 2.576, 0.3922, 0.8611],
    [10, 10, 1.96, 0.7225, 1],
  ])('of %i of %i at %d standard errors is %d to %d', (cases, of, z, low, high) => {
    const interval = wilson(cases, of, z)
    expect(interval.low).toBeCloseTo(low, 4)
    expect(interval.high).toBeCloseTo(high, 4)
  })
})

describe('a badly rated page', () => {
  it('has a share of votes against it that is surely above that of the site', () => {
    const ratings = [...USUAL_RATINGS, rating('/bad', 14, 21), rating('/perhaps', 12, 21)]
    expect(found({ ratings })).toEqual(['rating /bad 14/21'])
  })

  it('has five votes, and three against it', () => {
    const loved = Array.from({ length: 100 }, (_, index) => rating(`/loved/${index}`, 0, 50))
    const few = [rating('/five', 3, 5), rating('/four', 4, 4), rating('/two', 2, 5)]
    expect(found({ ratings: [...loved, ...few] })).toEqual(['rating /five 3/5'])
  })
})

describe('a search in vain', () => {
  it('surely leads to a click less than half as often as those of the site', () => {
    const searches = [...USUAL_SEARCHES, search('export csv', 38, 1 / 38), search('perhaps', 38, 6 / 38)]
    expect(found({ searches })).toEqual(['search export csv 37/38'])
  })

  it('was made five times', () => {
    const clicked = Array.from({ length: 30 }, () => search('usual', 100, 1))
    const few = [search('five', 5, 0), search('four', 4, 0)]
    expect(found({ searches: [...clicked, ...few] })).toEqual(['search five 5/5'])
  })

  it('keeps its text to itself where that is not plain', () => {
    expect(found({ searches: [...USUAL_SEARCHES, search('mail me at a@b.example', 40, 0)] })).toEqual([
      'search ? 40/40',
    ])
  })
})

describe('questions without an answer', () => {
  it('are three on two days, by page', () => {
    const questions = [
      ...[1, 1, 2].map((day) => question('/three', day)),
      ...[3, 3, 3].map((day) => question('/one-day', day)),
      ...[4, 5].map((day) => question('/two', day)),
      question('/three', 6, true),
    ]
    expect(found({ questions })).toEqual(['question /three 3/4'])
  })

  it('count by category where they name no page', () => {
    const questions = [
      ...[1, 2, 3, 4].map((day) => question(undefined, day, false, 'API & SDKs')),
      ...[1, 2, 3].map((day) => question(undefined, day)),
      question('/a', 5, false, 'API & SDKs'),
    ]
    expect(found({ questions })).toEqual(['question API & SDKs 4/4'])
  })
})

describe('what readers missed', () => {
  it('is told with the most readers first, a page that two kinds name once', () => {
    const items = findMissed({
      ratings: [...USUAL_RATINGS, rating('/both', 14, 21), rating('/bad', 15, 20)],
      searches: [...USUAL_SEARCHES, search('export csv', 18, 0)],
      questions: [1, 2, 3, 4].map((day) => question('/both', day)).concat(question('/b', 5, true)),
    })
    const shown = items.map((item) => item.map(({ kind, count }) => `${kind} ${count}`))
    expect(shown).toEqual([['rating 14', 'question 4'], ['search 18'], ['rating 15']])
    expect(items[0]?.[0]).toMatchObject({ rate: 14 / 21, siteRate: 119 / 341 })
    expect(items[0]?.[1]).toMatchObject({ rate: 1, siteRate: 4 / 5 })
    expect(items[1]?.[0]).toMatchObject({ rate: 0, siteRate: 1800 / 3018 })
  })

  it('names 25 items at most', () => {
    const bad = Array.from({ length: 40 }, (_, index) => rating(`/bad/${index}`, 20, 20))
    const good = Array.from({ length: 400 }, (_, index) => rating(`/good/${index}`, 0, 20))
    expect(found({ ratings: [...bad, ...good] })).toHaveLength(25)
  })

  it('is nothing of nothing', () => {
    expect(found({})).toEqual([])
    expect(found({ ratings: [rating('/', 0, 0)], searches: [search('a', 0, 0)] })).toEqual([])
  })
})

/** Four weeks of a site of which all pages and searches are alike, but for five of each kind, if `planted`. */
function simulatedSources(pages: number, dice: Dice, planted: boolean): Required<Sources> {
  const isBad = (index: number): boolean => planted && index < 5
  return {
    ratings: Array.from({ length: Math.min(100, pages / 3) }, (_, index) => {
      const votes = isBad(index) ? 20 : dice.poisson(4 * Math.exp(dice.normal()))
      return rating(`/rated/${index}`, dice.binomial(votes, isBad(index) ? 0.7 : 0.3), votes)
    }),
    searches: Array.from({ length: 100 }, (_, index) => {
      const hits = dice.poisson(isBad(index) ? 40 : pages / (3 + index / 4)) + 1
      const clicks = dice.binomial(hits, isBad(index) ? 0.05 : 0.6)
      const letter = String.fromCharCode(97 + (index % 26))
      return search(`term ${letter.repeat(1 + index / 26)}`, hits, clicks / hits)
    }),
    questions: [
      ...Array.from({ length: dice.poisson(pages / 3) }, () => {
        const page = `/asked/${Math.floor(pages * dice.roll())}`
        return question(page, 1 + Math.floor(28 * dice.roll()), dice.roll() < 0.85)
      }),
      ...(planted ? [0, 1, 2, 3, 4] : []).flatMap((index) =>
        Array.from({ length: 5 }, (_, day) => question(`/stuck/${index}`, 1 + 5 * day, dice.roll() < 0.2)),
      ),
    ],
  }
}

describe('simulated months', () => {
  it.each([300, 1000])('of %i pages name half a thing that is none at most, and find 3 of 5', (pages) => {
    const dice = new Dice(pages)
    const months = 100
    let falseLines = 0
    const hits = { rating: 0, search: 0, question: 0 }
    for (let month = 0; month < months; month++) {
      falseLines += findMissed(simulatedSources(pages, dice, false)).length
      const planted = findMissed(simulatedSources(pages, dice, true)).flat()
      for (const { kind, name } of planted) {
        if (/^\/(?:rated|stuck)\/[0-4]$|^term [a-e]$/.test(name?.text ?? '')) hits[kind] += 1
      }
    }
    expect(falseLines / months).toBeLessThanOrEqual(0.5)
    for (const count of Object.values(hits)) expect(count / months).toBeGreaterThanOrEqual(3)
  })
})
