import { describe, expect, it } from 'vitest'
import { anyOf, BOOLEAN, duration, integer, oneOf, splitLines, splitList } from '../../src/inputs/formats.ts'
import { InputsError, openInputs } from '../../src/inputs/reader.ts'

function read(value: string | undefined) {
  const inputs = new Map(value === undefined ? [] : [['x', value]])
  return openInputs(inputs, (text) => text.replaceAll('key', '***'))
}

describe('booleans are those of YAML 1.2', () => {
  it.each([
    ['true', true],
    ['True', true],
    ['TRUE', true],
    ['false', false],
    ['False', false],
    ['FALSE', false],
    ['', true],
    [undefined, true],
  ])('%j is %s', (value, expected) => {
    expect(read(value).value('x', BOOLEAN, 'true')).toBe(expected)
  })

  it.each(['yes', 'on', '1', 'tRUE', 'null', '~', 'y'])('%j is refused', (value) => {
    const reader = read(value)
    reader.value('x', BOOLEAN, 'true')
    expect(reader.problems).toEqual([
      { input: 'x', problem: `("${value}") is not a boolean`, accepted: 'true or false' },
    ])
  })
})

describe('other formats', () => {
  it.each([
    ['a number', integer(1, 366), '7', 7],
    ['a word', oneOf(['auto', 'never']), 'never', 'never'],
    ['a duration', duration(100), '100ms', 100],
    ['any of some words', anyOf(['a', 'b']), 'b,\n a', new Set(['b', 'a'])],
    ['none', anyOf(['a', 'b']), 'none', new Set()],
  ])('%s is read', (_what, format, value, expected) => {
    expect(read(value).optional<unknown>('x', format)).toEqual(expected)
  })

  it.each([
    ['out of range', integer(1, 366), '367'],
    ['a fraction', integer(1, 366), '1.5'],
    ['hexadecimal', integer(1, 366), '0x10'],
    ['another case', oneOf(['auto', 'never']), 'Auto'],
    ['too short', duration(100), '99ms'],
    ['none beside others', anyOf(['a', 'b']), 'none, a'],
    ['only separators', anyOf(['a', 'b']), ', ,'],
    ['an unknown word', anyOf(['a', 'b']), 'a, c'],
  ])('%s is refused', (_what, format, value) => {
    const reader = read(value)
    expect(reader.optional<unknown>('x', format)).toBeUndefined()
    expect(reader.problems).toHaveLength(1)
  })
})

describe('problems', () => {
  it('are all in one error, without secrets, passwords or line breaks', () => {
    const reader = read('a key\nhttps://me:secret@host')
    reader.optional('x', BOOLEAN)
    reader.report({ input: 'y', problem: 'is missing', accepted: '' })
    expect(new InputsError(reader.problems).message).toBe(
      '2 inputs are wrong, so nothing was sent:\n- x ("a *** https://***@host") is not a boolean; accepted: true or false.\n- y is missing.',
    )
  })

  it('quote no more than a bit of a long value', () => {
    const reader = read('z'.repeat(5000))
    reader.optional('x', BOOLEAN)
    expect(reader.problems[0]?.problem.length).toBeLessThan(200)
  })
})

it('lists are split at commas and lines, or at lines alone', () => {
  expect(splitList(' a, b\nc,,\r\n d ')).toEqual(['a', 'b', 'c', 'd'])
  expect(splitLines(' a, b\n\nc\r\n')).toEqual(['a, b', 'c'])
})
