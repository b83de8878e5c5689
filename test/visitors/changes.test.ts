import { expect, it } from 'vitest'
import { compareWithUsual, findUnusualPages } from '../../src/visitors/visitors.ts'
import { page, QUIET } from './samples.ts'

it.each([
  [[1000, 1000, 1000], 1030, 'usual'],
  [[1000, 1000, 1000], 1031, 'highest'],
  [[1000, 1000, 1000], 970, 'usual'],
  [[1000, 1000, 1000], 969, 'lowest'],
  [[900, 1100, 1000], 872, 'lowest'],
  [[0, 5, 5], 0, 'usual'],
  [[1000, 1000], 5, undefined],
])(
  'after %j have %i as %s: the ends of three periods and 3%% beyond are usual',
  (earlier, value, position) => {
    expect(compareWithUsual([...earlier, value])?.position).toBe(position)
  },
)

/** Pages by their visitors in two weeks, such as `/a 100→120 /b 0→5`. */
const pagesOf = (weeks: string) =>
  [...weeks.matchAll(/(\S+) (\d+)→(\d+)/g)].map(([, path = '', previous, total]) => {
    return { ...page(path, Number(total)), previous: Number(previous) }
  })

/** Other pages of a site, of 100 visitors each, and then these. */
const site = (even: number, odd = even) =>
  QUIET.map(({ path }, index) => `${path} 100→${index % 2 === 0 ? even : odd}`).join(' ')

it.each([
  [
    'is three times what counting explains, of a large page',
    site(100),
    '/a 10000→10440 /b 10000→10400 /c 10000→9560 /d 10000→9600',
    '+/a -/c',
  ],
  ['is more than that, of a small page', site(100), '/a 12→38 /b 12→37', '+/a'],
  ['is no page that only one of the weeks has', site(100), '/gone 900→0 /new 0→900', ''],
  ['is ten visitors or more', site(20), '/few 2→11 /ten 2→12', '+/ten'],
  [
    'is judged beside the change of the whole site, in the same direction',
    site(200),
    '/a 1000→2000 /b 1000→900 /c 1000→1100 /d 1000→3000',
    '+/d -/b',
  ],
  ['is judged by the spread that the pages of the site show', site(140, 70), '/a 1000→1300', ''],
  ['comes with the largest change first', site(100), '/c 1000→1500 /d 1000→1600', '+/d +/c'],
  ['is nothing on a site with one page', '', '/ 100→900', ''],
])('a page change %s', (_rule, others, weeks, expected) => {
  const { up, down } = findUnusualPages(pagesOf(`${others} ${weeks}`))
  const shown = [...up.map(({ path }) => `+${path}`), ...down.map(({ path }) => `-${path}`)]
  expect(shown.join(' ')).toBe(expected)
})
