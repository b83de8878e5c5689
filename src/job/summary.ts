import type { InputProblem } from '../inputs/read.ts'
import { formatDuration } from '../lib/duration.ts'
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
import type { Redact } from '../lib/redact.ts'
import { clip } from '../lib/text.ts'
import { serviceWord } from '../service/service-error.ts'
import { type Outcome, pullRequestName } from './outcome.ts'
import { failOnNote, type OutcomeContext, outcomeText, RESULT_SIGNS, signOf } from './outcome-text.ts'

/** Maximum number of characters of a prompt that a summary shows: far below GitHub's limit of 1 MiB for all of it. */
const MAX_PROMPT_LENGTH = 200_000

/** The summary of a job that was requested: what came of it, what it means, and what belongs to it folded. */
export function jobSummary(outcome: Outcome, context: OutcomeContext, redact: Redact): Markdown {
  const { advice } = outcomeText(outcome, context)
  return joinMarkdown([
    md`## ${signOf(outcome.result, context.failOn)} ${heading(outcome, context)}`,
    ...pullRequestLine(outcome),
    ...sentences(advice),
    ...sentences(failOnNote(outcome, context)),
    footer(outcome, context),
    ...foldedDetails(outcome, redact),
  ])
}

/** The summary of a dry run: what would have been requested, in full. */
export function dryRunSummary(run: {
  readonly purpose: string
  readonly prompt: string
  readonly projectId: string
}): Markdown {
  return joinMarkdown([
    md`## 📝 Docs agent: dry run`,
    sentencesWithCode(`The docs service was not called. Without \`dry-run\`, this run would ${run.purpose}.`),
    projectLine(run.projectId),
    ...(run.prompt === '' ? [] : [promptBlock(run.prompt)]),
  ])
}

/** The summary of a run that was killed before it could write one. */
export function cutOffSummary(advice: string, projectId: string): Markdown {
  return joinMarkdown([
    md`## ${RESULT_SIGNS.cancelled} Docs agent: cut off`,
    sentencesWithCode(advice),
    projectLine(projectId),
  ])
}

/** The summary of a run whose inputs are wrong. */
export function inputsErrorSummary(problems: readonly InputProblem[], projectId: string): Markdown {
  const rows = problems.map(({ input, problem, accepted }) => [
    code(input),
    sentencesWithCode(problem),
    sentencesWithCode(accepted),
  ])
  return joinMarkdown([
    md`## ${RESULT_SIGNS.error} Docs agent: wrong inputs`,
    md`Nothing was sent.`,
    table(['Input', 'Problem', 'Accepted'], rows),
    projectLine(projectId),
  ])
}

/** The result; the pull request itself where there is one. */
function heading(outcome: Outcome, context: OutcomeContext): Markdown {
  const prLink = outcome.job?.prLink ?? null
  if (outcome.result !== 'pull-request' || prLink === null) {
    return sentencesWithCode(outcomeText(outcome, context).headline)
  }
  return md`Pull request ${link(pullRequestName(prLink), prLink)} is ready for review`
}

/** Where the pull request is; a job may have one without having completed. */
function pullRequestLine({ job, result }: Outcome): Markdown[] {
  if (job?.prLink == null) return []
  if (result !== 'pull-request')
    return [md`Its pull request: ${link(pullRequestName(job.prLink), job.prLink)}`]
  if (job.repository === null) return []
  const branch = job.ref === null ? md`` : md`, on the branch ${word(job.ref)}`
  return [md`The docs agent changed ${repositoryLink(job.repository)}${branch}.`]
}

function sentences(text: string): Markdown[] {
  return text === '' ? [] : [sentencesWithCode(text)]
}

/** Which project, which model, how long. */
function footer({ job, durationSeconds }: Outcome, { projectId }: OutcomeContext): Markdown {
  const model = job?.model == null ? [] : [md`model ${word(job.model)}`]
  // Less than a second says that nothing was waited for.
  const duration = durationSeconds ? [md`${formatDuration(durationSeconds * 1000)}`] : []
  return projectLine(projectId, [...model, ...duration])
}

function projectLine(projectId: string, more: readonly Markdown[] = []): Markdown {
  const project = projectId === '' ? [] : [md`project ${code(projectId)}`]
  const parts = joinMarkdown([md`Docs agent`, ...project, ...more], ' · ')
  return Markdown.trusted(`<sub>${parts.source}</sub>`)
}

function foldedDetails({ job, jobId, sent }: Outcome, redact: Redact): Markdown[] {
  const rows: Row[] = job === undefined ? [] : [['Status', word(job.status)]]
  if (job?.createdAt != null) rows.push(['Created', word(job.createdAt)])
  const ids = jobId === '' ? [] : [table(['Job', word(jobId)], rows)]
  const prompt = sent === '' ? [] : [promptBlock(redact(sent))]
  if (ids.length + prompt.length === 0) return []
  const title = [ids.length > 0 ? 'Job' : '', prompt.length > 0 ? 'Prompt' : ''].filter((part) => part !== '')
  return [details(title.join(' and ').replace(' Prompt', ' prompt'), joinMarkdown([...ids, ...prompt]))]
}

function promptBlock(prompt: string): Markdown {
  return codeBlock(clip(prompt, MAX_PROMPT_LENGTH))
}

function word(text: string): Markdown {
  return code(serviceWord(text))
}

function repositoryLink(url: string): Markdown {
  const name = URL.parse(url)?.pathname.replace(/^\/|\.git$/g, '') ?? url
  return link(name === '' ? url : name, url)
}
