import { join } from 'node:path'
import { startDocsService } from '../docs-service/service.ts'
import { actionCommand, visitorsAsk } from './contenders.ts'
import { timeOf } from './process-run.ts'
import type { Checked } from './size.ts'

type Row = {
  readonly name: string
  readonly inputs: Record<string, string>
  readonly requests: number | undefined
}

/** Counts the connections and requests of whole runs. */
export async function countConnections(folder: string): Promise<Checked> {
  const prompt = '[agent: takes 600ms] Explain the new flag.'
  const runs: readonly Row[] = [
    { name: 'create, answered terminal', inputs: { prompt: '[agent: takes 0s] Explain.' }, requests: 1 },
    { name: 'create and wait', inputs: { prompt, 'poll-interval': '100ms' }, requests: undefined },
    { name: 'visitors, 1,000 rows', inputs: visitorsAsk(40).inputs, requests: 4 },
  ]
  const failures: string[] = []
  const rows: string[][] = []
  for (const { name, inputs, requests } of runs) {
    const docs = await startDocsService({ agent: 'none', pages: 1000 })
    try {
      await timeOf(actionCommand({ name, kind: 'job', inputs, rivalEnv: {} }, docs, join(folder, 'run')))
      rows.push([name, String(docs.requests.length), String(docs.connections)])
      if (docs.connections !== 1) failures.push(`${name}: ${docs.connections} connections, not one.`)
      if (requests !== undefined && docs.requests.length !== requests) {
        failures.push(`${name}: ${docs.requests.length} requests, not ${requests}.`)
      }
    } finally {
      await docs.close()
    }
  }
  return {
    table: { title: 'Connections of one run', head: ['Run', 'requests', 'connections'], rows },
    failures,
  }
}
