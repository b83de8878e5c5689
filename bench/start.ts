import { join } from 'node:path'
import { startDocsService } from '../docs-service/service.ts'
import {
  type Ask,
  actionCommand,
  BARE_NODE,
  bundleGithubScript,
  githubScriptCommand,
  shellCommand,
  shortAsks,
} from './contenders.ts'
import { type Command, peakOfNode, timeOf } from './process-run.ts'
import { median, ratio, type Table } from './table.ts'

const UNLIMITED = { jobsPerHour: Infinity, messagesPerHour: Infinity, analyticsPerHour: Infinity }

/** Start to done and peak memory, each contender's runs in turn with the others'. */
export async function measureStart({ runs, folder }: { runs: number; folder: string }): Promise<Table[]> {
  const docs = await startDocsService({ agent: 'none', jobTimeMs: 0, pages: 100, limits: UNLIMITED })
  try {
    const bundle = await bundleGithubScript(folder)
    const place = join(folder, 'run')
    // The first run makes the job that the others attach to, and warms the service up.
    const [first] = shortAsks('') as [Ask]
    await timeOf(actionCommand(first, docs, place))
    const asks = shortAsks(docs.jobs[0]?.id ?? '')
    const times: string[][] = []
    const peaks: string[][] = []
    for (const ask of asks) {
      const contenders: readonly (Command | undefined)[] = [
        BARE_NODE,
        actionCommand(ask, docs, place),
        shellCommand(ask, docs, { folder: place, style: 'common' }),
        shellCommand(ask, docs, { folder: place, style: 'lean' }),
        githubScriptCommand(ask, docs, { folder: place, bundle }),
      ]
      times.push([
        ask.name,
        ...sideBySide(await inTurn(contenders, runs, timeOf), (ms) => `${ms.toFixed(0)} ms`),
      ])
      const nodes = contenders.map((contender) => (contender?.program === 'bash' ? undefined : contender))
      const scratch = join(folder, 'peak')
      const found = await inTurn(nodes, Math.min(runs, 5), (command) => peakOfNode(command, scratch))
      peaks.push([ask.name, ...sideBySide(found, (size) => `${(size / 1e6).toFixed(0)} MB`)])
    }
    return [
      {
        title: `Start to done: median of ${runs} runs in turn, and as a ratio to bare Node`,
        head: ['Ask', 'node -e 0', 'this action', 'shell step', 'the same, lean', 'github-script'],
        rows: times,
        note: 'Shell step: curl, and one jq for each value. Lean: one jq for all of them.',
      },
      {
        title: 'Memory: peak of the process, and as a ratio to bare Node',
        head: ['Ask', 'node -e 0', 'this action', 'github-script'],
        rows: peaks.map(([ask = '', bare = '', action = '', , , script = '']) => [ask, bare, action, script]),
        note: 'At most 1.60 ×.',
      },
    ]
  } finally {
    await docs.close()
  }
}

type Measure = (command: Command) => Promise<number>

async function inTurn(
  commands: readonly (Command | undefined)[],
  runs: number,
  measure: Measure,
): Promise<(number | undefined)[]> {
  const found = commands.map((): number[] => [])
  for (let run = -1; run < runs; run++) {
    for (const [index, command] of commands.entries()) {
      const value = command === undefined ? Number.NaN : await measure(command)
      // The first round only fills the caches of the system.
      if (run >= 0) found[index]?.push(value)
    }
  }
  return found.map((values) => (values.some(Number.isNaN) ? undefined : median(values)))
}

function sideBySide(values: readonly (number | undefined)[], show: (value: number) => string): string[] {
  const [bare = Number.NaN] = values
  return values.map((value, index) => {
    if (value === undefined) return 'not installed'
    return index === 0 ? show(value) : `${show(value)}, ${ratio(value / bare)}`
  })
}
