import { createHash } from 'node:crypto'
import { code, joinMarkdown, link, type Markdown, md } from '../lib/markdown.ts'
import { countOf, type Failure, inBackticks, shorten } from '../lib/text.ts'
import type { OutputValues } from '../runner/run.ts'
import { PAGE, type PullFile, type PullReport } from './pull-report.ts'

const MAX_NAMED_FILES = 10
const MAX_NAMED_CHECKS = 5
/** Of a file or check, in characters: a comment holds 65,536. */
const MAX_NAME = 200

type Pull = Extract<PullReport, { kind: 'pull-request' }>

/** What became of a job without a pull request; `undefined` where GitHub does not show it. */
export function noPullRequestWords(report: PullReport): Failure | undefined {
  if (report.kind === 'unchanged')
    return { headline: `Changed nothing on ${inBackticks(report.branch)}`, details: '' }
  if (report.kind !== 'published') return undefined
  const headline = `Published straight to ${inBackticks(report.branch)}: ${countOf(report.commits, 'commit')}`
  return { headline, details: 'The agent committed to the branch without a pull request.' }
}

/** What a reviewer looks at first, as paragraphs for the summary and the comments. */
export function pullSummary(report: PullReport): readonly Markdown[] {
  if (report.kind === 'published')
    return [link(`Show ${countOf(report.commits, 'commit')}`, report.url)]
  if (report.kind === 'invisible') {
    const lost =
      'so the pages and the preview are not known. With a token that can, a later run also continues the pull request.'
    return [md`${code('github-token')} can't read pull requests of ${report.repository}, ${lost}`]
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
    'pr-files': pull?.files ? JSON.stringify(pull.files) : '',
    'preview-url': url,
    'preview-status': ['ready', 'building', 'failed'].includes(state) ? state : '',
  }
}

function filesText(pull: Pull): Markdown {
  if (pull.files === undefined) return md``
  if (pull.fileCount === 0) return md`The pull request changes no file.`
  return md`${filesCount(pull)}: ${filesList(pull.files, pull)}`
}

/** `3 pages, 1 other file`; pages are counted where all files are known. */
function filesCount({ files = [], fileCount }: Pull): string {
  const pages = fileCount > files.length ? 0 : files.filter(({ path }) => PAGE.test(path)).length
  if (pages === 0) return countOf(fileCount, 'file')
  const others = fileCount === pages ? '' : `, ${countOf(fileCount - pages, 'other file')}`
  return `${countOf(pages, 'page')}${others}`
}

function filesList(files: readonly PullFile[], { url, fileCount }: Pull): Markdown {
  const named = files.slice(0, MAX_NAMED_FILES).map(({ path, additions, deletions }) => {
    const anchor = createHash('sha256').update(path).digest('hex')
    return md`${link(code(shorten(path, MAX_NAME)), `${url}/files#diff-${anchor}`)} (+${additions} −${deletions})`
  })
  return andMore(named, fileCount)
}

function previewText({ preview: { state, url }, checks }: Pull): Markdown {
  const name = url === '' ? md`Preview` : link('Preview', url)
  if (state === 'ready') return md`${name} ready`
  if (state === 'building') return md`${name} being built`
  if (state === 'failed') return md`${name} failed${failureText(checks.deployment)}`
  return url === '' ? md`` : name
}

function failedText({ checks: { failed } }: Pull): Markdown {
  if (failed.length === 0) return md``
  const count = failed.length === 1 ? '1 check fails' : `${failed.length} checks fail`
  const named = failed
    .slice(0, MAX_NAMED_CHECKS)
    .map(({ name, url }) => link(md`${shorten(name, MAX_NAME)}`, url))
  return md`${count}: ${andMore(named, failed.length)}`
}

function andMore(named: readonly Markdown[], total: number): Markdown {
  const left = total - named.length
  return joinMarkdown([...named, left > 0 ? md`and ${left} more` : md``], ', ')
}

/** What the service's check says, to follow a statement. */
function failureText(check: Pull['checks']['deployment']): Markdown {
  if (check === undefined) return md``
  const name = link('check', check.url)
  return check.words === '' ? md` (${name})` : md`: ${check.words} (${name})`
}
