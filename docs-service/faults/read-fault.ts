import { CALL_NAMES } from '../http/calls.ts'
import { FAULT_KINDS, type Fault, NAMED_FAULTS } from './fault.ts'

/** A fault, or what is wrong with the JSON that should have been one. */
export type FaultReading =
  | { readonly ok: true; readonly fault: Fault }
  | { readonly ok: false; readonly problems: readonly string[] }

type Check = readonly [accepted: string, fits: (value: unknown) => boolean]

const TEXT: Check = ['a string', (value) => typeof value === 'string']
const COUNT: Check = ['a whole number from 1', (value) => isWhole(value, 1)]

/** The fields of faults, each with what it accepts. */
const FIELDS: Readonly<Record<string, Check>> = {
  status: ['a status from 200 to 599', (value) => isWhole(value, 200, 599)],
  body: ['any JSON', (value) => value !== undefined],
  headers: [
    'an object of strings',
    (value) => isObject(value) && Object.values(value).every(TEXT[1]),
  ],
  contentType: TEXT,
  handled: ['true or false', (value) => typeof value === 'boolean'],
  ms: ['a whole number from 0', (value) => isWhole(value, 0)],
  by: ['a whole number', (value) => Number.isSafeInteger(value)],
  end: ['rst or fin', isOneOf('rst', 'fin')],
  encoding: ['identity, gzip, deflate or br', isOneOf('identity', 'gzip', 'deflate', 'br')],
  interim: ['a status from 100 to 199', (value) => isWhole(value, 100, 199)],
  bytes: COUNT,
  location: TEXT,
  times: ['a whole number from 1, or "always"', (value) => value === 'always' || isWhole(value, 1)],
  method: TEXT,
  path: [`${CALL_NAMES.join(', ')}, or a path that begins with /`, isPath],
  nth: COUNT,
}

/** Reads the name of a fault, or the JSON of one. A field that its kind does not have is refused: a likely typo. */
export function readFault(value: unknown): FaultReading {
  if (typeof value === 'string') {
    const [, fault] = Object.entries(NAMED_FAULTS).find(([name]) => name === value) ?? []
    if (fault) return { ok: true, fault }
    const names = Object.keys(NAMED_FAULTS).join(', ')
    return { ok: false, problems: [`There is no fault '${value}': one of ${names}, or JSON`] }
  }
  if (!isObject(value))
    return { ok: false, problems: ['A fault is a name, or a JSON object with a "kind"'] }
  const { kind, match = {}, ...effect } = value
  if (!isKind(kind))
    return { ok: false, problems: [`kind: one of ${Object.keys(FAULT_KINDS).join(', ')}`] }
  const problems = [
    ...fieldProblems(effect, `${FAULT_KINDS[kind]} times`),
    ...(isObject(match) ? fieldProblems(match, 'method path nth') : ['match: an object']),
  ]
  return problems.length > 0 ? { ok: false, problems } : { ok: true, fault: value as Fault }
}

function fieldProblems(value: Readonly<Record<string, unknown>>, allowed: string): string[] {
  const names = allowed.split(' ')
  const needed = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
  return [...new Set([...needed, ...Object.keys(value)])].flatMap((name) => {
    const [accepted, fits] = FIELDS[name] ?? ['', () => false]
    if (!names.includes(name) && !needed.includes(name))
      return [`${name}: not a field of this fault`]
    return fits(value[name]) ? [] : [`${name}: ${accepted}`]
  })
}

function isKind(value: unknown): value is keyof typeof FAULT_KINDS {
  return typeof value === 'string' && Object.hasOwn(FAULT_KINDS, value)
}

function isOneOf(...words: readonly string[]): (value: unknown) => boolean {
  return (value) => words.some((word) => word === value)
}

function isPath(value: unknown): boolean {
  return isOneOf(...CALL_NAMES)(value) || (typeof value === 'string' && value.startsWith('/'))
}

function isWhole(value: unknown, minimum: number, maximum = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
