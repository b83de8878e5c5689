import { code, joinMarkdown, link, type Markdown, md, sentencesWithCode } from '../lib/markdown.ts'
import { clip, type Failure } from '../lib/text.ts'
import type { Trigger } from '../look/command.ts'
import { runUrlOf } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'

/** The end of a run, in the words that the log and the summary use, too. */
export type Ending = Failure & {
  /** The output `result`. */
  readonly result: string
  /** As in the step's commit status and the reply's marker, whatever `fail-on` includes. */
  readonly state: 'success' | 'failure' | 'error'
  readonly sign: Markdown
  /** URL of the pull request and a short name for it; empty if there is none. */
  readonly prLink: string
  readonly prName: string
  /** Empty if there is none, or it is unknown. */
  readonly jobId: string
  /** Whether the details give that ID. */
  readonly namesJob: boolean
  /** How long the job took, such as `3 min 05 s`; empty if it says nothing. */
  readonly took: string
  /** The docs pull request as GitHub shows it, in paragraphs. */
  readonly pullText: readonly Markdown[]
}

/** Whether a result is what the run was started for. */
export function isSuccess(result: string): boolean {
  return ['pull-request', 'no-pull-request', 'submitted'].includes(result)
}

/** Maximum lengths in a comment. */
const MAX_REQUEST_LENGTH = 280
const MAX_HEADLINE_LENGTH = 300
const MAX_DETAILS_LENGTH = 2000

/** What a run is doing, in its comment and, once the job was accepted, in the commit status. */
export const STAGES = {
  starting: 'Starting the agent',
  create: 'The agent is working',
  message: 'The agent is continuing its earlier job',
  wait: "Waiting for the agent's job",
}

export type Stage = keyof typeof STAGES

/** Writes the comment of a run that hasn't ended. */
export function workingBody(trigger: Trigger, stage: Stage, run: Run): Markdown {
  const promise = md`This comment will show the result.`
  return joinMarkdown([md`⏳ **${STAGES[stage]} …**`, originLine(trigger, run), promise])
}

/** Writes the comment of a run that has ended. `hasNote`: whether a command on the docs pull request continues the job. */
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
  // A review is a command even if `command` is empty.
  const hasWord = command !== undefined && word !== ''
  if (isSuccess(result)) {
    const where = hasNote ? 'here or on the pull request' : 'here'
    if (!hasWord || !followUp) return md``
    return md`To ask for more changes, comment ${again} ${where}. To start a separate job, comment ${code(`${word} new …`)}.`
  }
  const words = jobId === '' || namesJob ? [] : [md`Job ${code(clip(jobId, 100))}.`]
  if (result === 'failed' || result === 'archived') {
    if (hasWord) words.push(md`To try again with a new job, comment ${again}.`)
  } else if (canResume)
    words.push(md`You can also re-run the ${runLink(run)} to wait for this job.`)
  return joinMarkdown(words, ' ')
}

/** Writes the comment of a run that was killed. `canResume`: whether a re-run waits for the job. */
export function interruptedBody(
  trigger: Trigger,
  jobId: string,
  canResume: boolean,
  run: Run,
): Markdown {
  const rerun = canResume ? md`re-run the ${runLink(run)}, or ` : md``
  const words =
    jobId === ''
      ? md`The workflow run was interrupted before ${run.mintlify} responded. If a job was started, it is still running and may open a pull request.`
      : md`The workflow run was interrupted. The job is still running. To wait for it, ${rerun}run the action with ${code(`job-id: ${jobId}`)}.`
  return joinMarkdown([md`🛑 **Interrupted**`, originLine(trigger, run), words])
}

/** Writes the reply to a review for which nothing is started. */
export function skippedBody(trigger: Trigger, reason: string, run: Run): Markdown {
  return joinMarkdown([md`⏭️ ${sentencesWithCode(reason)}`, originLine(trigger, run)])
}

/** Writes the reply to a command without instructions. */
export function usageBody({ inputs }: Run): Markdown {
  const { command, 'follow-up': followUp } = inputs
  const example = code(`${command} make it shorter and add an example`)
  const further = md`To refine the result, comment again, for example ${example}. To start over, comment ${code(`${command} new …`)}.`
  return joinMarkdown([
    md`**What should the agent do?** Write your instructions after ${code(command)}, for example:`,
    code(`${command} explain the new flag in the CLI guide`),
    ...(followUp ? [further] : []),
  ])
}

/** Says what the run is for, and links it. */
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
  const { matrix } = run.inputs
  return joinMarkdown([what, md`${matrix}`, ...more, runLink(run)], ' · ')
}

function runLink({ environment }: Run): Markdown {
  return link('workflow run', runUrlOf(environment))
}
