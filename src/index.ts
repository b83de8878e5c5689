import { type Deps, openSystemClock } from './lib/clock.ts'
import { runMain } from './main.ts'
import { runPost } from './post.ts'
import { type Environment, readEnvironment } from './runner/environment.ts'

/** The step's main part; called by `dist/index.js`. */
export async function main(): Promise<void> {
  await runToEnd(runMain)
}

/** The step's post part; called by `dist/post.js`. */
export async function post(): Promise<void> {
  await runToEnd(runPost)
}

async function runToEnd(run: (environment: Environment, deps: Deps) => Promise<number>): Promise<void> {
  // Until the run has come to its end. Node would exit with 0 where nothing is left that could settle a promise.
  process.exitCode = 1
  const cancel = new AbortController()
  // The runner sends SIGINT, and SIGTERM 7.5 s later.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => cancel.abort())
  const deps: Deps = { clock: openSystemClock(), random: Math.random, cancel: cancel.signal }
  const exitCode = await run(readEnvironment(process.env), deps)
  // What was written to a pipe is not in it yet; on Windows, and on Linux for more than a pipe holds.
  await Promise.all([process.stdout, process.stderr].map(drained))
  // Not left to Node: a connection that is kept or still being opened, and a name lookup that gets no answer, would
  // hold the end of the step up for seconds or minutes, and nothing can cancel the lookup.
  process.exit(exitCode)
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}
