import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import type { Fault } from '../../docs-service/faults.ts'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { startDocsService } from '../../docs-service/service.ts'
import { MintlifyClient } from '../../src/mintlify/mintlify-client.ts'
import { Readers } from '../../src/readers/report.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { clientWith } from '../lib/http-client.ts'
import { VirtualClock } from '../support/clock.ts'
import { readPrinted } from '../support/printed.ts'
import { environmentOf } from '../support/run-action.ts'

/** When a run begins: a Monday morning. */
export const NOW_MS = Date.UTC(2026, 7, 3, 6)

type ReadersRun = {
  readonly inputs: Readonly<Record<string, string>>
  readonly docs?: DocsServiceOptions
  readonly faults?: readonly Fault[]
  readonly cancelAtMs?: number
  /** The run has a job, too; `error`: the headline of the error that it ends in; `false` while it runs. */
  readonly job?: { readonly error?: string | false }
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Runs the readers part against a docs service over HTTP, by a clock that jumps over each pause.
 *
 * @returns what is seen of it. `sent`: each request, as its call, period and parameters; `log`: its lines, annotations as `notice: …`; `warned`: all warnings and notices but the headline, one per line
 */
export async function runReaders(options: ReadersRun) {
  const { inputs, faults = [], cancelAtMs, job } = options
  const docs = await startDocsService({ agent: 'none', now: () => NOW_MS, faults, ...options.docs })
  onTestFinished(async () => {
    vi.restoreAllMocks()
    await docs.close()
  })
  const printed: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => printed.push(String(chunk)) > 0)
  const cancel = new AbortController()
  const workspace = mkdtempSync(join(tmpdir(), 'readers-'))
  onTestFinished(() => rmSync(workspace, { recursive: true }))
  const given = environmentOf(
    { inputs: { 'project-id': 'docs', ...inputs }, ...(options.env && { env: options.env }) },
    workspace,
    workspace,
  )
  const clock = new VirtualClock(NOW_MS)
  const waiting = { clock, random: () => 0.5, cancel: cancel.signal }
  const run = new Run(readEnvironment(given), waiting)
  if (cancelAtMs !== undefined) clock.at(NOW_MS + cancelAtMs, () => cancel.abort())
  const http = clientWith({ clock, timeoutMs: 30_000 })
  const send = http.send.bind(http)
  vi.spyOn(http, 'send').mockImplementation((request) => clock.work(() => send(request)))
  const written = vi.spyOn(run, 'writeSummary').mockReturnValue()
  const baseUrl = new URL(docs.url)
  const access = { baseUrl, projectId: 'docs', apiKey: docs.key, redact: run.redact }
  const service = new MintlifyClient({ ...access, http, clock })
  const readers = new Readers(service, run)
  const { error } = job ?? {}
  const ended = job && (error === false ? new Promise<never>(() => {}) : Promise.resolve(error))
  const [forAgent, failure] = await Promise.all([readers.signals(), readers.report(ended)])
  const signals = forAgent.join('\n')
  const summary = written.mock.lastCall?.[1].source ?? ''
  vi.restoreAllMocks()
  const sent = docs.requests.map(({ path, query: { dateFrom, dateTo, ...more } }) =>
    [
      path.replace('/v1/analytics/docs/', ''),
      `${dateFrom}..${dateTo}`,
      ...Object.values(more),
    ].join(' '),
  )
  const { log, outputs } = readPrinted(printed.join(''))
  const warned = [...log.join('\n').matchAll(/^(?:notice|warning): (?!About|What readers)(.*)/gm)]
    .map(([, text]) => text)
    .join('\n')
  const costs = run.log.summaryWarnings()
  return { signals, failure, sent, log, costs, warned, outputs, summary }
}

/** A service that refuses, always unless `extra` says how often. */
export function refusal(status: number, extra: Partial<Fault> = {}): Fault {
  return { kind: 'status', status, times: 'always', body: { error: 'Nope' }, ...extra }
}
