import { createHash } from 'node:crypto'
import { code, joinMarkdown, link, type Markdown, md } from '../lib/markdown.ts'
import { countOf, type Failure, inBackticks, shorten } from '../lib/text.ts'
import type { OutputValues } from '../runner/run.ts'
import { type DocsPull, PAGE_FILE, type PullFile, type PullReport } from './pull.ts'

const MAX_NAMED_FILES = 10
const MAX_NAMED_CHECKS = 5
/** In the output `pr-files`. */
const MAX_OUTPUT_FILES = 100
/** Of a file or check, in characters: a comment holds 65,536. */
const MAX_NAME = 200

/** Says why a job has no pull request; `undefined` if GitHub doesn't show it. */
export function noPullRequestWords(report: PullReport): Failure | undefined {
  if (report.kind === 'unchanged')
    return { headline: 'No docs changes: the agent changed no files', details: '' }
  if (report.kind !== 'published') return undefined
  const commits = countOf(report.commits, 'commit')
  const headline = `The agent pushed ${commits} directly to ${inBackticks(report.branch)}`
  return { headline, details: '' }
}

/** Writes what a reviewer looks at first, as paragraphs for the summary and the comments. */
export function pullSummary(report: PullReport): readonly Markdown[] {
  if (report.kind === 'published')
    return [link(`View ${countOf(report.commits, 'commit')}`, report.url)]
  if (report.kind === 'invisible') {
    const effect =
      "so the pages and the preview aren't shown, and the next run starts a new job. To change that, use a token that can read them."
    return [md`${code('github-token')} can't read pull requests in ${report.repository}, ${effect}`]
  }
  if (report.kind !== 'pull-request') return []
  const title = md`${report.title}`
  return [
    title.source === '' ? md`` : md`**${title}**`,
    filesText(report),
    previewText(report),
    failedText(report),
  ]
}

export function pullOutputs(report: PullReport): OutputValues {
  const pull = report.kind === 'pull-request' ? report : undefined
  const { url = '', state = '' } = pull?.preview ?? {}
  return {
    'pr-title': pull?.title ?? '',
    'pr-files': pull?.files ? JSON.stringify(pull.files.slice(0, MAX_OUTPUT_FILES)) : '',
    'preview-url': url,
    'preview-status': ['ready', 'building', 'failed'].includes(state) ? state : '',
  }
}

function filesText(pull: DocsPull): Markdown {
  if (pull.files === undefined) return md``
  if (pull.fileCount === 0) return md`The pull request changes no files.`
  return md`${filesCount(pull)}: ${filesList(pull.files, pull)}`
}

/** `3 pages, 1 other file`; pages are counted if all files are known. */
function filesCount({ files = [], fileCount }: DocsPull): string {
  const pages =
    fileCount > files.length ? 0 : files.filter(({ path }) => PAGE_FILE.test(path)).length
  if (pages === 0) return countOf(fileCount, 'file')
  const others = fileCount === pages ? '' : `, ${countOf(fileCount - pages, 'other file')}`
  return `${countOf(pages, 'page')}${others}`
}

function filesList(files: readonly PullFile[], { url, fileCount }: DocsPull): Markdown {
  const named = files.slice(0, MAX_NAMED_FILES).map(({ path, additions, deletions }) => {
    const anchor = createHash('sha256').update(path).digest('hex')
    return md`${link(code(shorten(path, MAX_NAME)), `${url}/files#diff-${anchor}`)} (+${additions} −${deletions})`
  })
  return andMore(named, fileCount)
}

function previewText({ preview: { state, url }, checks }: DocsPull): Markdown {
  const name = url === '' ? md`Preview` : link('Preview', url)
  if (state === 'ready') return md`${name} ready`
  if (state === 'building') return md`${name} being built`
  if (state === 'failed') return md`${name} failed${checkFailureText(checks.deployment)}`
  return url === '' ? md`` : name
}

function failedText({ checks: { failed, failedCount } }: DocsPull): Markdown {
  if (failed.length === 0) return md``
  const count = failedCount === 1 ? '1 check fails' : `${failedCount} checks fail`
  const named = failed
    .slice(0, MAX_NAMED_CHECKS)
    .map(({ name, url }) => link(md`${shorten(name, MAX_NAME)}`, url))
  return md`${count}: ${andMore(named, failedCount)}`
}

function andMore(named: readonly Markdown[], total: number): Markdown {
  const left = total - named.length
  return joinMarkdown([...named, left > 0 ? md`and ${left} more` : md``], ', ')
}

/** Quotes Mintlify's check, to follow a statement. */
function checkFailureText(check: DocsPull['checks']['deployment']): Markdown {
  if (check === undefined) return md``
  const name = link('check', check.url)
  return check.words === '' ? md` (${name})` : md`: ${check.words} (${name})`
}
