import type { Skip } from '../events/trigger.ts'
import type { InputsError } from '../inputs/read.ts'
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
import { clip, inBackticks } from '../lib/text.ts'
import type { OutputValues } from '../runner/outputs.ts'
import type { Run } from '../runner/run.ts'
import { serviceWord } from '../service/service-errors.ts'
import { cameOfItOutputs, cameOfItSummary, contextCounts } from './came-of-it-words.ts'
import type { Outcome } from './outcome.ts'
import type { Plan } from './plan.ts'
import { readPullRequest } from './pull-report.ts'

/** Maximum number of characters of a prompt that a summary shows: far below GitHub's limit of 1 MiB for all of it. */
const MAX_PROMPT_LENGTH = 200_000

/** Sets the outputs of a job and writes its summary. `hadPull`: whether its pull request was there before this run. */
export function reportOutcome(outcome: Outcome, hadPull: boolean, run: Run): void {
  run.setOutputs(jobOutputs(outcome, hadPull))
  run.writeSummary('job', jobSummary(outcome, run))
}

/** The outputs of an agent job at its end. */
export function jobOutputs(outcome: Outcome, hadPull = false): OutputValues {
  const { result, job, jobId, prLink, plan, durationSeconds, cameOfIt } = outcome
  const isOpener = plan?.kind === 'create' || (plan?.kind === 'message' && !hadPull)
  const isOther = prLink === '' || plan === undefined || plan.kind === 'wait'
  return {
    'pr-operation': isOther ? '' : isOpener ? 'created' : 'updated',
    'job-id': jobId,
    result,
    ...(durationSeconds !== undefined && { 'duration-seconds': String(durationSeconds) }),
    ...(job && {
      status: job.status,
      'pr-link': job.prLink ?? '',
      'pr-number': readPullRequest(job.prLink ?? '').number,
      repository: job.repository ?? '',
      ref: job.ref ?? '',
      model: job.model ?? '',
      'created-at': job.createdAt ?? '',
      'archived-at': job.archivedAt ?? '',
      job: job.json,
    }),
    ...(cameOfIt && cameOfItOutputs(cameOfIt)),
  }
}

/** The summary of a job that was requested: what came of it, what it means, and what belongs to it folded. */
export function jobSummary(outcome: Outcome, run: Run): Markdown {
  const { result, sign, headline, prName, prLink, plan, job, cameOfIt } = outcome
  const told = plan === undefined || plan.kind === 'wait' ? undefined : plan.contextCounts
  const heading =
    result === 'pull-request'
      ? md`Pull request ${link(prName, prLink)} is ready for review`
      : sentencesWithCode(headline)
  return paragraphs(
    md`## ${sign} ${heading}`,
    ...(cameOfIt === undefined ? [] : cameOfItSummary(cameOfIt)),
    pullRequestLine(outcome),
    continuationLine(plan, job !== undefined),
    sentencesWithCode(outcome.details),
    result === 'no-pull-request' && told ? md`The agent was told: ${contextCounts(told)}.` : md``,
    sentencesWithCode(outcome.failOnNote),
    footer(run, outcome),
    foldedDetails(outcome, run),
  )
}

/** Says what a run would have done, and shows what it would have sent. */
export function reportDryRun(plan: Plan, run: Run): undefined {
  const { log } = run
  const forJob = plan.kind === 'message' ? 'send this message to' : 'wait for'
  const purpose =
    plan.kind === 'create' ? 'start a job with this prompt' : `${forJob} the job ${inBackticks(plan.id)}`
  const text = `The docs service was not called. Without \`dry-run\`, this run would ${purpose}.`
  run.setOutputs({ result: 'dry-run' })
  if (plan.kind !== 'wait') log.group('The prompt', run.redact(plan.prompt))
  run.writeSummary('job', dryRunSummary(text, plan, run))
  log.notice(text)
}

/** The summary of a dry run: what would have been sent, in full. */
export function dryRunSummary(text: string, plan: Plan, run: Run): Markdown {
  return paragraphs(
    md`## 📝 Docs agent: dry run`,
    sentencesWithCode(text),
    continuationLine(plan, false),
    plan.kind === 'wait' || !plan.contextCounts
      ? md``
      : md`The agent would be told: ${contextCounts(plan.contextCounts)}.`,
    footer(run),
    promptBlock(plan, run),
  )
}

/** The summary of a run that did nothing, or that was killed or failed unexpectedly before it could write one. */
export function shortSummary(how: 'skipped' | 'interrupted', text: string, run: Run): Markdown {
  const sign = how === 'skipped' ? '⏭️' : '🛑'
  return paragraphs(md`## ${sign} Docs agent: ${how}`, sentencesWithCode(text), footer(run))
}

/** Says that a run does nothing, and why. */
export function reportSkip({ level, reason }: Skip, run: Run): undefined {
  run.log[level](reason)
  run.setOutputs({ result: 'skipped' })
  run.writeSummary('job', shortSummary('skipped', reason, run))
}

/** The summary of a run whose inputs are wrong. */
export function inputsErrorSummary({ problems }: InputsError, run: Run): Markdown {
  const rows = problems.map((one) => [code(one.input), ...[one.problem, one.accepted].map(sentencesWithCode)])
  return paragraphs(
    md`## ❌ Docs agent: wrong ${problems.length === 1 ? 'input' : 'inputs'}`,
    md`Nothing was sent.`,
    table(['Input', 'Problem', 'Accepted'], rows),
    footer(run),
  )
}

/** Where the pull request is; a job may have one without having completed. */
function pullRequestLine({ job, result, prLink, prName }: Outcome): Markdown {
  if (prLink === '') return md``
  if (result !== 'pull-request') return md`Its pull request: ${link(prName, prLink)}`
  if (job?.repository == null) return md``
  const branch = job.ref === null ? md`` : md`, on the branch ${word(job.ref)}`
  const name = URL.parse(job.repository)?.pathname.replace(/^\/|\.git$/g, '')
  return md`The docs agent changed ${link(name || job.repository, job.repository)}${branch}.`
}

/** Which pull request the run went on with, or which one went before. */
function continuationLine(plan: Plan | undefined, isSent: boolean): Markdown {
  if (plan?.kind === 'create' && plan.previous !== undefined) {
    const { prLink, state } = plan.previous
    const what = state === 'invisible' ? md`is invisible to ${code('github-token')}` : md`was ${state}`
    return md`A new job: the earlier pull request ${link(readPullRequest(prLink).name, prLink)} ${what}.`
  }
  if (plan?.kind !== 'message' || plan.pull === undefined) return md``
  const { prLink, openFor, conflicts } = plan.pull
  const name = link(readPullRequest(prLink).name, prLink)
  if (!isSent) return md`The message is for ${name}${openFor}.`
  const conflict = conflicts ? ' It conflicts with its base branch; the agent was asked to resolve that.' : ''
  return md`This run continued ${name}${openFor}.${conflict}`
}

function footer({ inputs }: Run, outcome?: Outcome): Markdown {
  const parts = [md`Docs agent`]
  const { 'project-id': projectId, matrix: leg } = inputs
  if (projectId !== '') parts.push(md`project ${code(projectId)}`)
  if (leg !== '') parts.push(md`${leg}`)
  if (outcome?.job?.model != null) parts.push(md`model ${word(outcome.job.model)}`)
  if (outcome !== undefined && outcome.took !== '') parts.push(md`${outcome.took}`)
  return Markdown.raw(`<sub>${joinMarkdown(parts, ' · ').source}</sub>`)
}

function foldedDetails({ job, jobId, plan }: Outcome, run: Run): Markdown {
  const rows: Row[] = job === undefined ? [] : [['Status', word(job.status)]]
  if (job?.createdAt != null) rows.push(['Created', word(job.createdAt)])
  const prompt = promptBlock(plan, run)
  if (jobId === '') return prompt.source === '' ? prompt : details('Prompt', prompt)
  const title = prompt.source === '' ? 'Job' : 'Job and prompt'
  return details(title, paragraphs(table(['Job', word(jobId)], rows), prompt))
}

function promptBlock(plan: Plan | undefined, { redact }: Run): Markdown {
  if (plan === undefined || plan.kind === 'wait') return md``
  return codeBlock(clip(redact(plan.prompt), MAX_PROMPT_LENGTH))
}

function paragraphs(...pieces: readonly Markdown[]): Markdown {
  return joinMarkdown(pieces.filter(({ source }) => source !== ''))
}

function word(text: string): Markdown {
  return code(serviceWord(text))
}
