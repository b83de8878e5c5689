import { type Skip, skip, skipByPayload } from './decide/decide.ts'
import { type GitHubEvent, readEvent } from './event/event.ts'
import { type RunRequest, readRequest } from './event/request.ts'
import { isAllowedBot, readRefusal } from './event/who.ts'
import { hasPrompt, hasReport, InputsProblem, isWaitOnly } from './inputs/table.ts'
import { runJob } from './job.ts'
import { errorMessage, includesName, Problem } from './lib/text.ts'
import { createSystemClock } from './lib/time.ts'
import { runPost } from './post.ts'
import { Recorder } from './record/recorder.ts'
import { Run, readEnvironment, type SummarySection } from './runner/run.ts'
import { readContentGaps, reportVisitors } from './visitors/visitors.ts'
import { REPORT_BUG, toProblem } from './words/report.ts'
import { inputsSummary, problemSummary, reportSkip } from './words/summary.ts'

/** Runs the main step. Rejects only if a file of the runner can't be written. */
export async function runMain(run: Run): Promise<void> {
  try {
    await perform(run)
  } catch (error) {
    reportProblem(error, run, 'job')
  }
  run.github.reportFailures()
  // The post step doesn't repeat the notice.
  if (run.github.isExplained) run.saveState('explained', 'true')
  run.saveState('finished', 'true')
}

async function perform(run: Run): Promise<void> {
  const { environment, inputs } = run
  const event = readEvent(environment, inputs)
  const isWaiting = isWaitOnly(inputs) && !event.command
  const unneeded = isWaiting ? undefined : skipByPayload(event)
  const early =
    skipNoCommand(event, run) ??
    (hasReport(inputs) ? undefined : unneeded) ??
    skipWithoutKey(event, run)
  const wantsJob = event.canBeCommand || hasPrompt(inputs) || inputs['job-id'] !== ''
  if (early) return reportSkip(early, run, wantsJob || !hasReport(inputs))
  const request = await readRequest(event, run)
  const refused =
    isWaiting && !hasReport(inputs) ? undefined : await skipRefused(event, request, run)
  if (run.cancel.aborted) return reportCanceled(request, run)
  if (refused === 'reported') return
  if (refused) return reportSkip(refused, run, request.wantsJob)
  const gaps = hasReport(inputs) ? readContentGaps(run) : Promise.resolve(undefined)
  // Each requested part is tried and reported, so that one part's failure never hides the result of the other.
  const [ofJob, ofReport] = await Promise.allSettled([
    request.wantsJob && (unneeded ? reportSkip(unneeded, run) : runJob(event, request, gaps, run)),
    hasReport(inputs) && reportVisitors(gaps, run),
  ])
  if (ofJob.status === 'rejected') reportProblem(ofJob.reason, run, 'job')
  if (ofReport.status === 'rejected') reportProblem(ofReport.reason, run, 'visitors')
}

/** Skips a comment or review that can't start a job, without any request. */
function skipNoCommand({ canBeCommand, command }: GitHubEvent, { inputs }: Run): Skip | undefined {
  if (!canBeCommand) return undefined
  const level = 'info'
  if (!command)
    return skip(`the text isn't new, or doesn't start with ${inputs.command}`, 'No command', {
      level,
    })
  const { login, isBot } = command.author
  if (!isBot || isAllowedBot(command.author, inputs)) return undefined
  const isMeant = includesName(
    inputs['allow-bots'].map((name) => `${name}[bot]`),
    login,
  )
  const advice = isMeant ? `To allow it, write \`${login}\` in \`allow-bots\`.` : ''
  const reason = `${login} is a bot that isn't in \`allow-bots\``
  return skip(reason, 'This bot is not in `allow-bots`', {
    level: isMeant ? 'notice' : level,
    advice,
  })
}

/**
 * Skips runs without an API key on events that GitHub passes no secrets to, and lists other ways.
 * Source: GitHub's documentation, "Events that trigger workflows", "Dependabot on GitHub Actions".
 */
function skipWithoutKey(event: GitHubEvent, run: Run): Skip | undefined {
  const { inputs, environment } = run
  // A wrong key is not a missing one.
  if (run.inputText('api-key') || inputs['dry-run']) return undefined
  const isDependabot = [environment.actor, event.sender].includes('dependabot[bot]')
  if (!event.hasNoSecrets && !isDependabot) return undefined
  const ways = [
    isDependabot && 'save the key as a Dependabot secret',
    event.isFork && "save a key in this fork's secrets",
    inputs.command && `comment \`${inputs.command} …\` in the main thread of the pull request`,
    'start the job after the merge, on `push`',
  ].filter((way) => way)
  const whose = isDependabot ? 'by Dependabot' : 'from forks'
  const reason = `\`api-key\` is empty, because GitHub passes no Actions secrets to runs ${whose}`
  const advice = `To get docs anyway, ${ways.join(', or ')}.`
  return skip(reason, `No API key for runs ${whose}`, { advice })
}

/** Skips a run if the account behind it may not start a job. `reported`: its problem is reported already. */
async function skipRefused(
  event: GitHubEvent,
  { wantsJob }: RunRequest,
  run: Run,
): Promise<Skip | 'reported' | undefined> {
  const { command, actor, name } = event
  const { inputs } = run
  const recorder = new Recorder(event, run)
  const login = typeof actor === 'object' ? actor.login : 'the account'
  let refusal: string | undefined
  try {
    refusal = await readRefusal(event, run)
  } catch (error) {
    if (run.cancel.aborted) return undefined
    if (!command || !(error instanceof Problem)) {
      reportProblem(error, run, wantsJob ? 'job' : 'visitors')
      return 'reported'
    }
    run.github.explain()
    await recorder.react('confused')
    const { isTransient, text, title, paste } = error
    const advice = isTransient ? 'To try again, repeat the command later.' : text
    const reason = `the permission of ${login} is unknown`
    return skip(reason, title, { level: 'warning', advice, paste })
  }
  if (!refusal) return undefined
  await recorder.react('-1')
  const what = command ? `the command ${inputs.command}` : `a run on this \`${name}\` event`
  const reason = `${refusal}, and ${what} needs \`${inputs['required-permission']}\` (\`required-permission\`)`
  const advice = login.endsWith('[bot]')
    ? 'To let this bot start jobs, add it to `allow-bots`.'
    : 'To start the job, ask a person with this permission.'
  return skip(reason, 'Not permitted to start a job', { advice })
}

function reportCanceled({ wantsJob }: RunRequest, run: Run): void {
  const title = `Canceled before anything was sent to ${run.mintlifyName}`
  if (wantsJob) run.setOutputs({ result: 'cancelled' })
  run.writeSummary('job', problemSummary('🛑', { title, text: 'Nothing was started.' }, run))
  run.log.fail(`${title}. Nothing was started.`, title)
}

function reportProblem(error: unknown, run: Run, section: SummarySection): void {
  const problem = toProblem(error, false, run)
  const isReportOnly = problem instanceof InputsProblem && !problem.wantsJob
  if (section === 'job' && !isReportOnly) run.setOutputs({ result: 'error' })
  const { title, text, paste } = problem
  run.log.fail(paste ? `${text}\n${paste}` : text, title)
  const isOfInputs = problem instanceof InputsProblem
  run.writeSummary(
    section,
    isOfInputs ? inputsSummary(problem, run) : problemSummary('❌', problem, run),
  )
}

/** Runs a step to its end, and ends the process. */
async function runToEnd(step: (run: Run) => Promise<void>, isPost: boolean): Promise<void> {
  // Until the run has ended: Node would exit with 0 if a promise could never be settled.
  process.exitCode = 1
  const cancel = new AbortController()
  // The runner sends SIGINT, and SIGTERM 7.5 s later.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => cancel.abort())
  const waiting = { clock: createSystemClock(), random: Math.random, cancel: cancel.signal }
  const environment = readEnvironment(process.env)
  // @actions/github parses the payload when it is imported, and throws if it isn't JSON. This action reads it itself.
  delete process.env['GITHUB_EVENT_PATH']
  const run = new Run(environment, waiting, { isPost })
  const text = 'The action exited before it finished'
  process.once('beforeExit', () => run.log.fail(`${text}. ${REPORT_BUG}`, text))
  // For example, a file of the runner that can't be written.
  await step(run).catch((error: unknown) => {
    run.log.fail(
      `The action could not finish: ${errorMessage(error)}. ${REPORT_BUG}`,
      'The action could not finish',
    )
  })
  // What was written to a pipe is not in it yet; on Windows, and on Linux for more than a pipe holds.
  const streams = [process.stdout, process.stderr]
  await Promise.all(streams.map((stream) => new Promise((written) => stream.write('', written))))
  // Not left to Node: a connection that is kept or still being opened, and a name lookup that gets no answer, would
  // hold the end of the step up for seconds or minutes, and a lookup can't be canceled.
  process.exit(run.log.hasFailed() ? 1 : 0)
}

/** Runs the main step; called by `dist/index.js`. */
export async function main(): Promise<void> {
  await runToEnd(runMain, false)
}

/** Runs the post step; called by `dist/post.js`. */
export async function post(): Promise<void> {
  await runToEnd(runPost, true)
}
