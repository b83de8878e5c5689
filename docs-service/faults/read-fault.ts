import { type Fault, type FaultKind, NAMED_FAULTS } from './fault.ts'

type Check = { accepts: string; fits: (value: unknown) => boolean }
type Fields = Readonly<Record<string, Check>>

/** A fault, or what is wrong with the JSON that should have been one. */
export type FaultReading = { ok: true; fault: Fault } | { ok: false; problems: string[] }

const TEXT: Check = { accepts: 'a string', fits: (value) => typeof value === 'string' }
const FLAG: Check = { accepts: 'true or false', fits: (value) => typeof value === 'boolean' }
const COUNT: Check = { accepts: 'a whole number from 1', fits: (value) => isWhole(value, 1) }
const WHOLE: Check = { accepts: 'a whole number', fits: (value) => Number.isSafeInteger(value) }
const SIZE: Check = { accepts: 'a whole number from 0', fits: (value) => isWhole(value, 0) }
const ANYTHING: Check = { accepts: 'any JSON', fits: (value) => value !== undefined }
const STATUS: Check = {
  accepts: 'a status from 200 to 599',
  fits: (value) => isWhole(value, 200) && Number(value) < 600,
}
const HEADERS: Check = {
  accepts: 'an object of strings',
  fits: (value) => isObject(value) && Object.values(value).every(TEXT.fits),
}
const INTERIM: Check = {
  accepts: 'a status from 100 to 199, but not 101',
  fits: (value) => isWhole(value, 100) && Number(value) < 200 && value !== 101,
}
const ROWS: Check = { accepts: 'a list', fits: Array.isArray }
const END = oneOf('rst', 'fin')
const ENCODING = oneOf('identity', 'gzip', 'deflate', 'br')
const PACKED = oneOf('gzip', 'deflate', 'br')
const REDIRECT = oneOf(301, 302, 303, 307, 308)
const PATH: Check = {
  accepts: 'create, look, message, visitors, or a path that begins with /',
  fits: (value) => typeof value === 'string' && /^(?:create|look|message|visitors|\/.*)$/s.test(value),
}
const TIMES: Check = {
  accepts: 'a whole number from 1, or "always"',
  fits: (value) => value === 'always' || COUNT.fits(value),
}

const MATCH_FIELDS: Fields = { method: TEXT, path: PATH, nth: COUNT }

/** An answer in place of the real one. */
const IN_PLACE: Fields = {
  status: STATUS,
  body: ANYTHING,
  headers: HEADERS,
  contentType: TEXT,
  handled: FLAG,
}

/** Each kind, in the order of the README's table, with the fields it needs and those it may have. */
const KINDS: Readonly<Record<FaultKind, { needed?: Fields; allowed?: Fields }>> = {
  status: { needed: { status: STATUS }, allowed: IN_PLACE },
  delay: { needed: { ms: SIZE }, allowed: IN_PLACE },
  reset: { allowed: { end: END } },
  'reset-after': { allowed: { end: END } },
  truncate: { allowed: IN_PLACE },
  'truncate-clean': { allowed: IN_PLACE },
  'content-length': { needed: { by: WHOLE }, allowed: IN_PLACE },
  unreadable: { allowed: { encoding: PACKED, ...IN_PLACE } },
  interim: { allowed: { interim: INTERIM, ...IN_PLACE } },
  'close-after': { allowed: { ms: SIZE, end: END, ...IN_PLACE } },
  hang: {},
  'hang-after': {},
  drip: { needed: { ms: SIZE }, allowed: IN_PLACE },
  html: { allowed: { body: TEXT, handled: FLAG } },
  body: { needed: { body: ANYTHING }, allowed: { handled: FLAG } },
  'odd-visitors': { allowed: { decimals: FLAG, rows: ROWS } },
  huge: { allowed: { bytes: COUNT, encoding: ENCODING, handled: FLAG } },
  redirect: { needed: { location: TEXT }, allowed: { status: REDIRECT, handled: FLAG } },
  'echo-key': { allowed: { status: STATUS, handled: FLAG } },
}

/** The names of all kinds. */
export const FAULT_KINDS = Object.keys(KINDS).filter(isKind)

/**
 * Reads a fault: the name of one of {@link NAMED_FAULTS}, or the JSON of `POST /_faults`. Fields it does not know are
 * refused, as they are likely typos.
 */
export function readFault(value: unknown): FaultReading {
  if (typeof value === 'string') return namedFault(value)
  if (!isObject(value)) return { ok: false, problems: ['A fault is a name, or a JSON object with a "kind"'] }
  const { kind, match = {}, times = 1, ...effect } = value
  if (!isKind(kind)) return { ok: false, problems: [`kind: one of ${FAULT_KINDS.join(', ')}`] }
  const problems = [
    ...fieldProblems(effect, KINDS[kind].needed ?? {}, KINDS[kind].allowed ?? {}),
    ...(TIMES.fits(times) ? [] : [`times: ${TIMES.accepts}`]),
    ...(isObject(match) ? fieldProblems(match, {}, MATCH_FIELDS) : ['match: an object']),
  ]
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, fault: value as Fault }
}

function namedFault(name: string): FaultReading {
  const found = Object.entries(NAMED_FAULTS).find(([known]) => known === name)
  if (found) return { ok: true, fault: found[1] }
  const names = Object.keys(NAMED_FAULTS).join(', ')
  return { ok: false, problems: [`There is no fault '${name}': one of ${names}, or JSON`] }
}

function isKind(value: unknown): value is FaultKind {
  return typeof value === 'string' && Object.hasOwn(KINDS, value)
}

function fieldProblems(value: Record<string, unknown>, needed: Fields, allowed: Fields): string[] {
  const known: Fields = { ...needed, ...allowed }
  const wrong = Object.entries(known)
    .filter(([name, check]) => (name in value || name in needed) && !check.fits(value[name]))
    .map(([name, check]) => `${name}: ${check.accepts}`)
  const unknown = Object.keys(value)
    .filter((name) => !(name in known))
    .map((name) => `${name}: no field of this fault`)
  return [...wrong, ...unknown]
}

function oneOf(...values: readonly (string | number)[]): Check {
  return { accepts: values.join(', '), fits: (value) => values.some((allowed) => allowed === value) }
}

function isWhole(value: unknown, minimum: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= minimum
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
