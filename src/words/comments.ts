import type { GitHubEvent } from '../event/event.ts'
import {
  code,
  codeBlock,
  joinMarkdown,
  link,
  type Markdown,
  md,
  sentencesWithCode,
} from '../lib/markdown.ts'
import { clip } from '../lib/text.ts'
import type { View } from '../record/recorder.ts'
import { type Run, runUrlOf } from '../runner/run.ts'
import { isSuccess, type Report } from './report.ts'
import { docsText } from './summary.ts'

/** Maximum lengths in a comment, in characters. */
const MAX = { request: 280, title: 300, text: 2000 }

/** What a run is doing, in its comment and commit status. */
const STAGES = {
  starting: 'Starting the agent',
  create: 'The agent is working',
  message: 'The agent is continuing its earlier job',
  wait: "Waiting for the agent's job",
}

/** Makes the view of a run that hasn't ended. */
export function workingView(event: GitHubEvent, stage: keyof typeof STAGES, run: Run): View {
  const title = STAGES[stage]
  const promise = md`This comment will show the result.`
  return { title, text: joinMarkdown([md`⏳ **${title} …**`, originLine(event, run), promise]) }
}

/** Makes the view of a run that has ended. */
export function endView(event: GitHubEvent, report: Report, run: Run): View {
  const { sign, title, text, paste, prLink, prName, took, result } = report
  const where = prLink === '' ? md`` : md`: ${link(prName, prLink)}`
  const isReady = result === 'pull-request' && prName !== ''
  return {
    title: isReady ? `${title}: ${prName}` : title,
    text: joinMarkdown([
      md`${sign} **${sentencesWithCode(clip(title, MAX.title))}${where}**`,
      ...docsText(report),
      originLine(event, run, took),
      sentencesWithCode(clip(text, MAX.text)),
      paste ? codeBlock(paste) : md``,
      nextSteps(event, report, run),
    ]),
  }
}

function nextSteps({ command }: GitHubEvent, { result, accepted }: Report, run: Run): Markdown {
  const { command: word, 'follow-up': followUp } = run.inputs
  const again = code(`${word} …`)
  if (!command) return md``
  if (isSuccess(result))
    return followUp
      ? md`To ask for more changes, comment ${again} here. To start a separate job, comment ${code(`${word} new …`)}.`
      : md``
  if (result === 'failed' || result === 'archived')
    return md`To try again with a new job, comment ${again}.`
  return accepted ? md`You can also re-run the ${runLink(run)} to wait for this job.` : md``
}

/**
 * Makes the view of a run that was killed.
 *
 * @param jobId `undefined` if a job may have been started
 */
export function killedView(event: GitHubEvent, jobId: string | undefined, run: Run): View {
  const { mintlifyName } = run
  const title =
    jobId === undefined
      ? 'Interrupted: a job may be running'
      : 'Interrupted: the job may still be running'
  // A re-run of a command waits for the job.
  const rerun = event.command ? md`re-run the ${runLink(run)}, or ` : md``
  const words =
    jobId === undefined
      ? md`The workflow run was interrupted before ${mintlifyName} responded. If a job was started, it may still be running and may open a pull request.`
      : md`The workflow run was interrupted. The job may still be running. To wait for it, ${rerun}run the action with ${code(`job-id: ${jobId}`)}.`
  return { title, text: joinMarkdown([md`🛑 **Interrupted**`, originLine(event, run), words]) }
}

/** Writes the reply to a command without instructions. */
export function usageText({ inputs }: Run): Markdown {
  const { command, 'follow-up': followUp } = inputs
  const example = code(`${command} make it shorter and add an example`)
  const further = md`To refine the result, comment again, for example ${example}. To start over, comment ${code(`${command} new …`)}.`
  return joinMarkdown([
    md`**The command has no instructions.** Write your instructions after ${code(command)}, for example:`,
    code(`${command} explain the new flag in the CLI guide`),
    followUp ? further : md``,
  ])
}

/** Names the change or the request that the run is for, and links the run. */
function originLine({ command, head }: GitHubEvent, run: Run, took = ''): Markdown {
  let what = head ? md`For ${code(head.slice(0, 7))}` : md``
  if (command) {
    const by = md`**${command.author.login}**`
    const request = clip(command.request, MAX.request)
    what = request === '' ? md`Requested by ${by}` : md`${by} asked: ${request}`
  }
  const { matrix } = run.inputs
  return joinMarkdown([what, md`${matrix}`, md`${took && `took ${took}`}`, runLink(run)], ' · ')
}

function runLink({ environment }: Run): Markdown {
  return link('workflow run', runUrlOf(environment))
}
