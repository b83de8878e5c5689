import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration } from '../../src/lib/duration.ts'

describe('parseDuration', () => {
  it.each([
    ['250ms', 250],
    ['45s', 45_000],
    ['30m', 1_800_000],
    ['1h30m', 5_400_000],
    ['1h2m3s4ms', 3_723_004],
    ['90m', 5_400_000],
    ['1m500ms', 60_500],
  ])('reads %s as %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each([
    ['30', /no unit; did you mean 30s or 30m/],
    ['0s', /longer than zero/],
    ['0h0m', /longer than zero/],
    ['1.5h', /not a duration/],
    ['-1s', /not a duration/],
    ['1m1h', /not a duration/],
    ['1 h', /not a duration/],
    ['1H', /not a duration/],
    ['', /not a duration/],
    ['s', /not a duration/],
    ['PT1H', /not a duration/],
    ['9999h', /longer than 24 days/],
    ['99999999999999999999999h', /longer than 24 days/],
  ])('refuses %j', (text, problem) => {
    expect(() => parseDuration(text)).toThrow(problem)
  })
})

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [850, '850 ms'],
    [1000, '1 s'],
    [59_999, '59 s'],
    [185_000, '3 min 05 s'],
    [4_800_000, '1 h 20 min'],
  ])('says %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})
