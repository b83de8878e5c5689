import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { timeCommands } from './commands.ts'
import { countConnections } from './connections.ts'
import { measureSizes } from './size.ts'
import { measureStart } from './start.ts'
import { asMarkdown, asText, type Table } from './table.ts'
import { measureVisitors } from './visitors.ts'
import { simulateWaiting } from './waiting.ts'

const USAGE = `npm run bench -- [--short] [--markdown] [--against <folder>]

--short             sizes and counts alone, for CI
--markdown          tables for PERFORMANCE.md
--against <folder>  the action in that folder, too, in turn with this one

Fails where a size or a number of requests or connections is over its limit; never for a time.`

async function main(): Promise<void> {
  const options = {
    short: { type: 'boolean' },
    markdown: { type: 'boolean' },
    against: { type: 'string' },
    help: { type: 'boolean' },
  } as const
  const { short = false, markdown = false, against, help = false } = parseArgs({ options }).values
  if (help) return console.log(USAGE)
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const show = (table: Table): void => console.log(`${markdown ? asMarkdown(table) : asText(table)}\n`)
  try {
    if (!short) {
      const other = against === undefined ? undefined : resolve(against)
      for (const table of await measureStart({ runs: 25, folder, against: other })) show(table)
      show(await simulateWaiting(100))
      show(timeCommands())
    }
    const checked = [
      measureSizes(),
      await countConnections(folder),
      await measureVisitors(short ? [25_000] : [25_000, 250_000], folder),
    ]
    for (const { table } of checked) show(table)
    const failures = checked.flatMap((each) => each.failures)
    if (failures.length > 0) {
      console.error(failures.join('\n'))
      process.exitCode = 1
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
