import { formatDuration } from '../lib/duration.ts'
import {
  code,
  codeBlock,
  details,
  joinMarkdown,
  link,
  MAX_LINK_LENGTH,
  type Markdown,
  md,
  type Row,
  table,
} from '../lib/markdown.ts'
import type { Redact } from '../lib/redact.ts'
import { sentencesWithCode } from '../lib/sentences.ts'
import { clip } from '../lib/text.ts'
import { serviceWord } from '../service/words.ts'
import type { Outcome } from './outcome.ts'
import { type OutcomeContext, outcomeText, RESULT_SIGNS } from './outcome-text.ts'
import { pullRequestName } from './pull-request.ts'

/** Most characters of a prompt that a summary shows: far below GitHub's limit of 1 MiB for all of it. */
const PROMPT_LENGTH = 200_000

/** One wrong input, in words. */
export type WrongInput = { readonly input: string; readonly problem: string; readonly accepted: string }

/** The job summary of an agent job that was asked for. */
export function jobSummary(outcome: Outcome, context: OutcomeContext, redact: Redact): Markdown {
  const { headline, advice } = outcomeText(outcome, context)
  return joinMarkdown([
    md`## ${RESULT_SIGNS[outcome.result]} Docs agent: ${headline}`,
    ...pullRequestLine(outcome),
    ...(advice === '' ? [] : [sentencesWithCode(advice)]),
    table(['Result', code(outcome.result)], facts(outcome)),
    ...promptDetails(redact(outcome.sent)),
  ])
}

/** The summary of a dry run: what would have been asked, in full. */
export function dryRunSummary(ask: {
  readonly purpose: string
  readonly prompt: string
  readonly projectId: string
}): Markdown {
  return joinMarkdown([
    md`## 📝 Docs agent: dry run`,
    sentencesWithCode(`The docs service was not called. Without \`dry-run\`, this run would ${ask.purpose}.`),
    ...(ask.prompt === '' ? [] : [codeBlock(clip(ask.prompt, PROMPT_LENGTH))]),
  ])
}

/** The summary of a run that was killed before it could write one. */
export function cutOffSummary(advice: string): Markdown {
  return joinMarkdown([md`## ${RESULT_SIGNS.cancelled} Docs agent: cut off`, sentencesWithCode(advice)])
}

/** The summary of a run whose inputs are wrong. */
export function inputsErrorSummary(problems: readonly WrongInput[]): Markdown {
  const rows = problems.map(({ input, problem, accepted }) => [code(input), problem, accepted])
  return joinMarkdown([
    md`## ${RESULT_SIGNS.error} Docs agent: wrong inputs`,
    md`Nothing was sent.`,
    table(['Input', 'Problem', 'Accepted'], rows),
  ])
}

function pullRequestLine({ job }: Outcome): Markdown[] {
  if (job?.prLink == null) return []
  return [md`**${link(pullRequestName(job.prLink), job.prLink)}**`]
}

function facts({ job, jobId, durationSeconds }: Outcome): Row[] {
  const rows: Row[] = []
  if (job !== undefined) rows.push(['Status', word(job.status)])
  if (jobId !== '') rows.push(['Job', word(jobId)])
  if (job?.repository != null) rows.push(['Repository', repository(job.repository, job.ref)])
  if (job?.model != null) rows.push(['Model', word(job.model)])
  if (durationSeconds !== undefined) rows.push(['Duration', formatDuration(durationSeconds * 1000)])
  return rows
}

function word(text: string): Markdown {
  return code(serviceWord(text))
}

function repository(url: string, ref: string | null): Markdown {
  const name = URL.parse(url)?.pathname.replace(/^\/|\.git$/g, '') ?? url
  const where = link(name === '' ? url : name, url)
  return ref === null ? where : md`${where} at ${word(ref)}`
}

function promptDetails(prompt: string): Markdown[] {
  return prompt === '' ? [] : [details('Prompt', codeBlock(clip(prompt, PROMPT_LENGTH)))]
}

/** How a request for a job ended, as sentences for the log. */
export function describeResult(outcome: Outcome, context: OutcomeContext): string {
  const { headline, advice } = outcomeText(outcome, context)
  const url = clip(outcome.job?.prLink ?? '', MAX_LINK_LENGTH)
  return [`${headline}${url === '' ? '.' : `: ${url}`}`, advice].filter((part) => part !== '').join(' ')
}
