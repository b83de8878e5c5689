import type { InputProblem } from '../inputs/read.ts'
import { INPUTS, type InputName } from '../inputs/table.ts'
import { clip, listOf } from '../lib/text.ts'
import { findOutputPath, WorkspaceError } from '../lib/workspace.ts'
import type { Run } from '../runner/run.ts'
import { DAY_MS, isoDay, type Period } from './format.ts'

/** What is asked for, as far as the inputs do not say it as they are; of the visitors, unless only signals are. */
export type ReadersOptions = { readonly visitors: VisitorsOptions | undefined }

export type VisitorsOptions = {
  readonly period: Period
  /** The periods that it is compared with, the latest first. */
  readonly before: readonly Period[]
  /** Whether the period has not ended yet: there is no comparison. */
  readonly isSoFar: boolean
  /** Absolute path of the file for all rows, free of links. */
  readonly exportTo: string | undefined
}

const MAX_DAYS = 366

const VISITORS_INPUTS = [
  'visitors-days',
  'visitors-from',
  'visitors-to',
  'visitors-top',
  'visitors-trend',
] as const
const REPORT_INPUTS = ['visitors-max-requests', 'site-url'] as const

/**
 * Finds out what the inputs ask for, and all that is wrong with them, asked for or not.
 *
 * @returns `options`: `undefined` if no part is asked for; `unused`: inputs without an effect; `warnings`: sentences about
 *   them
 */
export async function readReadersOptions(run: Run) {
  const { inputs, clock } = run
  const problems: InputProblem[] = []
  const refuse: Refuse = (input, problem, accepted) => void problems.push({ input, problem, accepted })
  const explicit = readPeriod(run, refuse)
  const exportTo = await findExportPath(run, refuse)
  const period = explicit ?? fullDaysBefore(clock.now(), inputs['visitors-days'])
  const isSoFar = period.toMs > clock.now()
  const before = isSoFar ? [] : periodsBefore(period, inputs['visitors-trend'] - 1)
  const hasVisitors = inputs['visitors-summary'] || inputs['visitors-export'] !== ''
  const isRequested = hasVisitors || inputs['reader-signals'] !== 'none'
  const options = { visitors: hasVisitors ? { period, before, isSoFar, exportTo } : undefined }
  const withoutEffect = [...(hasVisitors ? [] : VISITORS_INPUTS), ...(isRequested ? [] : REPORT_INPUTS)]
  // One with the value of its default can't be told from one not given.
  const unused = withoutEffect.filter((name) => String(inputs[name] ?? '') !== INPUTS[name].default)
  const [has, them] = unused.length === 1 ? ['has', 'it'] : ['have', 'them']
  const cure = `without a visitors report: add \`visitors-summary: true\`, or remove ${them}.`
  const warnings =
    unused.length === 0 ? [] : [`${listOf(unused.map((name) => `\`${name}\``))} ${has} no effect ${cure}`]
  if (
    hasVisitors &&
    explicit !== undefined &&
    String(inputs['visitors-days']) !== INPUTS['visitors-days'].default
  )
    warnings.push(
      '`visitors-days` has no effect with `visitors-from` and `visitors-to`, which are the period: remove it.',
    )
  return { options: isRequested ? options : undefined, problems, unused, warnings }
}

type Refuse = (input: InputName, problem: string, accepted: string) => undefined

function readPeriod({ inputs, problems, clock }: Run, refuse: Refuse): Period | undefined {
  const { 'visitors-from': fromMs, 'visitors-to': toMs } = inputs
  if (fromMs === undefined || toMs === undefined) {
    const isGiven = (name: InputName): boolean =>
      inputs[name] !== undefined || problems.some(({ input }) => input === name)
    const accepted = 'both visitors-from and visitors-to, or neither'
    if (isGiven('visitors-from') === isGiven('visitors-to')) return undefined
    return isGiven('visitors-from')
      ? refuse('visitors-to', 'is missing, though visitors-from is given', accepted)
      : refuse('visitors-from', 'is missing, though visitors-to is given', accepted)
  }
  const [from, to] = [isoDay(fromMs), isoDay(toMs)]
  const accepted = `a date at most ${MAX_DAYS} days after visitors-from; the period ends before it, so for one day name the next`
  const order = fromMs > toMs ? ': are the two swapped?' : ''
  if (fromMs >= toMs)
    return refuse('visitors-to', `("${to}") is not after visitors-from ("${from}")${order}`, accepted)
  const tooLong = `("${to}") is more than ${MAX_DAYS} days after visitors-from ("${from}")`
  if (toMs - fromMs > MAX_DAYS * DAY_MS) return refuse('visitors-to', tooLong, accepted)
  if (fromMs <= clock.now()) return { fromMs, toMs }
  const future = `("${from}") is in the future, so there are no visitors yet`
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
  return { fromMs: todayMs - days * DAY_MS, toMs: todayMs }
}

/** The periods before one: each as long as it, each ending where the later one begins, the latest first. */
export function periodsBefore({ fromMs, toMs }: Period, count: number): Period[] {
  const lengthMs = toMs - fromMs
  return Array.from({ length: count }, (_, index) => {
    const endMs = fromMs - index * lengthMs
    return { fromMs: endMs - lengthMs, toMs: endMs }
  })
}
