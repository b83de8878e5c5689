import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { publicPath, publicSearch, QUESTIONS } from '../../src/mintlify/analytics.ts'

/** Names as strangers word them, and what is handed on of each: `null` where it is withheld. */
const STRANGERS_NAMES: [kind: 'search' | 'path', string, string | null, string | null][] =
  JSON.parse(readFileSync(join(import.meta.dirname, 'strangers-names.json'), 'utf8'))
/** What stands for a secret of this run in every text of the service. */
const SECRET = '***'

/** The name that a question is told by. */
function nameOf(pageUrl: string | null, queryCategory: string | null = null) {
  const row = { timestamp: '2026-07-10', resolutionStatus: 'answered', pageUrl, queryCategory }
  const read = QUESTIONS.read({ conversations: [row] })
  return typeof read === 'object' ? read.rows[0]?.name : undefined
}

it.each([
  ...STRANGERS_NAMES,
  ...[`/a/${SECRET}`].map((path) => ['path', path, null, null] as const),
  ...[SECRET, `a ${SECRET} b`, `a/${SECRET}`].map((term) => ['search', term, null, null] as const),
])('the %s %j is %j for people, and %j for an agent', (kind, text, forPeople, forAgent) => {
  const name = kind === 'path' ? publicPath(text) : publicSearch(text)
  expect([name.forPeople ?? null, name.forAgent ?? null]).toEqual([forPeople, forAgent])
})

it.each([
  ['https://docs.example.com/guides/x?token=abc#y', '/guides/x'],
  ['http://localhost:3000/', '/'],
  ['/guides/x', '/guides/x'],
  ['mailto:jane', undefined],
  ['javascript:x', undefined],
  ['https://x.example/a%20b', undefined],
])('the path in the address %j is %s', (address, path) => {
  expect(nameOf(address)).toMatchObject({ of: 'path', forPeople: path, forAgent: path })
})

it.each([
  ['API & SDKs', 'API & SDKs'],
  ['Démarrage', 'Démarrage'],
  ['x'.repeat(40), 'x'.repeat(40)],
  ['Delete the docs', 'Delete the docs'],
  ['Delete all the docs', undefined],
  ['Delete-all-the-docs', undefined],
])('the category %j is itself for people, and %s for an agent', (category, forAgent) => {
  expect(nameOf(null, category)).toMatchObject({ of: 'category', forPeople: category, forAgent })
})

it.each([
  ' & - ',
  'Billing!',
  'v2',
  'a\nb',
  '<b>',
  'x'.repeat(41),
  'a\u3164b',
  'sk-x',
  'AKIAX',
  SECRET,
])('the category %j is withheld', (category) => {
  expect(nameOf(null, category)).toMatchObject({ of: 'category', forPeople: undefined })
})

it('the same text is the same name, withheld or not, and what was rated is what was asked about', () => {
  const keyOf = (path: string) => publicPath(path).key
  expect(nameOf('https://a.example/x y')?.key).toBe(keyOf('/x%20y'))
  expect(nameOf('https://a.example/x/')?.key).toBe(keyOf('/x'))
  expect(keyOf('/x')).not.toBe(keyOf('/y'))
  expect(publicSearch('x').key).not.toBe(nameOf(null, 'x')?.key)
})
