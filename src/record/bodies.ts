import { code, joinMarkdown, link, type Markdown, md, sentencesWithCode } from '../lib/markdown.ts'
import { clip, type Failure } from '../lib/text.ts'
import type { Trigger } from '../look/command.ts'
import { runUrlOf } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'

/** How a run ended, in the words that the log and the summary use, too. */
export type Ending = Failure & {
  /** The output `result`. */
  readonly result: string
  /** As the step's commit status and the reply's marker have it, whatever `fail-on` makes of the result. */
  readonly state: 'success' | 'failure' | 'error'
  readonly sign: Markdown
  /** URL of the pull request and a short name for it; empty if there is none. */
  readonly prLink: string
  readonly prName: string
  /** Empty if there is none, or none is known. */
  readonly jobId: string
  /** Whether the details give that id. */
  readonly namesJob: boolean
  /** How long the job took, such as `3 min 05 s`; empty where that says nothing. */
  readonly took: string
  /** What GitHub shows of it, as paragraphs. */
  readonly pullText: readonly Markdown[]
}

/** Whether a result is one that a run was started for. */
export function isSuccess(result: string): boolean {
  return ['pull-request', 'no-pull-request', 'submitted'].includes(result)
}

/** Maximum number of characters of a request, headline or explanation that a comment shows. */
const MAX_REQUEST_LENGTH = 280
const MAX_HEADLINE_LENGTH = 300
const MAX_DETAILS_LENGTH = 2000

/** What is going on, as the comment says it and, once the job was accepted, the commit status. */
export const STAGES = {
  starting: 'Starting the docs agent',
  create: 'The docs agent is working',
  message: 'The docs agent continues its earlier job',
  wait: "Waiting for the docs agent's job",
}

export type Stage = keyof typeof STAGES

/** While the agent works, or before it does. */
export function workingBody(trigger: Trigger, stage: Stage, run: Run): Markdown {
  const promise = md`This comment will show the result.`
  return joinMarkdown([md`⏳ **${STAGES[stage]} …**`, originLine(trigger, run), promise])
}

/** `hasNote`: whether a command on the agent's pull request, too, continues the job. */
export function endBody(
  trigger: Trigger,
  ending: Ending,
  hints: { readonly canResume: boolean; readonly hasNote: boolean },
  run: Run,
): Markdown {
  const { sign, headline, details, prLink, prName, took } = ending
  const where = prLink === '' ? md`` : md`: ${link(prName, prLink)}`
  return joinMarkdown([
    md`${sign} **${sentencesWithCode(clip(headline, MAX_HEADLINE_LENGTH))}${where}**`,
    ...ending.pullText,
    originLine(trigger, run, took === '' ? [] : [md`took ${took}`]),
    sentencesWithCode(clip(details, MAX_DETAILS_LENGTH)),
    nextSteps(trigger, ending, hints, run),
  ])
}

function nextSteps(
  { command }: Trigger,
  { result, jobId, namesJob }: Ending,
  { canResume, hasNote }: Parameters<typeof endBody>[2],
  run: Run,
): Markdown {
  const { command: word, 'follow-up': followUp } = run.inputs
  const again = code(`${word} …`)
  // A review is one without a word.
  const hasWord = command !== undefined && word !== ''
  if (isSuccess(result)) {
    const where = hasNote ? 'here or on that pull request' : 'here'
    if (!hasWord || !followUp) return md``
    return md`To continue, comment ${again} ${where}; ${code(`${word} new …`)} starts a new job.`
  }
  const words = jobId === '' || namesJob ? [] : [md`Job ${code(clip(jobId, 100))}.`]
  if (result === 'failed' || result === 'archived') {
    if (hasWord) words.push(md`To try again, comment ${again}: that starts a new job.`)
  } else if (canResume) words.push(md`Re-running the ${runLink(run)} waits for this job, too.`)
  return joinMarkdown(words, ' ')
}

/** For a run that was killed. `canResume`: whether a re-run waits for the job. */
export function interruptedBody(
  trigger: Trigger,
  jobId: string,
  canResume: boolean,
  run: Run,
): Markdown {
  const rerun = canResume ? md`re-run the ${runLink(run)}, or ` : md``
  const words =
    jobId === ''
      ? md`The workflow run was interrupted before the docs service had answered. If a job was started, it is still running and may open a pull request.`
      : md`The workflow run was interrupted. The job is still running. To wait for it, ${rerun}run the action with ${code(`job-id: ${jobId}`)}.`
  return joinMarkdown([md`🛑 **Interrupted**`, originLine(trigger, run), words])
}

/** For a review that nothing is started for. */
export function skippedBody(trigger: Trigger, reason: string, run: Run): Markdown {
  return joinMarkdown([md`⏭️ ${sentencesWithCode(reason)}`, originLine(trigger, run)])
}

/** For a command without instructions. */
export function usageBody({ inputs }: Run): Markdown {
  const { command, 'follow-up': followUp } = inputs
  const example = code(`${command} shorter, and add an example`)
  const further = md`Another command here continues the same job, such as ${example}. ${code(`${command} new …`)} starts a new one.`
  return joinMarkdown([
    md`**What should the docs agent do?** Write your instructions after ${code(command)}:`,
    code(`${command} explain the new flag in the CLI guide`),
    ...(followUp ? [further] : []),
  ])
}

/** What the run is for, what else there is to say, and the workflow run. */
function originLine(
  { event, command }: Trigger,
  run: Run,
  more: readonly Markdown[] = [],
): Markdown {
  const sha = event.payload.pull_request?.head?.sha ?? run.environment.sha
  let what = md`For ${code(sha.slice(0, 7))}`
  if (command !== undefined) {
    const by = md`**${command.author.login}**`
    const request = clip(command.instructions, MAX_REQUEST_LENGTH)
    what = request === '' ? md`Requested by ${by}` : md`${by} asked: ${request}`
  }
  const leg = run.inputs.matrix
  return joinMarkdown([what, ...(leg === '' ? [] : [md`${leg}`]), ...more, runLink(run)], ' · ')
}

function runLink({ environment }: Run): Markdown {
  return link('workflow run', runUrlOf(environment))
}
