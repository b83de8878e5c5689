import type { Fault } from '../../docs-service/faults.ts'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'

/** When a run starts: a Monday morning. */
export const NOW_MS = Date.UTC(2026, 7, 3, 6)

type VisitorsRun = Pick<RunOptions, 'env' | 'cancelAtMs'> & {
  readonly docs?: DocsServiceOptions
  readonly faults?: readonly Fault[]
}

/** Runs the action with these inputs. `sent` has each analytics request: its call, period, and parameters. */
export async function runVisitors(
  inputs: Readonly<Record<string, string>>,
  { docs, faults = [], ...options }: VisitorsRun = {},
) {
  const harness = await startHarness({ startMs: NOW_MS, jobTimeMs: 0, faults, ...docs })
  const end = await harness.run({ ...options, inputs })
  // With a `base-url` of its own it is named by its host, in Markdown with an invisible mark.
  const named = (text: string) => text.replaceAll(/127\u200B?\.0\.0\.1:\d+/g, 'Mintlify')
  const sent = harness.docs.requests
    .filter(({ path }) => path.includes('/analytics/'))
    .map(({ path, query: { dateFrom, dateTo, ...more } }) => {
      const call = path.replace('/v1/analytics/docs/', '')
      return [call, `${dateFrom}..${dateTo}`, ...Object.values(more)].join(' ')
    })
  const log = end.log.map(named)
  const level = (name: string) =>
    log.flatMap((line) => (line.startsWith(`${name}: `) ? line.slice(name.length + 2) : []))
  return {
    ...end,
    sent,
    log,
    summary: named(end.summary),
    markdown: named(end.outputs['visitors-markdown'] ?? ''),
    visitors: JSON.parse(end.outputs['visitors'] || 'null'),
    notices: level('notice'),
    warnings: level('warning'),
    errors: level('error'),
    prompt: named(JSON.stringify(end.bodies[0] ?? {})),
  }
}

/** Makes the API reject a call, always unless `extra` says how often. */
export function refusal(status: number, extra: Partial<Fault> = {}): Fault {
  return { kind: 'status', status, times: 'always', body: { error: 'Nope' }, ...extra }
}
