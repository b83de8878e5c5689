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
import { type Command, peakOfNode, type Times, timesOf } from './process-run.ts'
import { startPushScene } from './push-scene.ts'
import { median, ratio, type Table } from './table.ts'

const UNLIMITED = { jobsPerHour: Infinity, messagesPerHour: Infinity, analyticsPerHour: Infinity }

/** How start is measured. */
export type StartOptions = {
  readonly runs: number
  readonly folder: string
  /** The folder of another version of the action, to run in turn with this one. */
  readonly against: string | undefined
}

/** Start to done and peak memory, each contender's runs in turn with the others'. */
export async function measureStart({ runs, folder, against }: StartOptions): Promise<Table[]> {
  const docs = await startDocsService({ agent: 'none', jobTimeMs: 0, pages: 100, limits: UNLIMITED })
  const push = await startPushScene(docs, folder)
  try {
    const bundle = await bundleGithubScript(folder)
    const place = join(folder, 'run')
    const scratch = join(folder, 'scratch')
    // The first run makes the job that the others attach to, and warms the service up.
    const [first] = shortAsks('', push) as [Ask]
    await timesOf(actionCommand(first, docs, place), scratch)
    const wall: string[][] = []
    const cpu: string[][] = []
    const peaks: string[][] = []
    const head = ['', 'node -e 0', 'this action', 'shell step', 'the same, lean', 'github-script']
    if (against !== undefined) head.push('the other version')
    for (const ask of shortAsks(docs.jobs[0]?.id ?? '', push)) {
      const contenders = (): (Command | undefined)[] => [
        BARE_NODE,
        actionCommand(ask, docs, place),
        shellCommand(ask, docs, { folder: place, style: 'common' }),
        shellCommand(ask, docs, { folder: place, style: 'lean' }),
        githubScriptCommand(ask, docs, { folder: place, bundle }),
        ...(against === undefined ? [] : [actionCommand(ask, docs, place, against)]),
      ]
      const times = await inTurn(contenders, runs, (command) => timesOf(command, scratch))
      wall.push([ask.name, ...sideBySide(times.map(medianOf('wallMs')), milliseconds)])
      cpu.push([ask.name, ...sideBySide(times.map(medianOf('cpuMs')), milliseconds)])
      const nodes = () => contenders().map((command) => (command?.program === 'bash' ? undefined : command))
      const found = await inTurn(nodes, Math.min(runs, 7), (command) => peakOfNode(command, scratch))
      peaks.push([ask.name, ...sideBySide(found.map(medianOfAll), (size) => `${(size / 1e6).toFixed(0)} MB`)])
    }
    const kept = head.map((_name, column) => column).filter((column) => column !== 3 && column !== 4)
    const withoutShell = (row: readonly string[]): string[] => kept.map((column) => row[column] ?? '')
    return [
      {
        title: `Start to done: median of ${runs} runs in turn, and as a ratio to bare Node`,
        head,
        rows: wall,
      },
      {
        title: 'CPU time of the same runs, all processes and threads',
        head,
        rows: cpu,
        note: 'Shell step: curl, and one jq for each value. Lean: one jq for all of them.',
      },
      {
        title: 'Memory: peak of the process, and as a ratio to bare Node',
        head: withoutShell(head),
        rows: peaks.map(withoutShell),
        note: 'At most 1.60 ×.',
      },
    ]
  } finally {
    await Promise.all([push.close(), docs.close()])
  }
}

/** Values by contender and run; `undefined` for a contender that is not installed. */
async function inTurn<T>(
  commands: () => (Command | undefined)[],
  runs: number,
  measure: (command: Command) => Promise<T>,
): Promise<(T[] | undefined)[]> {
  const found = commands().map((command): T[] | undefined => (command === undefined ? undefined : []))
  for (let run = -1; run < runs; run++) {
    // The files of the runner are written anew for each run: outputs don't pile up.
    for (const index of found.keys()) {
      const command = commands()[index]
      if (command === undefined) continue
      const value = await measure(command)
      // The first round only fills the caches of the system.
      if (run >= 0) found[index]?.push(value)
    }
  }
  return found
}

function medianOf(name: keyof Times): (times: readonly Times[] | undefined) => number | undefined {
  return (times) => medianOfAll(times?.map((each) => each[name]).filter((value) => value !== undefined))
}

function medianOfAll(values: readonly number[] | undefined): number | undefined {
  return values === undefined || values.length === 0 ? undefined : median(values)
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(0)} ms`
}

function sideBySide(values: readonly (number | undefined)[], show: (value: number) => string): string[] {
  const [bare = Number.NaN] = values
  return values.map((value, index) => {
    if (value === undefined) return 'not installed'
    return index === 0 ? show(value) : `${show(value)}, ${ratio(value / bare)}`
  })
}
