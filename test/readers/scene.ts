import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import type { Fault } from '../../docs-service/faults/fault.ts'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { startDocsService } from '../../docs-service/service.ts'
import { HttpClient } from '../../src/lib/http.ts'
import { readReadersOptions } from '../../src/readers/options.ts'
import { Readers } from '../../src/readers/readers.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { DocsService } from '../../src/service/client.ts'
import { VirtualClock } from '../support/clock.ts'
import { environmentOf } from '../support/run-action.ts'

/** When a run begins: a Monday morning. */
export const NOW_MS = Date.UTC(2026, 7, 3, 6)

/** What differs from run to run. */
type ReadersRunOptions = {
  readonly inputs?: Readonly<Record<string, string>>
  readonly docs?: DocsServiceOptions
  readonly faults?: readonly Fault[]
  readonly random?: () => number
  readonly cancelAtMs?: number
}

/** What is seen of a run's readers part. */
type ReadersRun = {
  /** What the agent is told. */
  readonly signals: string
  readonly failure: string | undefined
  /** Each request: `dateFrom..dateTo limit@offset` for visitors, another call by its name. */
  readonly sent: string[]
  /** Lines of the log; annotations as `warning: …`. */
  readonly log: string[]
  readonly outputs: Record<string, string>
  summary: string
  readonly pausesMs: number[]
  readonly workspace: string
}

/** Runs the readers part against a docs service over HTTP, by a clock that jumps over each pause. */
export async function runReaders(options: ReadersRunOptions = {}): Promise<ReadersRun> {
  const { inputs = {}, faults = [], random = () => 0.5, cancelAtMs } = options
  const docs = await startDocsService({ agent: 'none', now: () => NOW_MS, faults, ...options.docs })
  const workspace = mkdtempSync(join(tmpdir(), 'readers-'))
  const clock = new VirtualClock(NOW_MS)
  const http = new HttpClient({
    proxy: { httpsProxy: '', httpProxy: '', noProxy: '' },
    clock,
    timeoutMs: 30_000,
  })
  onTestFinished(async () => {
    vi.restoreAllMocks()
    rmSync(workspace, { recursive: true })
    await docs.close()
  })
  const send = http.send.bind(http)
  vi.spyOn(http, 'send').mockImplementation((request) => clock.work(() => send(request)))
  const pausesMs: number[] = []
  const sleep = clock.sleep.bind(clock)
  vi.spyOn(clock, 'sleep').mockImplementation((ms, signal) => {
    pausesMs.push(ms)
    return sleep(ms, signal)
  })
  const printed: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => printed.push(String(chunk)) > 0)

  const cancel = new AbortController()
  if (cancelAtMs !== undefined) clock.at(NOW_MS + cancelAtMs, () => cancel.abort())
  const environment = readEnvironment(
    environmentOf({ inputs: { 'project-id': 'docs', ...inputs } }, workspace, workspace),
  )
  const run = new Run(environment, { clock, random, cancel: cancel.signal })
  const result = { sent: [], log: [], outputs: {}, summary: '', pausesMs, workspace }
  vi.spyOn(run, 'setOutputs').mockImplementation((values) => Object.assign(result.outputs, values))
  vi.spyOn(run, 'writeSummary').mockImplementation((_section, markdown) => {
    result.summary = markdown.source
  })
  const read = await readReadersOptions(run.inputs, { workspace, nowMs: NOW_MS, problems: run.problems })
  if (read.options === undefined || read.problems.length > 0) throw new Error(JSON.stringify(read))
  const service = new DocsService({
    baseUrl: new URL(docs.url),
    projectId: 'docs',
    apiKey: docs.key,
    http,
    clock,
    redact: run.redact,
  })
  const readers = new Readers(read.options, service, run)
  const [signals, failure] = await Promise.all([readers.signals(), readers.report()])
  vi.restoreAllMocks()
  return {
    ...result,
    signals,
    failure,
    sent: docs.requests.map(({ path, query }) =>
      path.endsWith('/visitors')
        ? `${query['dateFrom']}..${query['dateTo']} ${query['limit']}@${query['offset']}`
        : path.replace('/v1/analytics/docs/', ''),
    ),
    log: printed.join('').split('\n').flatMap(lineOfLog),
  }
}

function lineOfLog(printed: string): string[] {
  const [, command, text = ''] = /^::(notice|warning|error) .*?::(.*)$/.exec(printed) ?? []
  if (command !== undefined) return [`${command}: ${text.replaceAll('%25', '%')}`]
  return printed === '' || printed.startsWith('::add-mask') ? [] : [printed]
}

/** A service that gives these pages of rows by offset, and says that more follow after all but the last. */
export function scripted(
  pages: readonly (readonly [path: string, total: number][])[],
  hasMore = (index: number) => index < pages.length - 1,
): DocsServiceOptions {
  return {
    visitors: ({ offset, limit }) => {
      const index = limit === 1 ? 0 : Math.min(offset / 250, pages.length - 1)
      const visitors = (pages[index] ?? []).map(([path, total]) => ({ path, human: total, ai: 0, total }))
      return {
        status: 200,
        body: { totals: { human: 9, ai: 1, total: 9 }, visitors, hasMore: hasMore(index) },
      }
    },
  }
}

/** As many rows as one answer holds. */
export function fullPage(name: string, total = 1): [string, number][] {
  return Array.from({ length: 250 }, (_, index) => [`/${name}/${index}`, total])
}

/** A service that refuses, always unless `extra` says how often. */
export function refusal(status: number, extra: Partial<Fault> = {}): Fault {
  return { kind: 'status', status, times: 'always', body: { error: 'Nope' }, ...extra }
}
