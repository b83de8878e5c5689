import type { Fault, FaultKind } from './fault.ts'

type Check = { accepts: string; fits: (value: unknown) => boolean }
type Fields = Readonly<Record<string, Check>>

/** A fault, or what is wrong with the JSON that should have been one. */
export type FaultReading = { ok: true; fault: Fault } | { ok: false; problems: string[] }

/** All kinds, in the order of the README's table. */
export const FAULT_KINDS: readonly FaultKind[] = [
  'status',
  'delay',
  'reset',
  'reset-after',
  'truncate',
  'truncate-clean',
  'hang',
  'hang-after',
  'drip',
  'html',
  'body',
  'huge',
  'redirect',
  'echo-key',
]

const TEXT: Check = { accepts: 'a string', fits: (value) => typeof value === 'string' }
const FLAG: Check = { accepts: 'true or false', fits: (value) => typeof value === 'boolean' }
const COUNT: Check = { accepts: 'a whole number from 1', fits: (value) => isWhole(value, 1) }
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
const END = oneOf('rst', 'fin')
const ENCODING = oneOf('identity', 'gzip', 'deflate', 'br')
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

const NEEDED: Readonly<Record<FaultKind, Fields>> = {
  status: { status: STATUS },
  delay: { ms: SIZE },
  reset: {},
  'reset-after': {},
  truncate: {},
  'truncate-clean': {},
  hang: {},
  'hang-after': {},
  drip: { ms: SIZE },
  html: {},
  body: { body: ANYTHING },
  huge: {},
  redirect: { location: TEXT },
  'echo-key': {},
}

const ALLOWED: Readonly<Partial<Record<FaultKind, Fields>>> = {
  status: { body: ANYTHING, headers: HEADERS, contentType: TEXT, handled: FLAG },
  reset: { end: END },
  'reset-after': { end: END },
  html: { body: TEXT, handled: FLAG },
  body: { handled: FLAG },
  huge: { bytes: COUNT, encoding: ENCODING, handled: FLAG },
  redirect: { status: REDIRECT, handled: FLAG },
  'echo-key': { status: STATUS, handled: FLAG },
}

/** Reads a fault from the JSON of `POST /_faults`; fields it does not know are refused, as they are likely typos. */
export function readFault(value: unknown): FaultReading {
  if (!isObject(value)) return { ok: false, problems: ['A fault is a JSON object with a "kind"'] }
  const kind = FAULT_KINDS.find((known) => known === value['kind'])
  if (kind === undefined) return { ok: false, problems: [`kind: one of ${FAULT_KINDS.join(', ')}`] }
  const { kind: _kind, match = {}, times = 1, ...effect } = value
  const problems = [
    ...fieldProblems(effect, NEEDED[kind], ALLOWED[kind] ?? {}),
    ...(TIMES.fits(times) ? [] : [`times: ${TIMES.accepts}`]),
    ...(isObject(match) ? fieldProblems(match, {}, MATCH_FIELDS) : ['match: an object']),
  ]
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, fault: value as Fault }
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

function isWhole(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
