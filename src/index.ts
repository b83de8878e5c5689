import { runMain, runPost } from './main.ts'

/** The step's main part; called by `dist/index.js`. */
export async function main(): Promise<void> {
  await runToEnd(runMain)
}

/** The step's post part; called by `dist/post.js`. */
export async function post(): Promise<void> {
  await runToEnd(runPost)
}

async function runToEnd(run: () => Promise<number>): Promise<void> {
  // Until the run has come to its end. Node would exit with 0 where nothing is left that could settle a promise.
  process.exitCode = 1
  const exitCode = await run()
  // What was written to a pipe is not in it yet; on Windows, and on Linux for more than a pipe holds.
  await Promise.all([process.stdout, process.stderr].map(drained))
  // Not left to Node: a connection that is kept or still being opened, and a name lookup that gets no answer, would
  // hold the end of the step up for seconds or minutes, and nothing can cancel the lookup.
  process.exit(exitCode)
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}
