import { openSystemClock } from './lib/clock.ts'
import type { Deps } from './lib/deps.ts'
import { runMain } from './main.ts'
import { runPost } from './post.ts'
import { type Environment, readEnvironment } from './runner/environment.ts'

/** The main part of the step. */
export async function main(): Promise<void> {
  await runPart(runMain)
}

/** The post part of the step. */
export async function post(): Promise<void> {
  await runPart(runPost)
}

async function runPart(part: (environment: Environment, deps: Deps) => Promise<number>): Promise<void> {
  // Until a part has come to its end: promises that never settle would else end the process as a success.
  process.exitCode = 1
  const cancel = new AbortController()
  // The runner sends SIGINT, and SIGTERM 7.5 s later.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => cancel.abort())
  const deps: Deps = { clock: openSystemClock(), random: Math.random, cancel: cancel.signal }
  const exitCode = await part(readEnvironment(process.env), deps)
  await Promise.all([process.stdout, process.stderr].map(drained))
  // Connections that are still being made, names that are still being looked up and connections that are kept alive
  // would hold the end of the step up for up to minutes, and none of them is of use any more. All that was written has
  // drained.
  process.exit(exitCode)
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}
