import type { PeriodDate } from '../inputs/formats.ts'
import type { InputProblem } from '../inputs/read.ts'
import { INPUTS, type InputName, type Inputs } from '../inputs/table.ts'
import { clip } from '../lib/text.ts'
import { findOutputPath, WorkspaceError } from '../lib/workspace.ts'
import type { Run } from '../runner/run.ts'
import { DAY_MS, isoText, listOf, type Period } from './format.ts'

/** What is asked for, as far as the inputs do not say it as they are. */
export type ReadersOptions = {
  readonly visitors: VisitorsOptions | undefined
  readonly signalsPeriod: Period
}

export type VisitorsOptions = {
  readonly period: Period
  /** The periods that it is compared with, the latest first. */
  readonly before: readonly Period[]
  /** Whether the period is not over yet: there is no comparison. */
  readonly isSoFar: boolean
  /** Absolute path of the file for all rows, free of links. */
  readonly exportTo: string | undefined
}

const MAX_DAYS = 366
/** What readers missed is told of so many days: a week has too few votes and questions to say something. */
export const SIGNALS_DAYS = 28

/**
 * Finds out what the inputs ask for, and all that is wrong with them, asked for or not.
 *
 * @returns `options`: `undefined` if no part is asked for; `unused`: inputs that were given, but have no effect;
 * `warnings`: sentences about those
 */
export async function readReadersOptions(run: Run) {
  const { inputs, clock } = run
  const problems: InputProblem[] = []
  const refuse: Refuse = (input, problem, accepted) => void problems.push({ input, problem, accepted })
  const explicit = readPeriod(run, refuse)
  const exportTo = await findExportPath(run, refuse)
  const period = explicit ?? fullDaysBefore(clock.now(), inputs['visitors-days'])
  const isSoFar = period.to.ms > clock.now()
  const before = isSoFar ? [] : periodsBefore(period, inputs['visitors-trend'] - 1)
  const hasVisitors = inputs['visitors-summary'] || inputs['visitors-export'] !== ''
  const visitors = hasVisitors ? { period, before, isSoFar, exportTo } : undefined
  const isRequested = hasVisitors || inputs['reader-signals'] !== 'none'
  const options = { visitors, signalsPeriod: fullDaysBefore(clock.now(), SIGNALS_DAYS) }
  return { options: isRequested ? options : undefined, problems, ...findUnused(inputs, visitors) }
}

type Refuse = (input: InputName, problem: string, accepted: string) => undefined

function readPeriod({ inputs, problems, clock }: Run, refuse: Refuse): Period | undefined {
  const { 'visitors-from': from, 'visitors-to': to } = inputs
  if (from === undefined || to === undefined) {
    const isGiven = (name: InputName): boolean =>
      inputs[name] !== undefined || problems.some(({ input }) => input === name)
    const isFromGiven = isGiven('visitors-from')
    if (isFromGiven === isGiven('visitors-to')) return undefined
    const accepted = 'both visitors-from and visitors-to, or neither'
    return isFromGiven
      ? refuse('visitors-to', 'is missing, though visitors-from is given', accepted)
      : refuse('visitors-from', 'is missing, though visitors-to is given', accepted)
  }
  const start = `visitors-from ("${from.text}")`
  const accepted = `a date at most ${MAX_DAYS} days after visitors-from; the period ends before it, so for one day name the next`
  if (from.ms >= to.ms) return refuse('visitors-to', `("${to.text}") is not after ${start}`, accepted)
  if (to.ms - from.ms > MAX_DAYS * DAY_MS) {
    return refuse('visitors-to', `("${to.text}") is more than ${MAX_DAYS} days after ${start}`, accepted)
  }
  if (from.ms < clock.now()) return { from, to }
  const future = `("${from.text}") is in the future, so there are no visitors yet`
  return refuse('visitors-from', future, 'a date in the past')
}

async function findExportPath({ inputs, environment }: Run, refuse: Refuse): Promise<string | undefined> {
  const name = inputs['visitors-export']
  if (name === '') return undefined
  try {
    if (!/\.(?:csv|json|ndjson)$/i.test(name)) throw new WorkspaceError('has no known ending')
    return await findOutputPath(environment.workspace, name)
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    const accepted = 'a path in the workspace that ends in .csv, .json or .ndjson'
    return refuse('visitors-export', `("${clip(name, 80)}") ${error.message}`, accepted)
  }
}

/** A number of full UTC days, up to the day that a moment (milliseconds since the epoch) lies in. */
export function fullDaysBefore(nowMs: number, days: number): Period {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  return { from: periodDate(todayMs - days * DAY_MS), to: periodDate(todayMs) }
}

/** The periods before one: each as long as it, each ending where the later one begins, the latest first. */
export function periodsBefore({ from, to }: Period, count: number): Period[] {
  const lengthMs = to.ms - from.ms
  return Array.from({ length: count }, (_, index) => ({
    from: periodDate(from.ms - (index + 1) * lengthMs),
    to: index === 0 ? from : periodDate(from.ms - index * lengthMs),
  }))
}

function periodDate(ms: number): PeriodDate {
  return { ms, text: isoText(ms) }
}

/** Inputs without effect. One that has the value of its default can't be told from one that was not given. */
function findUnused(inputs: Inputs, visitors: VisitorsOptions | undefined) {
  const [hasVisitors, hasSignals] = [visitors !== undefined, inputs['reader-signals'] !== 'none']
  const isShown = hasSignals || inputs['visitors-summary']
  const rules: readonly [isUnused: boolean, names: readonly InputName[], why: string][] = [
    [
      !hasVisitors,
      ['visitors-days', 'visitors-from', 'visitors-to', 'visitors-top', 'visitors-trend'],
      'without `visitors-summary` or `visitors-export`',
    ],
    [hasVisitors && inputs['visitors-from'] !== undefined, ['visitors-days'], 'beside `visitors-from`'],
    [visitors?.isSoFar === true, ['visitors-trend'], 'on a period that is not over yet'],
    [!hasVisitors && !hasSignals, ['visitors-max-requests'], 'without a readers report'],
    [!isShown, ['site-url'], 'without `visitors-summary` or `reader-signals`'],
  ]
  const unused: InputName[] = []
  const warnings: string[] = []
  for (const [isUnused, names, why] of rules) {
    const given = names.filter((name) => String(inputs[name] ?? '') !== INPUTS[name].default)
    if (!isUnused || given.length === 0) continue
    unused.push(...given)
    const list = listOf(given.map((name) => `\`${name}\``))
    warnings.push(`${list} ${given.length === 1 ? 'has' : 'have'} no effect ${why}.`)
  }
  return { unused, warnings }
}
