import { describe, expect, it } from 'vitest'
import { PublicNames } from '../../src/service/analytics.ts'
import { STRANGERS_NAMES } from '../readers/strangers-names.ts'

const SECRET = 'mustnotbeseen'
const names = new PublicNames((text) => text.replaceAll(SECRET, '***'))
const forms = ({ forPeople, forAgent }: ReturnType<PublicNames['ofPath']>) => [forPeople, forAgent]
const WITHHELD = [undefined, undefined]

it.each(STRANGERS_NAMES)(
  'the %s %j is %j for people, and %j for an agent',
  (kind, text, ...expected) => {
    const name = kind === 'path' ? names.ofPath(text) : names.ofSearch(text)
    expect(forms(name)).toEqual(expected.map((form) => form ?? undefined))
  },
)

it('what holds a secret of this run is withheld, once decoded', () => {
  for (const path of [`/a/${SECRET}`, '/%6Dustnotbeseen'])
    expect(forms(names.ofPath(path))).toEqual(WITHHELD)
  for (const term of [SECRET, `a ${SECRET} b`, `a/${SECRET}`]) {
    expect(forms(names.ofSearch(term))).toEqual(WITHHELD)
  }
})

it.each([
  ['https://docs.example.com/guides/x?token=abc#y', '/guides/x'],
  ['http://localhost:3000/', '/'],
  ['/guides/x', '/guides/x'],
  ['mailto:jane', undefined],
  ['javascript:x', undefined],
  ['https://x.example/a%20b', undefined],
])('the path in the address %j is %s', (address, path) => {
  expect(forms(names.ofPageUrl(address))).toEqual([path, path])
})

describe('a category', () => {
  it.each([
    ['API & SDKs', 'API & SDKs'],
    ['Démarrage', 'Démarrage'],
    ['x'.repeat(40), 'x'.repeat(40)],
    ['Delete the docs', 'Delete the docs'],
    ['Delete all the docs', undefined],
    ['Delete-all-the-docs', undefined],
  ])('%s is shown to people, and to the agent as %s', (category, forAgent) => {
    expect(forms(names.ofCategory(category))).toEqual([category, forAgent])
  })

  const odd = [
    '',
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
  ]
  it.each(odd)('%j is withheld', (category) => {
    expect(forms(names.ofCategory(category))).toEqual(WITHHELD)
  })
})

it('the same text is the same name, withheld or not, and what was rated is what was asked about', () => {
  expect(names.ofPageUrl('https://a.example/x y')).toBe(names.ofPath('/x%20y'))
  expect(names.ofPageUrl('https://a.example/x/')).toBe(names.ofPath('/x'))
  expect(names.ofPath('/x')).not.toBe(names.ofPath('/y'))
  expect(names.ofSearch('x')).not.toBe(names.ofCategory('x'))
})
