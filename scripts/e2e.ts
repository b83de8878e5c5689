import { startVitest } from 'vitest/node'
import { ACT, findGoTool, ToolError } from './tools.ts'

/** The first version that knows `node24` and whose `--local-repository` takes a folder for any host. */
const OLDEST_ACT = [0, 2, 81]

/** Runs the examples with act, on this machine; with `--check`, only sees to it that act is there. */
async function main(args: readonly string[]): Promise<void> {
  const act = findGoTool(ACT, knowsNode24)
  if (args.includes('--check')) return
  const vitest = await startVitest('test', [...args], {
    watch: false,
    include: ['test/e2e/**/*.e2e.ts'],
    exclude: [],
    // Names, also of what is left out: what act can't show is to be seen.
    reporters: ['verbose'],
    testTimeout: 120_000,
    maxConcurrency: 4,
    env: { ACT: act },
  })
  await vitest.close()
}

function knowsNode24(version: string): boolean {
  const parts = version.split('.').map(Number)
  for (const [index, least] of OLDEST_ACT.entries()) {
    const part = parts[index] ?? 0
    if (part !== least) return part > least
  }
  return true
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof ToolError)) throw error
  console.error(`The examples were not run. ${error.message}`)
  process.exitCode = 1
}
