import { type ParseArgsConfig, parseArgs } from 'node:util'
import { errorMessage } from '../src/lib/text.ts'

/** Reads a script's options. `--help` and wrong options end the process with words, not with a stack trace. */
export function readOptions<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  if (process.argv.includes('--help')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    // Node's message continues with advice about words that begin with a dash.
    return refuse(errorMessage(error).split(/\.\s/)[0] ?? '', usage)
  }
}

/** Ends the process because of a wrong option. */
export function refuse(problem: string, usage: string): never {
  console.error(`${problem}\n\n${usage}`)
  process.exit(2)
}

/** Does a script's work. Its errors end the process with words, too. */
export async function runScript(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    console.error(errorMessage(error))
    process.exitCode = 1
  }
}
