import { errorMessage } from './lib/text.ts'
import { createSystemClock } from './lib/time.ts'
import { runPost } from './post.ts'
import { runMain } from './run.ts'
import { readEnvironment } from './runner/environment.ts'
import { Run } from './runner/run.ts'

/** The main step; called by `dist/index.js`. */
export async function main(): Promise<void> {
  await runToEnd(runMain, false)
}

/** The post step; called by `dist/post.js`. */
export async function post(): Promise<void> {
  await runToEnd(runPost, true)
}

async function runToEnd(step: (run: Run) => Promise<void>, isPost: boolean): Promise<void> {
  // Until the run has ended: Node would exit with 0 where nothing is left that could settle a promise.
  process.exitCode = 1
  const cancel = new AbortController()
  // The runner sends SIGINT, and SIGTERM 7.5 s later.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => cancel.abort())
  const waiting = { clock: createSystemClock(), random: Math.random, cancel: cancel.signal }
  const environment = readEnvironment(process.env)
  // @actions/github parses the payload when it is imported, and throws where that is no JSON. We read it ourselves.
  delete process.env['GITHUB_EVENT_PATH']
  const run = new Run(environment, waiting, { isPost })
  const text = 'The action exited before it finished. Please report this.'
  process.once('beforeExit', () => run.log.fail(text))
  // Such as a file of the runner's that can't be written.
  await step(run).catch((error: unknown) =>
    run.log.fail(`The action failed: ${errorMessage(error)}`),
  )
  // What was written to a pipe is not in it yet; on Windows, and on Linux for more than a pipe holds.
  const streams = [process.stdout, process.stderr]
  await Promise.all(streams.map((stream) => new Promise((written) => stream.write('', written))))
  // Not left to Node: a connection that is kept or still being opened, and a name lookup that gets no answer, would
  // hold the end of the step up for seconds or minutes, and nothing can cancel the lookup.
  process.exit(run.log.hasFailed() ? 1 : 0)
}
