import type { Counts, PageVisitors } from '../service/visitors.ts'
import type { AskingStopped, Flaw } from './asking.ts'
import type { Change, Moves } from './compare.ts'
import type { Period } from './period.ts'

/** The site's totals in one period. */
export type PeriodTotals = { readonly period: Period; readonly totals: Counts }

/** A page of the site among the most visited, with the change of its total. */
export type TopPage = PageVisitors & { readonly change: Change }

/** Something that a run left out or can't be sure of, and why. */
export type Gap = {
  /** All rows of the period; totals of periods before it; all rows of the one before it. */
  readonly part: 'current' | 'trend' | 'previous'
  readonly flaw: Flaw
  /** The error that ended the asking, if one did. */
  readonly end: AskingStopped | undefined
}

/** What a run found out about a site's visitors. */
export type VisitorsFindings = {
  readonly period: Period
  readonly totals: Counts
  /** The totals of the period before; `undefined` if they were not asked for or not to be had. */
  readonly previous: Counts | undefined
  readonly change: Change
  /** The current period and those before it without a gap, the earliest first. */
  readonly trend: readonly PeriodTotals[]
  /** By total, then path. */
  readonly top: readonly TopPage[]
  /** `undefined` if not both periods were read whole. */
  readonly moves: Moves | undefined
  /** Whether all rows of the current period were read. */
  readonly complete: boolean
  /** How many rows of it were read. */
  readonly rows: number
  /** Where each path that came more than once came last: the number of the row, from 0. */
  readonly repeats: ReadonlyMap<string, number>
  /** How many requests were made, retries included. */
  readonly requests: number
  readonly gaps: readonly Gap[]
}
