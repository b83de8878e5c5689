import { DURATION_FORMAT, parseDuration } from '../lib/duration.ts'
import { isPrivateTransport } from '../lib/loopback.ts'
import type { InputFormat } from './reader.ts'

/** `true` or `false` as YAML 1.2's core schema spells them. */
export const BOOLEAN: InputFormat<boolean> = {
  parse(text) {
    if (/^(?:true|True|TRUE)$/.test(text)) return true
    if (/^(?:false|False|FALSE)$/.test(text)) return false
    throw new RangeError('is not a boolean')
  },
  accepted: 'true or false',
}

/** A duration of at least `leastMs` milliseconds; the value is in milliseconds. */
export function duration(leastMs = 1): InputFormat<number> {
  return {
    parse(text) {
      const ms = parseDuration(text)
      if (ms < leastMs) throw new RangeError(`is shorter than ${leastMs}ms`)
      return ms
    },
    accepted: DURATION_FORMAT,
  }
}

/** A whole number within limits. */
export function integer(least: number, most: number): InputFormat<number> {
  return {
    parse(text) {
      const value = Number(text)
      if (!/^[+-]?\d+$/.test(text)) throw new RangeError('is not a whole number')
      if (value < least || value > most) throw new RangeError('is out of range')
      return value
    },
    accepted: `a whole number from ${least} to ${most}`,
  }
}

/** One of some words. */
export function oneOf<const T extends string>(words: readonly T[]): InputFormat<T> {
  return {
    parse(text) {
      const word = words.find((candidate) => candidate === text)
      if (word === undefined) throw new RangeError('is not a known word')
      return word
    },
    accepted: words.join(', '),
  }
}

/** Any of some words, or `none` alone. */
export function anyOf<const T extends string>(words: readonly T[]): InputFormat<ReadonlySet<T>> {
  const word = oneOf(words)
  return {
    parse(text) {
      const given = splitList(text)
      if (given.length === 1 && given[0] === 'none') return new Set()
      if (given.includes('none')) throw new RangeError('holds "none" beside other words')
      if (given.length === 0) throw new RangeError('holds no word')
      return new Set(given.map(word.parse))
    },
    accepted: `any of ${word.accepted}, or none alone`,
  }
}

/** The entries of a list that is separated by commas or line breaks. */
export function splitList(text: string): string[] {
  return text
    .split(/[,\n\r]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** The entries of a list with one entry a line. */
export function splitLines(text: string): string[] {
  return text
    .split(/\r?\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** The address of a service: https, or http to this machine; a path is allowed, all else is not. */
export const BASE_URL: InputFormat<URL> = {
  parse(text) {
    const url = URL.parse(text)
    if (url === null || !/^https?:$/.test(url.protocol)) throw new RangeError('is not a web address')
    if (!isPrivateTransport(url)) throw new RangeError('would send the key unencrypted')
    if (url.username !== '' || url.password !== '') throw new RangeError('holds a user name or password')
    if (url.search !== '' || /[?#]/.test(text)) throw new RangeError('holds a query or fragment')
    return url
  },
  accepted:
    'an https URL without credentials, query or fragment; http only for localhost, *.localhost, 127.0.0.0/8 and [::1]',
}

// All but the printable ones, by their codes: a set of Unicode's is slow to build.
const CONTROL_CHARACTER = /[^ -~\u00A0-\uFFFF]/

/** Something that becomes one segment of a URL's path. */
export const PATH_SEGMENT: InputFormat<string> = {
  parse(text) {
    if (text === '.' || text === '..') throw new RangeError('would change the path of the request')
    if (CONTROL_CHARACTER.test(text) || !text.isWellFormed()) throw new RangeError('holds control characters')
    return text
  },
  accepted: 'an id as the service gives it',
}
