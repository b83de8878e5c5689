import type { Fault } from '../../docs-service/faults.ts'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'
import { checkOutputs } from '../support/run-action.ts'

/** When a run starts: a Monday morning. */
export const NOW_MS = Date.UTC(2026, 7, 3, 6)
export const REPORT = { 'visitors-summary': 'true' }
export const GAPS = { 'content-gaps': 'report' }

type VisitorsRun = Pick<RunOptions, 'cancelAtMs'> & {
  readonly docs?: DocsServiceOptions
  readonly faults?: readonly Fault[]
  readonly startMs?: number
}

/** Runs the action with these inputs. `sent` has each analytics request: its call, days, and parameters. */
export async function runVisitors(
  inputs: Readonly<Record<string, string>>,
  { docs, faults = [], startMs = NOW_MS, ...options }: VisitorsRun = {},
) {
  const harness = await startHarness({ startMs, jobTimeMs: 0, faults, ...docs })
  const end = await harness.run({ ...options, inputs })
  checkOutputs({ ...end.outputs, job: '' })
  const sent = harness.docs.requests
    .filter(({ path }) => path.includes('/analytics/'))
    .map(({ path, query: { dateFrom, dateTo, ...more } }) => {
      return [path.split('/')[4], `${dateFrom}..${dateTo}`, ...Object.values(more)].join(' ')
    })
  return {
    ...end,
    sent,
    markdown: end.outputs['visitors-markdown'],
    visitors: JSON.parse(end.outputs['visitors'] || 'null'),
    annotations: end.log.filter((line) => /^(?:notice|warning|error): /.test(line)),
    prompt: JSON.stringify(end.bodies[0] ?? {}),
  }
}

/** Rejects a call, always unless `more` says how often. */
export function refusal(status: number, path: string, more: Partial<Fault> = {}): Fault {
  const match = { path: path as '/', ...more.match }
  return { status, times: 'always', body: { error: 'Nope' }, ...more, match }
}

/** A row of a page or the totals: people alone, if there is one number. */
export function counts(human: number, ai = 0, total = human + ai) {
  return { human, ai, total }
}

/** A site with these visitors in its last periods, the current one first, and these pages in the last two. */
export function site(
  totals: readonly ReturnType<typeof counts>[],
  ...pages: readonly (readonly unknown[])[]
): DocsServiceOptions {
  return {
    visitors({ fromMs, toMs, offset, limit }) {
      const back = Math.floor((NOW_MS - toMs) / (toMs - fromMs))
      const rows = pages[back] ?? []
      const hasMore = offset + limit < rows.length
      const visitors = rows.slice(offset, offset + limit)
      return { status: 200, body: { totals: totals[back] ?? counts(0), visitors, hasMore } }
    },
  }
}

/** Rows of pages with people alone, such as `/a 12 /b 7`. */
export function pages(text: string) {
  return [...text.matchAll(/(\S+) ([\d.]+)/g)].map(([, path, human]) => {
    return { path, ...counts(Number(human)) }
  })
}
