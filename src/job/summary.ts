import type { InputProblem } from '../inputs/read.ts'
import {
  code,
  codeBlock,
  details,
  joinMarkdown,
  link,
  Markdown,
  md,
  type Row,
  sentencesWithCode,
  table,
} from '../lib/markdown.ts'
import { clip } from '../lib/text.ts'
import { formatAge, formatDuration } from '../lib/time.ts'
import type { Run } from '../runner/run.ts'
import { serviceWord } from '../service/errors.ts'
import { failOnNote, type Outcome, pullRequestName } from './outcome.ts'
import type { Plan } from './plan.ts'

/** Maximum number of characters of a prompt that a summary shows: far below GitHub's limit of 1 MiB for all of it. */
const MAX_PROMPT_LENGTH = 200_000

/** The summary of a job that was requested: what came of it, what it means, and what belongs to it folded. */
export function jobSummary(outcome: Outcome, run: Run): Markdown {
  const { inputs } = run
  const { prName, prLink } = outcome
  const heading =
    outcome.result === 'pull-request'
      ? md`Pull request ${link(prName, prLink)} is ready for review`
      : sentencesWithCode(outcome.headline)
  return joinMarkdown([
    md`## ${outcome.sign} ${heading}`,
    ...pullRequestLine(outcome),
    ...continuationLine(outcome.plan, run, outcome.job !== undefined),
    ...sentences(outcome.details),
    ...sentences(failOnNote(outcome, inputs['fail-on'])),
    footer(outcome, inputs['project-id']),
    ...foldedDetails(outcome, run),
  ])
}

/** The summary of a dry run: what would have been sent, in full. */
export function dryRunSummary(purpose: string, plan: Plan, run: Run): Markdown {
  return joinMarkdown([
    md`## 📝 Docs agent: dry run`,
    sentencesWithCode(`The docs service was not called. Without \`dry-run\`, this run would ${purpose}.`),
    ...continuationLine(plan, run, false),
    projectLine(run.inputs['project-id']),
    ...(plan.kind === 'wait' ? [] : [promptBlock(run.redact(plan.prompt))]),
  ])
}

/** The summary of a run that did nothing. */
export function skippedSummary(reason: string, projectId: string): Markdown {
  return joinMarkdown([md`## ⏭️ Docs agent: skipped`, sentencesWithCode(reason), projectLine(projectId)])
}

/** The summary of a run that was killed before it could write one, or that failed unexpectedly. */
export function interruptedSummary(advice: string, projectId: string): Markdown {
  return joinMarkdown([md`## 🛑 Docs agent: interrupted`, sentencesWithCode(advice), projectLine(projectId)])
}

/** The summary of a run whose inputs are wrong. */
export function inputsErrorSummary(problems: readonly InputProblem[], projectId: string): Markdown {
  const rows = problems.map(({ input, problem, accepted }) => [
    code(input),
    sentencesWithCode(problem),
    sentencesWithCode(accepted),
  ])
  return joinMarkdown([
    md`## ❌ Docs agent: wrong inputs`,
    md`Nothing was sent.`,
    table(['Input', 'Problem', 'Accepted'], rows),
    projectLine(projectId),
  ])
}

/** Where the pull request is; a job may have one without having completed. */
function pullRequestLine({ job, result, prLink, prName }: Outcome): Markdown[] {
  if (prLink === '') return []
  if (result !== 'pull-request') return [md`Its pull request: ${link(prName, prLink)}`]
  if (job?.repository == null) return []
  const branch = job.ref === null ? md`` : md`, on the branch ${word(job.ref)}`
  const name = URL.parse(job.repository)?.pathname.replace(/^\/|\.git$/g, '')
  return [md`The docs agent changed ${link(name || job.repository, job.repository)}${branch}.`]
}

/** Which pull request the run went on with, or which one went before. */
function continuationLine(plan: Plan | undefined, { clock }: Run, isSent: boolean): Markdown[] {
  if (plan?.kind === 'create' && plan.previous !== undefined) {
    const { prLink, state } = plan.previous
    const what = state === 'invisible' ? 'is invisible to `github-token`' : `was ${state}`
    return [
      md`A new job: the earlier pull request ${link(pullRequestName(prLink), prLink)} ${sentencesWithCode(what)}.`,
    ]
  }
  if (plan?.kind !== 'message' || plan.pull === undefined) return []
  const { prLink, openedAtMs, conflicts } = plan.pull
  const age = openedAtMs === undefined ? '' : `, open for ${formatAge(clock.now() - openedAtMs)}`
  const name = link(pullRequestName(prLink), prLink)
  if (!isSent) return [md`The message is for ${name}${age}.`]
  const conflict = conflicts ? ' It conflicts with its base branch; the agent was asked to resolve that.' : ''
  return [md`This run went on with ${name}${age}.${conflict}`]
}

function sentences(text: string): Markdown[] {
  return text === '' ? [] : [sentencesWithCode(text)]
}

function footer({ job, durationSeconds, result }: Outcome, projectId: string): Markdown {
  const model = job?.model == null ? [] : [md`model ${word(job.model)}`]
  // Less than a second says that nothing was waited for; beside a timeout, a second figure would contradict it.
  const isTold = durationSeconds !== undefined && durationSeconds > 0 && result !== 'timed-out'
  return projectLine(projectId, [
    ...model,
    ...(isTold ? [md`${formatDuration(durationSeconds * 1000)}`] : []),
  ])
}

function projectLine(projectId: string, more: readonly Markdown[] = []): Markdown {
  const project = projectId === '' ? [] : [md`project ${code(projectId)}`]
  const parts = joinMarkdown([md`Docs agent`, ...project, ...more], ' · ')
  return Markdown.raw(`<sub>${parts.source}</sub>`)
}

function foldedDetails({ job, jobId, plan }: Outcome, { redact }: Run): Markdown[] {
  const rows: Row[] = job === undefined ? [] : [['Status', word(job.status)]]
  if (job?.createdAt != null) rows.push(['Created', word(job.createdAt)])
  const jobTable = jobId === '' ? [] : [table(['Job', word(jobId)], rows)]
  const prompt = plan === undefined || plan.kind === 'wait' ? [] : [promptBlock(redact(plan.prompt))]
  if (jobTable.length + prompt.length === 0) return []
  const title = jobTable.length === 0 ? 'Prompt' : `Job${prompt.length === 0 ? '' : ' and prompt'}`
  return [details(title, joinMarkdown([...jobTable, ...prompt]))]
}

function promptBlock(prompt: string): Markdown {
  return codeBlock(clip(prompt, MAX_PROMPT_LENGTH))
}

function word(text: string): Markdown {
  return code(serviceWord(text))
}
