import type { Trigger } from '../events/trigger.ts'
import { code, joinMarkdown, link, type Markdown, md, sentencesWithCode } from '../lib/markdown.ts'
import { clip, type Failure } from '../lib/text.ts'
import { runUrlOf } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'

/** What comments are written about. */
export type Subject = { readonly trigger: Trigger; readonly run: Pick<Run, 'inputs' | 'environment'> }

/** How a run ended, in the words that the log and the summary use, too. */
export type Ending = Failure & {
  /** The output `result`. */
  readonly result: string
  /** As the step's commit status and the marker have it, whatever `fail-on` makes of the result. */
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
  /** What came of it, such as `3 pages · preview`; empty where that is not known. */
  readonly glance: Markdown
}

/** Whether a result is one that a run was started for. */
export function isExpected(result: string): boolean {
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
export function workingBody(subject: Subject, stage: Stage): Markdown {
  const promise = md`This comment will show the result.`
  return joinMarkdown([md`⏳ **${STAGES[stage]} …**`, originLine(subject), promise])
}

/** Whether a re-run waits for the job; and whether a command on the agent's pull request, too, continues it. */
type NextSteps = { readonly canResume: boolean; readonly isAnnounced: boolean }

export function endBody(subject: Subject, ending: Ending, ways: NextSteps): Markdown {
  const { sign, headline, details, prLink, prName, took } = ending
  const where = prLink === '' ? md`` : md`: ${link(prName, prLink)}`
  const paragraphs = [
    md`${sign} **${sentencesWithCode(clip(headline, MAX_HEADLINE_LENGTH))}${where}**`,
    ending.glance,
    originLine(subject, took === '' ? [] : [md`took ${took}`]),
    sentencesWithCode(clip(details, MAX_DETAILS_LENGTH)),
    nextSteps(subject, ending, ways),
  ]
  return joinMarkdown(paragraphs.filter(({ source }) => source !== ''))
}

function nextSteps(subject: Subject, { result, jobId, namesJob }: Ending, ways: NextSteps): Markdown {
  const { command, 'follow-up': followUp } = subject.run.inputs
  const isReply = subject.trigger.command !== undefined
  const again = code(`${command} …`)
  if (isExpected(result)) {
    const where = ways.isAnnounced ? 'here or on that pull request' : 'here'
    const fresh = code(`${command} new …`)
    return isReply && followUp ? md`To continue, comment ${again} ${where}; ${fresh} starts a new job.` : md``
  }
  const words = jobId === '' || namesJob ? [] : [md`Job ${code(clip(jobId, 100))}.`]
  if (result === 'failed' || result === 'archived') {
    if (isReply) words.push(md`To try again, comment ${again}: that starts a new job.`)
  } else if (ways.canResume) words.push(md`Re-running the ${runLink(subject)} waits for this job, too.`)
  return joinMarkdown(words, ' ')
}

/** For a run that was killed. `canResume`: whether a re-run waits for the job. */
export function interruptedBody(subject: Subject, jobId: string, canResume: boolean): Markdown {
  const rerun = canResume ? md`re-run the ${runLink(subject)}, or ` : md``
  const words =
    jobId === ''
      ? md`The workflow run was interrupted before the docs service had answered. If a job was started, it is still running and may open a pull request.`
      : md`The workflow run was interrupted. The job is still running. To wait for it, ${rerun}run the action with ${code(`job-id: ${jobId}`)}.`
  return joinMarkdown([md`🛑 **Interrupted**`, originLine(subject), words])
}

/** For a command without instructions. */
export function usageBody({ run }: Subject): Markdown {
  const { command, 'follow-up': followUp } = run.inputs
  const example = code(`${command} shorter, and add an example`)
  const further = md`Another command here continues the same job, such as ${example}. ${code(`${command} new …`)} starts a new one.`
  return joinMarkdown([
    md`**What should the docs agent do?** Write your instructions after ${code(command)}:`,
    code(`${command} explain the new flag in the CLI guide`),
    ...(followUp ? [further] : []),
  ])
}

/**
 * On the agent's pull request: what it came from, and how to have it changed. Nobody knows whether a workflow listens
 * to commands, unless one led here.
 */
export function announcementBody(subject: Subject): Markdown {
  const { command, 'follow-up': followUp } = subject.run.inputs
  const example = code(`${command} shorter, and add an example`)
  const how = md`To have it changed, comment ${code(`${command} …`)} here, such as ${example}.`
  return joinMarkdown([
    md`💬 The docs agent opened this pull request for ${origin(subject)}`,
    ...(subject.trigger.command !== undefined && followUp ? [how] : []),
  ])
}

function origin({ trigger: { event, command }, run: { environment } }: Subject): Markdown {
  const { serverUrl, repository, sha, actor } = environment
  if (command !== undefined) {
    const { author, source, instructions } = command
    const words = instructions === '' ? md`.` : md`: ${clip(instructions, MAX_REQUEST_LENGTH)}`
    return md`${link('a comment', source.url)} by **${author.login}**${words}`
  }
  if (event.name === 'push') {
    const commit = link(`commit ${sha.slice(0, 7)}`, `${serverUrl}/${repository}/commit/${sha}`)
    return md`a push by **${actor}**: ${commit}.`
  }
  // Nobody causes a schedule: its actor is the last one who changed it.
  const by = event.name === 'schedule' || actor === '' ? md`` : md` by **${actor}**`
  return md`${link('a workflow run', runUrlOf(environment))} (${code(event.name)}${by}).`
}

/** What the run is for, what else there is to say, and the workflow run. */
function originLine(subject: Subject, more: readonly Markdown[] = []): Markdown {
  const { event, command } = subject.trigger
  const sha = event.payload.pull_request?.head?.sha ?? subject.run.environment.sha
  let what = md`For ${code(sha.slice(0, 7))}`
  if (command !== undefined) {
    const by = md`**${command.author.login}**`
    const request = clip(command.instructions, MAX_REQUEST_LENGTH)
    what = request === '' ? md`Requested by ${by}` : md`${by} asked: ${request}`
  }
  const leg = subject.run.inputs.matrix
  return joinMarkdown([what, ...(leg === '' ? [] : [md`${leg}`]), ...more, runLink(subject)], ' · ')
}

function runLink({ run }: Subject): Markdown {
  return link('workflow run', runUrlOf(run.environment))
}
