import { createHash } from 'node:crypto'
import type { Skip } from '../decide/skip.ts'
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
import {
  capitalize,
  clip,
  countOf,
  type Failure,
  inBackticks,
  joinSentences,
  shorten,
} from '../lib/text.ts'
import { type DocsPull, PAGE_FILE, type PullFile, type PullReport } from '../look/result.ts'
import type { Trigger } from '../look/trigger.ts'
import { mintlifyWord } from '../mintlify/mintlify-errors.ts'
import type { Plan } from '../prompt/prompt.ts'
import { type Run, runUrlOf } from '../runner/run.ts'
import { authorsOf, hasLostLink, isSuccess, jobOutputs, type Report } from './outcome.ts'

/** The longest prompt that a summary shows, in characters: GitHub's limit for a whole summary is 1 MiB. */
const MAX_PROMPT_LENGTH = 200_000

/** Sets the outputs of a job and writes its summary. */
export function publishReport(report: Report, run: Run): void {
  run.setOutputs(jobOutputs(report))
  run.writeSummary('job', jobSummary(report, run))
}

/** Writes the summary of a job: its result, what that means, and folded details. */
function jobSummary(report: Report, run: Run): Markdown {
  const { result, sign, headline, prName, prLink, plan, job, pullText } = report
  const warnings = warningLines(run)
  const ended = report.pull?.kind === 'pull-request' ? report.pull.ended : undefined
  const state = ended === undefined ? 'is ready for review' : `was ${ended}`
  const heading =
    result === 'pull-request'
      ? md`Pull request ${link(prName, prLink)} ${state}`
      : sentencesWithCode(headline)
  return joinMarkdown([
    md`## ${warnings.length > 0 && isSuccess(result) && !report.isFailure ? '⚠️' : sign} ${heading}`,
    ...warnings,
    ...pullText,
    pullRequestLine(report),
    continuationLine(plan, job !== undefined),
    ...run.log.summaryLines().map(sentencesWithCode),
    sentencesWithCode(report.details),
    report.paste ? codeBlock(report.paste) : md``,
    result === 'no-pull-request' ? contextLine(plan, 'included') : md``,
    sentencesWithCode(report.failOnNote),
    footer(run, report),
    foldedDetails(report, run),
  ])
}

/** Lists the problems during the run that affect the user. */
function warningLines({ log }: Run): readonly Markdown[] {
  return log.summaryWarnings().map((text) => md`⚠️ ${sentencesWithCode(text)}`)
}

/** Reports what a run would have done, and shows the prompt. */
export function reportDryRun(plan: Plan, run: Run): undefined {
  const { log, mintlify } = run
  const id = plan.kind === 'create' ? '' : inBackticks(plan.id)
  const purposes = {
    create: 'start a job with this prompt',
    message: `send this prompt to the job ${id}`,
    wait: `${run.inputs.wait ? 'wait for' : 'look once at'} the job ${id}`,
  }
  const headline = `Dry run: nothing was sent to ${mintlify}`
  const text = `Without \`dry-run\`, this run would ${purposes[plan.kind]}.`
  const warnings = warningLines(run)
  const summary = [
    md`## ${warnings.length > 0 ? '⚠️' : '📝'} ${sentencesWithCode(headline)}`,
    sentencesWithCode(text),
    ...warnings,
    continuationLine(plan, false),
    ...log.summaryLines().map(sentencesWithCode),
    contextLine(plan, 'includes'),
    footer(run),
    promptBlock(plan, run),
  ]
  run.setOutputs({ result: 'dry-run', 'source-authors': authorsOf(plan) })
  if (plan.kind !== 'wait') log.group('The prompt', run.redact(plan.prompt))
  run.writeSummary('job', joinMarkdown(summary))
  log.notice(`${headline}. ${text}`, headline)
}

/**
 * Writes the summary of a run that was killed or failed before it could write one.
 *
 * @param words with the lines to paste, if there are any
 */
export function shortSummary(
  sign: '🛑' | '❌',
  words: Failure & { readonly paste?: string },
  run: Run,
): Markdown {
  const { headline, details: text, paste } = words
  return joinMarkdown([
    md`## ${sign} ${sentencesWithCode(headline)}`,
    sentencesWithCode(text),
    paste ? codeBlock(paste) : md``,
    footer(run),
  ])
}

/** Reports a skipped run with its reason. A docs pull request that waits is linked in the heading. */
export function reportSkip(
  { level, reason, advice = '', title, prLink = '' }: Skip,
  run: Run,
): undefined {
  const { name, number } = parsePullRequest(prLink)
  const subject = prLink === '' ? '' : `${name} `
  run.log[level](joinSentences(`Skipped: ${subject}${reason}.`, advice), title)
  run.setOutputs({
    result: 'skipped',
    ...(prLink && { 'pr-link': prLink, 'pr-number': number }),
  })
  const heading = prLink === '' ? md`` : md`${link(name, prLink)} `
  const summary = [
    md`## ⏭️ Skipped: ${heading}${sentencesWithCode(reason)}`,
    ...warningLines(run),
    sentencesWithCode(advice),
    footer(run),
  ]
  run.writeSummary('job', joinMarkdown(summary))
}

/** Writes the summary of a run whose inputs are wrong. */
export function inputsErrorSummary({ headline, problems }: InputsError, run: Run): Markdown {
  const rows = problems.map(({ input, problem, use }) => [
    code(input),
    sentencesWithCode(problem),
    sentencesWithCode(`${capitalize(use)}.`),
  ])
  return joinMarkdown([
    md`## ❌ ${sentencesWithCode(headline)}`,
    md`Nothing was sent to ${run.mintlify}.`,
    table(['Input', 'Problem', 'Use'], rows),
    footer(run),
  ])
}

/** Links the pull request; a job may have one without having completed. */
function pullRequestLine({ job, result, prLink, prName, isHidden }: Report): Markdown {
  if (prLink === '') return md``
  if (result !== 'pull-request') return md`The job's pull request: ${link(prName, prLink)}`
  if (isHidden || job?.repository == null) return md``
  const branch = job.ref === null ? md`` : md`, on the branch ${word(job.ref)}`
  const name = URL.parse(job.repository)?.pathname.replace(/^\/|\.git$/g, '')
  return md`The agent changed ${link(name || job.repository, job.repository)}${branch}.`
}

/** Names the pull request that the run updated, or the one before a new job. */
function continuationLine(plan: Plan | undefined, isSent: boolean): Markdown {
  if (plan?.kind === 'create' && plan.earlierPull !== undefined) {
    const { prLink, state } = plan.earlierPull
    return md`Started a new job, because the earlier pull request ${link(parsePullRequest(prLink).name, prLink)} was ${state}.`
  }
  if (plan?.kind !== 'message' || plan.pull === undefined) return md``
  const { prLink, openFor } = plan.pull
  const name = link(parsePullRequest(prLink).name, prLink)
  if (!isSent) return md`The message is for ${name}${openFor}.`
  return md`This run updated ${name}${openFor}.`
}

function footer({ inputs }: Run, { job, took }: Partial<Report> = {}): Markdown {
  const { 'project-id': projectId, matrix } = inputs
  const parts = [
    projectId === '' ? md`` : md`project ${code(projectId)}`,
    md`${matrix}`,
    job?.model == null ? md`` : md`model ${word(job.model)}`,
    md`${took ?? ''}`,
  ]
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

/** Counts what the prompt included: `12 commits, 34 files, 2 merged pull requests`. */
function contextLine(plan: Plan | undefined, verb: 'includes' | 'included'): Markdown {
  if (plan === undefined || plan.kind === 'wait' || !plan.contextStats) return md``
  const { commits, files, mergedPulls } = plan.contextStats
  const pulls = mergedPulls === 0 ? '' : `, ${countOf(mergedPulls, 'merged pull request')}`
  return md`The prompt ${verb}: ${countOf(commits, 'commit')}, ${countOf(files, 'file')}${pulls}.`
}

function word(text: string): Markdown {
  return code(mintlifyWord(text))
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
export function endBody(trigger: Trigger, report: Report, hasNote: boolean, run: Run): Markdown {
  const { sign, headline, details, prLink, prName, took } = report
  const where = prLink === '' ? md`` : md`: ${link(prName, prLink)}`
  return joinMarkdown([
    md`${sign} **${sentencesWithCode(clip(headline, MAX_HEADLINE_LENGTH))}${where}**`,
    ...report.pullText,
    originLine(trigger, run, took),
    sentencesWithCode(clip(details, MAX_DETAILS_LENGTH)),
    nextSteps(trigger, report, hasNote, run),
  ])
}

function nextSteps(
  { command }: Trigger,
  { result, jobId, namesJob, accepted }: Report,
  hasNote: boolean,
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
  } else if (command !== undefined && accepted !== undefined)
    words.push(md`You can also re-run the ${runLink(run)} to wait for this job.`)
  return joinMarkdown(words, ' ')
}

/**
 * Writes the comment of a run that was killed.
 *
 * @param jobId empty if nothing was sent; `undefined` if a job may have been started
 */
export function interruptedBody(trigger: Trigger, jobId: string | undefined, run: Run): Markdown {
  // A re-run of a command waits for the job.
  const rerun = trigger.command ? md`re-run the ${runLink(run)}, or ` : md``
  let words = md`The workflow run was interrupted. The job is still running. To wait for it, ${rerun}run the action with ${code(`job-id: ${jobId}`)}.`
  if (jobId === '') words = md`The workflow run was interrupted. It started no job.`
  if (jobId === undefined)
    words = md`The workflow run was interrupted before ${run.mintlify} responded. If a job was started, it is still running and may open a pull request.`
  return joinMarkdown([md`🛑 **Interrupted**`, originLine(trigger, run), words])
}

/** Writes the reply to a review for which nothing is started. */
export function skippedBody(trigger: Trigger, reason: string, advice: string, run: Run): Markdown {
  const text = joinSentences(`${capitalize(reason)}.`, advice)
  return joinMarkdown([md`⏭️ ${sentencesWithCode(text)}`, originLine(trigger, run)])
}

/** Writes the reply to a command without instructions. */
export function usageBody({ inputs }: Run): Markdown {
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
function originLine({ event, command }: Trigger, run: Run, took = ''): Markdown {
  const sha = event.payload.pull_request?.head?.sha ?? run.environment.sha
  let what = md`For ${code(sha.slice(0, 7))}`
  if (command !== undefined) {
    const by = md`**${command.author.login}**`
    const request = clip(command.instructions, MAX_REQUEST_LENGTH)
    what = request === '' ? md`Requested by ${by}` : md`${by} asked: ${request}`
  }
  const { matrix } = run.inputs
  return joinMarkdown([what, md`${matrix}`, md`${took && `took ${took}`}`, runLink(run)], ' · ')
}

function runLink({ environment }: Run): Markdown {
  return link('workflow run', runUrlOf(environment))
}

/**
 * Adds what GitHub shows of the job.
 *
 * @param isHidden whether the docs must not be shown: then the report has only number, link, and state
 */
export function withPull(report: Report, pull: PullReport, isHidden: boolean): Report {
  const isWithoutPull = report.result === 'no-pull-request' && !hasLostLink(report.job)
  const hasPull = report.result === 'pull-request' && pull.kind === 'pull-request'
  const ended = hasPull ? pull.ended : undefined
  const words = isWithoutPull
    ? noPullRequestWords(pull, isHidden)
    : ended && { headline: `The docs pull request was ${ended}` }
  return { ...report, ...words, pullText: isHidden ? [] : pullSummary(pull), pull, isHidden }
}

/** Writes the reason for a job without a pull request; `undefined` if GitHub doesn't show the reason. */
function noPullRequestWords(report: PullReport, isHidden: boolean): Failure | undefined {
  if (report.kind === 'unchanged')
    return { headline: 'No docs changes: the agent changed no files', details: '' }
  if (report.kind !== 'published') return undefined
  const commits = countOf(report.commits, 'commit')
  const where = isHidden ? 'the default branch' : inBackticks(report.branch)
  return { headline: `The agent pushed ${commits} directly to ${where}`, details: '' }
}

const MAX_NAMED_FILES = 10
/** Of a file, in characters: a comment holds 65,536. */
const MAX_NAME = 200

/** Writes the pages and the preview for a reviewer, as paragraphs for the summary and the comments. */
function pullSummary(report: PullReport): readonly Markdown[] {
  if (report.kind === 'published')
    return [link(`View ${countOf(report.commits, 'commit')}`, report.url)]
  if (report.kind !== 'pull-request') return []
  const title = md`${report.title}`
  return [title.source === '' ? md`` : md`**${title}**`, filesText(report), previewText(report)]
}

function filesText({ files, fileCount, url }: DocsPull): Markdown {
  if (files === undefined) return md``
  if (fileCount === 0) return md`The pull request changes no files.`
  const named = files.slice(0, MAX_NAMED_FILES).map(({ path, additions, deletions }) => {
    const anchor = createHash('sha256').update(path).digest('hex')
    return md`${link(code(shorten(path, MAX_NAME)), `${url}/files#diff-${anchor}`)} (+${additions} −${deletions})`
  })
  const left = fileCount - named.length
  const list = joinMarkdown([...named, left > 0 ? md`and ${left} more` : md``], ', ')
  return md`${filesCount(files, fileCount)}: ${list}`
}

/** `3 pages, 1 other file`; pages are counted if all files are known. */
function filesCount(files: readonly PullFile[], fileCount: number): string {
  const pages =
    fileCount > files.length ? 0 : files.filter(({ path }) => PAGE_FILE.test(path)).length
  if (pages === 0) return countOf(fileCount, 'file')
  const others = fileCount === pages ? '' : `, ${countOf(fileCount - pages, 'other file')}`
  return `${countOf(pages, 'page')}${others}`
}

function previewText({ preview: { state, url, check } }: DocsPull): Markdown {
  const name = url === '' ? md`Preview` : link('Preview', url)
  if (state === 'ready') return md`${name} ready`
  if (state === 'building') return md`${name} being built`
  if (state === 'failed') return md`${name} failed${checkFailureText(check)}`
  return url === '' ? md`` : name
}

/** Quotes Mintlify's check, to follow a statement. */
function checkFailureText(check: DocsPull['preview']['check']): Markdown {
  if (check === undefined) return md``
  const name = link('check', check.url)
  return check.words === '' ? md` (${name})` : md`: ${check.words} (${name})`
}
