import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import type { DocsService } from '../../docs-service/service.ts'
import { type DocsForTest, docsStarter } from './docs.ts'
import type { ActionRun } from './run-action.ts'

/** A key that may read and nothing else. */
export const READ_KEY = 'mint_read_only'
/** A period of its own: a week. */
export const EXPLICIT = { 'visitors-from': '2025-07-28', 'visitors-to': '2025-08-04' }

/** Makes a starter of services for the tests of a file, with inputs that ask for a visitors report alone. */
export function visitorsStarter(): (options?: DocsServiceOptions) => Promise<DocsForTest> {
  const startDocs = docsStarter()
  return async (options = {}) => {
    const { docs, inputs } = await startDocs({ keys: [{ key: READ_KEY, scope: 'read' }], ...options })
    return { docs, inputs: { ...inputs, prompt: '', 'poll-interval': '', 'visitors-summary': 'true' } }
  }
}

/** Rows as the service sends them, whatever they are. */
export function answering(visitors: unknown, more: object = {}): DocsServiceOptions {
  const totals = { human: 90, ai: 20, total: 100 }
  return { visitors: () => ({ status: 200, body: { totals, visitors, hasMore: false, ...more } }) }
}

/** The queries that a service was asked for visitors with. */
export function queries({ requests }: DocsService): string[] {
  return requests
    .filter(({ path }) => path === '/v1/analytics/docs/visitors')
    .map(({ query }) => new URLSearchParams(query).toString())
}

/** One of them. */
export function query(from: string, to: string, limit: number, offset: number): string {
  return new URLSearchParams({
    dateFrom: from,
    dateTo: to,
    limit: `${limit}`,
    offset: `${offset}`,
  }).toString()
}

/** The output `visitors`. */
export function report(run: ActionRun): Record<string, unknown> {
  return JSON.parse(run.outputs['visitors'] ?? '')
}

/** The first error of a log. */
export function errorIn({ log }: ActionRun): string {
  return log.split('\n').find((line) => line.startsWith('::error')) ?? ''
}

/** A folder for the length of a test. */
export async function newWorkspace(): Promise<string> {
  const workspace = await mkdtemp(join(tmpdir(), 'visitors-'))
  onTestFinished(() => rm(workspace, { recursive: true }))
  return workspace
}

/** A day as YYYY-MM-DD (UTC); those to come are negative. */
export const day = (daysAgo: number): string =>
  new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)
