import { createHash } from 'node:crypto'
import type { Skip } from '../decide/decide.ts'
import { openFor } from '../decide/look.ts'
import { type DocsPull, isPageFile } from '../docs-pull/docs-pull.ts'
import type { InputsProblem } from '../inputs/table.ts'
import { parsePullRequest } from '../lib/http.ts'
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
  inBackticks,
  joinSentences,
  type Problem,
  shorten,
} from '../lib/text.ts'
import { mintlifyWord } from '../mintlify/mintlify-errors.ts'
import type { Run } from '../runner/run.ts'
import { isSuccess, jobOutputs, type Plan, type Report } from './report.ts'

/** The longest prompt that a summary shows, in characters: GitHub's limit for a whole summary is 1 MiB. */
const MAX_PROMPT_LENGTH = 200_000

/** Sets the outputs of a job and writes its summary: its result, what that means, and folded details. */
export function publishReport(report: Report, run: Run): void {
  run.setOutputs(jobOutputs(report))
  const { result, sign, title, prName, prLink, plan, job, text, paste, failOnNote } = report
  const warnings = warningLines(run)
  const isGood = isSuccess(result) && !report.isFailure
  const where = prLink ? md`: ${link(prName, prLink)}` : md``
  run.writeSummary(
    'job',
    joinMarkdown([
      md`## ${warnings.length > 0 && isGood ? '⚠️' : sign} ${sentencesWithCode(title)}${where}`,
      ...warnings,
      ...docsText(report),
      continuationLine(plan, job !== undefined),
      ...run.log.summaryLines().map(sentencesWithCode),
      sentencesWithCode(text),
      paste ? codeBlock(paste) : md``,
      contextLine(plan, 'included'),
      sentencesWithCode(failOnNote),
      footer(run, report),
      foldedDetails(report, run),
    ]),
  )
}

/** Lists the problems during the run that affect the user. */
function warningLines({ log }: Run): readonly Markdown[] {
  return log.summaryWarnings().map((text) => md`⚠️ ${sentencesWithCode(text)}`)
}

/** Reports what a run would have done, and shows the prompt. */
export function reportDryRun(plan: Plan, run: Run): void {
  const { log, mintlifyName, inputs } = run
  const id = plan.kind === 'create' ? '' : inBackticks(plan.id)
  const purposes = {
    create: 'start a job with this prompt',
    message: `send this prompt to the job ${id}`,
    wait: `${inputs.wait ? 'wait for' : 'look once at'} the job ${id}`,
  }
  const title = `Dry run: nothing was sent to ${mintlifyName}`
  const text = `Without \`dry-run\`, this run would ${purposes[plan.kind]}.`
  const warnings = warningLines(run)
  run.setOutputs({ result: 'dry-run', 'source-authors': plan.sources.authors.join('\n') })
  if (plan.prompt) log.group('The prompt', run.redact(plan.prompt))
  const summary = [
    md`## ${warnings.length > 0 ? '⚠️' : '📝'} ${sentencesWithCode(title)}`,
    sentencesWithCode(text),
    ...warnings,
    continuationLine(plan, false),
    ...log.summaryLines().map(sentencesWithCode),
    contextLine(plan, 'includes'),
    footer(run),
    promptBlock(plan, run),
  ]
  run.writeSummary('job', joinMarkdown(summary))
  log.notice(`${title}. ${text}`, title)
}

/** Writes the summary of a run that ended without a report. */
export function problemSummary(
  sign: '🛑' | '❌',
  { title, text, paste }: Pick<Problem, 'title' | 'text'> & { readonly paste?: string },
  run: Run,
): Markdown {
  return joinMarkdown([
    md`## ${sign} ${sentencesWithCode(title)}`,
    ...warningLines(run),
    sentencesWithCode(text),
    paste ? codeBlock(paste) : md``,
    footer(run),
  ])
}

/** Reports a skipped run with its reason. A docs pull request that waits is linked in the heading. */
export function reportSkip(skip: Skip, run: Run, wantsJob = true): void {
  const { level, reason, advice = '', title, prLink = '', paste = '' } = skip
  const { name, number } = parsePullRequest(prLink)
  const subject = prLink && `${name} `
  const text = joinSentences(`Skipped: ${subject}${reason}.`, advice)
  run.log[level](paste ? `${text}\n${paste}` : text, title)
  if (wantsJob)
    run.setOutputs({ result: 'skipped', ...(prLink && { 'pr-link': prLink, 'pr-number': number }) })
  const heading = prLink ? md`${link(name, prLink)} ` : md``
  const summary = [
    md`## ⏭️ Skipped: ${heading}${sentencesWithCode(reason)}`,
    ...warningLines(run),
    sentencesWithCode(advice),
    paste ? codeBlock(paste) : md``,
    footer(run),
  ]
  run.writeSummary('job', joinMarkdown(summary))
}

/** Writes the summary of a run whose inputs are wrong. */
export function inputsSummary({ title, problems }: InputsProblem, run: Run): Markdown {
  const rows = problems.map(({ input, problem, use }) => [
    code(input),
    sentencesWithCode(problem),
    sentencesWithCode(`${capitalize(use)}.`),
  ])
  return joinMarkdown([
    md`## ❌ ${sentencesWithCode(title)}`,
    md`Nothing was sent to ${run.mintlifyName}.`,
    table(['Input', 'Problem', 'Use'], rows),
    footer(run),
  ])
}

/** Names the pull request that the run updated, or the one before a new job. */
function continuationLine(plan: Plan | undefined, isSent: boolean): Markdown {
  const pull = plan?.kind === 'create' ? plan.earlierPull : plan?.kind === 'message' && plan.pull
  if (!pull) return md``
  const name = link(parsePullRequest(pull.prLink).name, pull.prLink)
  if (plan?.kind === 'create')
    return md`Started a new job instead of updating ${name} (${pull.state}).`
  return isSent
    ? md`This run updated ${name}${openFor(pull)}.`
    : md`The message is for ${name}${openFor(pull)}.`
}

function footer({ inputs }: Run, { job, took }: Partial<Report> = {}): Markdown {
  const { 'project-id': projectId, matrix } = inputs
  const parts = [
    projectId ? md`project ${code(projectId)}` : md``,
    md`${matrix}`,
    job?.model == null ? md`` : md`model ${word(job.model)}`,
    md`${took ?? ''}`,
  ]
  const { source } = joinMarkdown(parts, ' · ')
  return Markdown.raw(source && `<sub>${source}</sub>`)
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
  return plan?.prompt ? codeBlock(clip(redact(plan.prompt), MAX_PROMPT_LENGTH)) : md``
}

/** Counts what the prompt included: `12 commits, 34 files, 2 merged pull requests`. */
function contextLine(plan: Plan | undefined, verb: 'includes' | 'included'): Markdown {
  if (!plan?.stats) return md``
  const { commits, files, mergedPulls } = plan.stats
  const pulls = mergedPulls === 0 ? '' : `, ${countOf(mergedPulls, 'merged pull request')}`
  return md`The prompt ${verb}: ${countOf(commits, 'commit')}, ${countOf(files, 'file')}${pulls}.`
}

function word(text: string): Markdown {
  return code(mintlifyWord(text))
}

const MAX_NAMED_FILES = 10
/** Of a file, in characters: a comment holds 65,536. */
const MAX_FILE_NAME = 200

/** Shows title and pages of a docs pull request, as paragraphs for the summary and the comments. */
export function docsText({ docs, result }: Report): readonly Markdown[] {
  if (!docs || docs.isHidden || result !== 'pull-request') return []
  const title = md`${docs.title}`
  return [title.source === '' ? md`` : md`**${title}**`, filesText(docs)]
}

function filesText({ files, fileCount, url }: DocsPull): Markdown {
  if (files === undefined) return md``
  if (fileCount === 0) return md`The pull request changes no files.`
  const named = files.slice(0, MAX_NAMED_FILES).map(({ path, additions, deletions }) => {
    const anchor = createHash('sha256').update(path).digest('hex')
    return md`${link(code(shorten(path, MAX_FILE_NAME)), `${url}/files#diff-${anchor}`)} (+${additions} −${deletions})`
  })
  const left = fileCount - named.length
  const list = joinMarkdown([...named, left > 0 ? md`and ${left} more` : md``], ', ')
  // Pages are counted if all files are known.
  const pages = fileCount > files.length ? 0 : files.filter(isPageFile).length
  const count = pages === fileCount ? countOf(pages, 'page') : countOf(fileCount, 'file')
  return md`${count}: ${list}`
}
