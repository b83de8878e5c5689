import { join } from 'node:path'
import { startDocsService } from '../docs-service/service.ts'
import { actionCommand, visitorsAsk } from './contenders.ts'
import { timeOf } from './process-run.ts'
import type { Checked } from './size.ts'

type Row = {
  readonly name: string
  readonly inputs: Record<string, string>
  readonly requests: number | undefined
  readonly connections: number
}

/** Counts the connections and requests of whole runs. */
export async function countConnections(folder: string): Promise<Checked> {
  const prompt = '[agent: takes 600ms] Explain the new flag.'
  const runs: readonly Row[] = [
    {
      name: 'create, answered terminal',
      inputs: { prompt: '[agent: takes 0s] Explain.' },
      requests: 1,
      connections: 1,
    },
    {
      name: 'create and wait',
      inputs: { prompt, 'poll-interval': '100ms' },
      requests: undefined,
      connections: 2,
    },
    { name: 'visitors, 1,000 rows', inputs: visitorsAsk(40).inputs, requests: 4, connections: 1 },
  ]
  const failures: string[] = []
  const rows: string[][] = []
  for (const { name, inputs, requests, connections } of runs) {
    const docs = await startDocsService({ agent: 'none', pages: 1000 })
    try {
      await timeOf(actionCommand({ name, kind: 'job', inputs, rivalEnv: {} }, docs, join(folder, 'run')))
      rows.push([name, String(docs.requests.length), String(docs.connections)])
      if (docs.connections !== connections) {
        failures.push(`${name}: ${docs.connections} connections, not ${connections}.`)
      }
      if (requests !== undefined && docs.requests.length !== requests) {
        failures.push(`${name}: ${docs.requests.length} requests, not ${requests}.`)
      }
    } finally {
      await docs.close()
    }
  }
  return {
    table: {
      title: 'Connections of one run',
      head: ['Run', 'requests', 'connections'],
      rows,
      note: 'A create goes out on a connection of its own.',
    },
    failures,
  }
}
