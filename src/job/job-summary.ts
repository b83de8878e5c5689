import type { ContextStats } from '../context/render.ts'
import type { Skip } from '../events/trigger.ts'
import { parsePullRequest } from '../github/pull-requests.ts'
import type { InputsError } from '../inputs/table.ts'
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
import { clip, countOf, inBackticks } from '../lib/text.ts'
import { pullOutputs } from '../pull/pull-words.ts'
import { isExpected } from '../record/bodies.ts'
import type { OutputValues, Run } from '../runner/run.ts'
import { serviceWord } from '../service/service-errors.ts'
import type { Plan } from './plan.ts'
import type { Report } from './report.ts'

/** Maximum number of characters of a prompt that a summary shows: far below GitHub's limit of 1 MiB for all of it. */
const MAX_PROMPT_LENGTH = 200_000

/** Sets the outputs of a job and writes its summary. */
export function publishReport(report: Report, run: Run): void {
  run.setOutputs(jobOutputs(report))
  run.writeSummary('job', jobSummary(report, run))
}

/** The outputs of an agent job at its end. */
function jobOutputs(report: Report): OutputValues {
  const { result, job, jobId, plan, pull } = report
  return {
    'job-id': jobId,
    result,
    ...(job && {
      status: job.status,
      'pr-link': job.prLink ?? '',
      'pr-number': parsePullRequest(job.prLink ?? '').number,
      job: job.json,
    }),
    'pr-operation': operationOf(report),
    'source-authors': authorsOf(plan),
    ...(pull && pullOutputs(pull)),
  }
}

function authorsOf(plan: Plan | undefined): string {
  return plan === undefined || plan.kind === 'wait' ? '' : plan.authors.join('\n')
}

/** What this run did to the pull request. One that was there before the message was updated. */
function operationOf({ prLink, pull, accepted }: Report): string {
  if (prLink === '' || accepted === undefined || accepted.kind === 'wait') return ''
  if (accepted.kind === 'create') return 'created'
  const createdAtMs = (pull?.kind === 'pull-request' && pull.createdAtMs) || Infinity
  return accepted.prLink !== '' || createdAtMs < accepted.sentAtMs ? 'updated' : 'created'
}

/** The summary of a job that was requested: its result, what that means, and what belongs to it folded. */
function jobSummary(report: Report, run: Run): Markdown {
  const { result, sign, headline, prName, prLink, plan, job, pullText } = report
  const told = plan === undefined || plan.kind === 'wait' ? undefined : plan.contextStats
  const costs = run.log.costs()
  const ended = report.pull?.kind === 'pull-request' ? report.pull.ended : undefined
  const state = ended === undefined ? 'is ready for review' : `was ${ended}`
  const heading =
    result === 'pull-request'
      ? md`Pull request ${link(prName, prLink)} ${state}`
      : sentencesWithCode(headline)
  return joinMarkdown([
    md`## ${costs.length > 0 && isExpected(result) && !report.isFailure ? '⚠️' : sign} ${heading}`,
    costLines(costs),
    ...pullText,
    pullRequestLine(report),
    continuationLine(plan, job !== undefined, run),
    sentencesWithCode(report.details),
    result === 'no-pull-request' && told ? md`The agent was told: ${contextCounts(told)}.` : md``,
    sentencesWithCode(report.failOnNote),
    footer(run, report),
    foldedDetails(report, run),
  ])
}

/** What went wrong on the way and costs the user something. */
function costLines(costs: readonly string[]): Markdown {
  return joinMarkdown(
    costs.map((text) => md`⚠️ ${sentencesWithCode(text)}`),
    '\n\n',
  )
}

/** Says what a run would have done, and shows what it would have sent. */
export function reportDryRun(plan: Plan, run: Run): undefined {
  const { log } = run
  const forJob = plan.kind === 'message' ? 'send this message to' : 'wait for'
  const purpose =
    plan.kind === 'create'
      ? 'start a job with this prompt'
      : `${forJob} the job ${inBackticks(plan.id)}`
  const text = `The docs service was not called. Without \`dry-run\`, this run would ${purpose}.`
  run.setOutputs({ result: 'dry-run', 'source-authors': authorsOf(plan) })
  if (plan.kind !== 'wait') log.group('The prompt', run.redact(plan.prompt))
  run.writeSummary('job', dryRunSummary(text, plan, run))
  log.notice(text)
}

/** The summary of a dry run: what would have been sent, in full. */
function dryRunSummary(text: string, plan: Plan, run: Run): Markdown {
  return joinMarkdown([
    md`## 📝 Docs agent: dry run`,
    sentencesWithCode(text),
    costLines(run.log.costs()),
    continuationLine(plan, false, run),
    plan.kind === 'wait' || !plan.contextStats
      ? md``
      : md`The agent would be told: ${contextCounts(plan.contextStats)}.`,
    footer(run),
    promptBlock(plan, run),
  ])
}

/** The summary of a run that did nothing, or that was killed or failed before it could write one. */
export function shortSummary(sign: '⏭️' | '🛑' | '❌', text: string, run: Run): Markdown {
  return joinMarkdown([md`## ${sign} Docs agent`, sentencesWithCode(text), footer(run)])
}

/** Says that a run does nothing, and why. */
export function reportSkip({ level, reason }: Skip, run: Run): undefined {
  run.log[level](reason)
  run.setOutputs({ result: 'skipped' })
  run.writeSummary('job', shortSummary('⏭️', reason, run))
}

/** The summary of a run whose inputs are wrong. */
export function inputsErrorSummary({ problems }: InputsError, run: Run): Markdown {
  const rows = problems.map((one) => [
    code(one.input),
    ...[one.problem, one.accepted].map(sentencesWithCode),
  ])
  return joinMarkdown([
    md`## ❌ Docs agent: wrong ${problems.length === 1 ? 'input' : 'inputs'}`,
    md`Nothing was sent.`,
    table(['Input', 'Problem', 'Accepted'], rows),
    footer(run),
  ])
}

/** Where the pull request is; a job may have one without having completed. */
function pullRequestLine({ job, result, prLink, prName }: Report): Markdown {
  if (prLink === '') return md``
  if (result !== 'pull-request') return md`Its pull request: ${link(prName, prLink)}`
  if (job?.repository == null) return md``
  const branch = job.ref === null ? md`` : md`, on the branch ${word(job.ref)}`
  const name = URL.parse(job.repository)?.pathname.replace(/^\/|\.git$/g, '')
  return md`The docs agent changed ${link(name || job.repository, job.repository)}${branch}.`
}

/** Which pull request the run went on with, or which one went before. */
function continuationLine(plan: Plan | undefined, isSent: boolean, { inputs }: Run): Markdown {
  if (plan?.kind === 'create' && plan.previous !== undefined) {
    const { prLink, state } = plan.previous
    const what =
      state === 'invisible' ? md`is invisible to ${code('github-token')}` : md`was ${state}`
    return md`A new job: the earlier pull request ${link(parsePullRequest(prLink).name, prLink)} ${what}.`
  }
  if (plan?.kind !== 'message' || plan.pull === undefined) return md``
  const { prLink, openFor, conflicts, editors } = plan.pull
  const name = link(parsePullRequest(prLink).name, prLink)
  if (!isSent) return md`The message is for ${name}${openFor}.`
  // With `context: none`, nothing is added to the prompt.
  const asked = (what: string): string =>
    inputs.context === 'none' ? '' : `; the agent was asked to ${what}`
  const parts = [md`This run continued ${name}${openFor}.`]
  if (conflicts === true) parts.push(md`It conflicts with its base branch${asked('resolve that')}.`)
  if (editors !== '') parts.push(md`It has commits by ${editors}${asked('keep them')}.`)
  return joinMarkdown(parts, ' ')
}

function footer({ inputs }: Run, report?: Report): Markdown {
  const parts = [md`Docs agent`]
  const { 'project-id': projectId, matrix: leg } = inputs
  if (projectId !== '') parts.push(md`project ${code(projectId)}`)
  if (leg !== '') parts.push(md`${leg}`)
  if (report?.job?.model != null) parts.push(md`model ${word(report.job.model)}`)
  if (report !== undefined && report.took !== '') parts.push(md`${report.took}`)
  return Markdown.raw(`<sub>${joinMarkdown(parts, ' · ').source}</sub>`)
}

function foldedDetails({ job, jobId, plan }: Report, run: Run): Markdown {
  const rows: Row[] = job === undefined ? [] : [['Status', word(job.status)]]
  if (job?.createdAt != null) rows.push(['Created', word(job.createdAt)])
  const prompt = promptBlock(plan, run)
  if (jobId === '') return prompt.source === '' ? prompt : details('Prompt', prompt)
  const title = prompt.source === '' ? 'Job' : 'Job and prompt'
  return details(title, joinMarkdown([table(['Job', word(jobId)], rows), prompt]))
}

function promptBlock(plan: Plan | undefined, { redact }: Run): Markdown {
  if (plan === undefined || plan.kind === 'wait') return md``
  return codeBlock(clip(redact(plan.prompt), MAX_PROMPT_LENGTH))
}

/** What the agent was told: `12 commits, 34 files, 2 merged pull requests`. */
function contextCounts({ commits, files, mergedPulls }: ContextStats): string {
  if (files === undefined && commits === 0) return 'what has changed is not known'
  const changed = files === undefined ? 'files not known' : countOf(files, 'file')
  const pulls = mergedPulls === 0 ? '' : `, ${countOf(mergedPulls, 'merged pull request')}`
  return `${countOf(commits, 'commit')}, ${changed}${pulls}`
}

function word(text: string): Markdown {
  return code(serviceWord(text))
}
