import { isPrivateTransport } from '../lib/http.ts'
import { DURATION_FORMAT, parseDuration } from '../lib/time.ts'

/** How the text of an input is understood. */
export type InputFormat<T> = {
  /** Reads a text that is not empty. Throws a `RangeError` with the problem, to follow the input's name. */
  readonly parse: (text: string) => T
  /** What is accepted, to follow "accepted:"; empty where the problem says it. */
  readonly accepted: string
}

export const TEXT: InputFormat<string> = { parse: (text) => text, accepted: '' }

/** `true` or `false` as YAML 1.2's core schema spells them. */
export const BOOLEAN: InputFormat<boolean> = {
  parse(text) {
    if (/^(?:true|True|TRUE)$/.test(text)) return true
    if (/^(?:false|False|FALSE)$/.test(text)) return false
    throw new RangeError('is not a boolean')
  },
  accepted: 'true or false',
}

/** A duration of at least `minimumMs`; the value is in milliseconds. */
export function duration(minimumMs = 1): InputFormat<number> {
  return {
    parse(text) {
      const ms = parseDuration(text)
      if (ms < minimumMs) throw new RangeError(`is shorter than ${minimumMs}ms`)
      return ms
    },
    accepted: DURATION_FORMAT,
  }
}

/** A whole number within limits, both included. */
export function integer(minimum: number, maximum: number): InputFormat<number> {
  return {
    parse(text) {
      const value = Number(text)
      if (!/^[+-]?\d+$/.test(text)) throw new RangeError('is not a whole number')
      if (value < minimum || value > maximum) throw new RangeError('is out of range')
      return value
    },
    accepted: `a whole number from ${minimum} to ${maximum}`,
  }
}

export function oneOf<const T extends string>(words: readonly T[]): InputFormat<T> {
  return {
    parse(text) {
      const word = words.find((candidate) => candidate === text)
      if (word === undefined) throw new RangeError('is not one of the accepted words')
      return word
    },
    accepted: words.join(', '),
  }
}

/** Any of a few words, or `none` alone. */
export function anyOf<const T extends string>(words: readonly T[]): InputFormat<ReadonlySet<T>> {
  const isKnown = (word: string): word is T => words.some((known) => known === word)
  return {
    parse(text) {
      const given = splitList(text)
      if (given.length === 1 && given[0] === 'none') return new Set()
      const unknown = given.filter((word) => !isKnown(word) && word !== 'none')
      const quoted = unknown.map((word) => `"${word}"`)
      if (quoted.length > 0) throw new RangeError(`contains ${quoted.join(' and ')}`)
      if (given.includes('none')) throw new RangeError('combines "none" with other values')
      if (given.length === 0) throw new RangeError('contains no word')
      return new Set(given.filter(isKnown))
    },
    accepted: `any of ${words.join(', ')}, or none alone`,
  }
}

/** Logins, separated by commas or line breaks. */
export const LOGINS: InputFormat<readonly string[]> = {
  parse(text) {
    const logins = splitList(text)
    const invalid = logins.filter((login) => /[*?\s]/.test(login)).map((login) => `"${login}"`)
    if (invalid.length > 0) throw new RangeError(`contains an invalid login, ${invalid.join(' and ')}`)
    return logins
  },
  accepted: 'logins as GitHub shows them, such as renovate[bot], separated by commas; no wildcard',
}

/** Logins of bots: no wildcard, since nobody can say who will be called what. */
export const BOT_LOGINS: InputFormat<readonly string[]> = {
  ...LOGINS,
  accepted: 'logins of bots as GitHub shows them, such as renovate[bot], separated by commas; no wildcard',
}

export const LINES: InputFormat<readonly string[]> = {
  parse: (text) => text.split(/\r?\n|\r/).flatMap((line) => line.trim() || []),
  accepted: '',
}

export const COMMAND_WORD: InputFormat<string> = {
  parse(text) {
    if (/\s/.test(text)) throw new RangeError('contains white space')
    return text
  },
  accepted: 'one word, such as /docs, or nothing, so that no text is a command',
}

/** The address of a server: https, or http to this machine; a path is allowed, nothing else is. */
export const BASE_URL: InputFormat<URL> = {
  parse(text) {
    const url = URL.parse(text)
    if (url === null || !/^https?:$/.test(url.protocol)) {
      const looksLikeHost = /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/\S*)?$/.test(text)
      throw new RangeError(looksLikeHost ? `is not a URL; did you mean https://${text}?` : 'is not a URL')
    }
    if (!isPrivateTransport(url)) throw new RangeError('is not encrypted')
    if (url.username !== '' || url.password !== '') throw new RangeError('contains a user name or password')
    if (url.search !== '' || /[?#]/.test(text)) throw new RangeError('contains a query or fragment')
    return url
  },
  accepted:
    'an https URL without credentials, query or fragment; http only for localhost, *.localhost, 127.0.0.0/8 and [::1]',
}

/** An id that becomes one segment of a URL's path. */
export const PATH_SEGMENT: InputFormat<string> = {
  parse(text) {
    if (text === '.' || text === '..') throw new RangeError('would change the path of the request')
    if (/\p{Cc}/u.test(text) || !text.isWellFormed()) throw new RangeError('contains control characters')
    return text
  },
  accepted: 'an id as the service gives it',
}

/** An unknown prefix may be right: a server behind another `base-url` has its own. */
export const API_KEY: InputFormat<string> = {
  parse(key) {
    if (key !== key.trim()) throw new RangeError('has white space around it')
    if (/^["'`]|["'`]$/.test(key)) throw new RangeError('has quotes around it')
    // Source: the vendor's documentation (November 2026).
    if (key.startsWith('mint_dsc_')) throw new RangeError('is an assistant key (it starts with mint_dsc_)')
    if (key.startsWith('mint_us_')) throw new RangeError('is a search (index) key (it starts with mint_us_)')
    if (!isToken(key)) throw new RangeError('contains white space or characters that no API key has')
    return key
  },
  accepted: 'an admin API key of the docs service, from a secret of the repository',
}

/** What can't be sent as a token counts as none. */
export const GITHUB_TOKEN: InputFormat<string> = {
  parse: (text) => (isToken(text) ? text : ''),
  accepted: '',
}

/** Whether a header can carry a text as a token (RFC 6750, 2.1, and whatever else does not end the header). */
function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text)
}

/** A moment that bounds a period. */
export type PeriodDate = {
  /** Milliseconds since the Unix epoch. */
  readonly ms: number
  /** As the service is sent it: YYYY-MM-DD, or what the user gave. */
  readonly text: string
}

const ISO_8601 = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/

/** YYYY-MM-DD, its first moment in UTC; or ISO 8601 with a time, in UTC where there is no offset. */
export const DATE: InputFormat<PeriodDate> = {
  parse(text) {
    const [matched, day = '', offset] = ISO_8601.exec(text) ?? []
    if (matched === undefined) throw new RangeError('is not a date')
    const ms = Date.parse(text.includes('T') && offset === undefined ? `${text}Z` : text)
    // Date.parse takes 30 February for a day in March.
    const dayMs = Date.parse(day)
    const exists = !Number.isNaN(dayMs) && new Date(dayMs).toISOString().startsWith(day)
    if (!exists || Number.isNaN(ms)) throw new RangeError('is not a valid date')
    return { ms, text }
  },
  accepted: 'YYYY-MM-DD, or ISO 8601 such as 2026-07-27T00:00:00Z',
}

function splitList(text: string): string[] {
  return text.split(/[,\n\r]/).flatMap((entry) => entry.trim() || [])
}
