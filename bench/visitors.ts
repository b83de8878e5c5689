import { join } from 'node:path'
import { startDocsService } from '../docs-service/service.ts'
import { actionCommand, BARE_NODE, shellCommand, visitorsAsk } from './contenders.ts'
import { type Command, peakOfAny, peakOfNode, timeOf } from './process-run.ts'
import type { Checked } from './size.ts'
import { ratio } from './table.ts'

const ROWS_PER_REQUEST = 250
/** What `visitors-max-requests` allows. */
const MAX_REQUESTS = 1000

/** Most memory for sites of so many pages, in bytes. */
const MAX_PEAK: readonly { readonly pages: number; readonly bytes: number }[] = [
  { pages: 25_000, bytes: 150e6 },
  { pages: 250_000, bytes: 300e6 },
]

/** Rows per second and peak memory for sites of so many pages; fails for a request too many or more memory than allowed. */
export async function measureVisitors(sites: readonly number[], folder: string): Promise<Checked> {
  const bareBytes = await peakOfNode(BARE_NODE, join(folder, 'peak'))
  const failures: string[] = []
  const rows: string[][] = []
  for (const pages of sites) {
    const needed = Math.ceil(pages / ROWS_PER_REQUEST)
    const docs = await startDocsService({ agent: 'none', pages, limits: { analyticsPerHour: Infinity } })
    try {
      const ask = visitorsAsk(MAX_REQUESTS)
      const action = actionCommand(ask, docs, join(folder, 'run'))
      const actionMs = await timeOf(action)
      const requests = docs.requests.length
      if (requests !== needed) failures.push(`${pages} rows took ${requests} requests, not ${needed}.`)
      const actionBytes = await peakOfNode(action, join(folder, 'peak'))
      const maxBytes = MAX_PEAK.find((each) => each.pages >= pages)?.bytes ?? 0
      if (actionBytes > maxBytes) {
        failures.push(`${pages} rows took ${megabytes(actionBytes)}, more than ${megabytes(maxBytes)}.`)
      }
      const shell = shellCommand(ask, docs, { folder: join(folder, 'run'), style: 'lean' })
      rows.push([
        pages.toLocaleString('en'),
        String(requests),
        rate(pages, actionMs),
        memory(actionBytes, bareBytes),
        ...(shell === undefined
          ? ['not installed', '']
          : await measureShell(shell, { pages, bareBytes, folder })),
      ])
    } finally {
      await docs.close()
    }
  }
  return {
    table: {
      title: 'Visitors: all rows of a period, start to done',
      head: ['Rows', 'requests', 'this action', 'peak', 'curl and jq', 'peak'],
      rows,
      note: 'Peak of the largest process, and as a ratio to bare Node.',
    },
    failures,
  }
}

type Site = { readonly pages: number; readonly bareBytes: number; readonly folder: string }

async function measureShell(shell: Command, { pages, bareBytes, folder }: Site): Promise<string[]> {
  const startedAtMs = performance.now()
  const peakBytes = await peakOfAny(shell, join(folder, 'peak'))
  const durationMs = performance.now() - startedAtMs
  if (peakBytes === undefined) return [rate(pages, await timeOf(shell)), 'not installed']
  return [rate(pages, durationMs), memory(peakBytes, bareBytes)]
}

function rate(pages: number, durationMs: number): string {
  return `${Math.round((1000 * pages) / durationMs).toLocaleString('en')} rows/s`
}

function memory(peakBytes: number, bareBytes: number): string {
  return `${megabytes(peakBytes)}, ${ratio(peakBytes / bareBytes)}`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
