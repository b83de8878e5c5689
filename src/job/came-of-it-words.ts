import { createHash } from 'node:crypto'
import type { ContextStats } from '../context/render.ts'
import type { Failure } from '../lib/failure.ts'
import { code, joinMarkdown, link, type Markdown, md } from '../lib/markdown.ts'
import { countOf, inBackticks } from '../lib/text.ts'
import type { OutputValues } from '../runner/outputs.ts'
import type { CameOfIt, Published } from './came-of-it.ts'
import { PAGE, type PullFile, type PullReport } from './pull-report.ts'

const MAX_NAMED_FILES = 10
const MAX_NAMED_CHECKS = 5

/** What became of a job without a pull request; `undefined` where GitHub does not show it. */
export function noPullRequestWords({ found }: CameOfIt): Failure | undefined {
  if (found.kind === 'unchanged')
    return { headline: `Changed nothing on ${inBackticks(found.branch)}`, details: '' }
  if (found.kind !== 'published') return undefined
  const headline = `Published straight to ${inBackticks(found.branch)}: ${countOf(found.commits, 'commit')}`
  return { headline, details: 'The agent committed to the branch without a pull request.' }
}

/** What a reviewer looks at first, as paragraphs; some may be empty. */
export function cameOfItSummary({ found, published }: CameOfIt): readonly Markdown[] {
  const words: Markdown[] = []
  if (found.kind === 'published') words.push(link(`Show ${countOf(found.commits, 'commit')}`, found.url))
  if (found.kind === 'invisible') {
    const lost =
      'so the pages and the preview are not known. With a token that can, a later run also continues the pull request.'
    words.push(md`${code('github-token')} can't read pull requests of ${found.repository}, ${lost}`)
  }
  if (found.kind === 'pull-request') {
    const { title, filesSince: since, url, checks } = found
    const changed = since?.length === 0 ? md`no file` : filesList(since ?? [], url)
    words.push(
      title === '' ? md`` : md`**${title}**`,
      filesText(found),
      since === undefined ? md`` : md`Since this message: ${changed}`,
      previewText(found, 'Preview', failureText(checks.deployment)),
      checks.failed.length === 0 ? md`` : md`${failedText(found)}: ${checksList(found)}`,
    )
  }
  if (published !== undefined) words.push(publishedText(published, failureText(published)))
  return words
}

/** The same in one line; empty if there is nothing to say. */
export function cameOfItLine({ found, published }: CameOfIt): Markdown {
  const words: Markdown[] = []
  if (found.kind === 'published') words.push(link(countOf(found.commits, 'commit'), found.url))
  if (found.kind === 'pull-request') {
    if (found.files !== undefined) words.push(link(filesCount(found), `${found.url}/files`))
    words.push(previewText(found, 'preview', md``), failedText(found))
  }
  if (published !== undefined) words.push(publishedText(published, md``))
  return joinMarkdown(words, ' · ')
}

export function cameOfItOutputs({ found, published }: CameOfIt): OutputValues {
  const pull = found.kind === 'pull-request' ? found : undefined
  const { url = '', state = '' } = pull?.preview ?? {}
  return {
    'pr-title': pull?.title ?? '',
    'pr-files':
      pull?.files === undefined
        ? ''
        : JSON.stringify(pull.files.map(({ filename: path, ...file }) => ({ path, ...file }))),
    'preview-url': url,
    'preview-status': ['ready', 'building', 'failed'].includes(state) ? state : '',
    published: published === undefined ? '' : `${published.value}`,
  }
}

/** What the agent was told: `context: 12 commits, 34 files (8 whole), 2 merged pull requests`. */
export function contextCounts({ commits, files, wholeFiles, mergedPulls, isUnknown }: ContextStats): string {
  if (isUnknown) return 'context: what has changed is not known'
  const whole = wholeFiles === 0 ? '' : ` (${wholeFiles} whole)`
  const pulls = mergedPulls === 0 ? '' : `, ${countOf(mergedPulls, 'merged pull request')}`
  return `context: ${countOf(commits, 'commit')}, ${countOf(files, 'file')}${whole}${pulls}`
}

function filesText(pull: PullReport): Markdown {
  if (pull.files === undefined) return md``
  if (pull.fileCount === 0) return md`The pull request changes no file.`
  return md`${filesCount(pull)}: ${filesList(pull.files, pull.url, pull.fileCount)}`
}

/** `3 pages, 1 other file`; pages are counted where all files are known. */
function filesCount({ files = [], fileCount }: PullReport): string {
  const pages =
    fileCount > files.length ? 0 : files.filter(({ filename }) => PAGE.test(filename ?? '')).length
  if (pages === 0) return countOf(fileCount, 'file')
  const others = fileCount === pages ? '' : `, ${countOf(fileCount - pages, 'other file')}`
  return `${countOf(pages, 'page')}${others}`
}

function filesList(files: readonly PullFile[], pullUrl: string, total = files.length): Markdown {
  const named = files.slice(0, MAX_NAMED_FILES).map(({ filename, additions, deletions }) => {
    const path = filename ?? ''
    const anchor = createHash('sha256').update(path).digest('hex')
    return md`${link(code(path), `${pullUrl}/files#diff-${anchor}`)} (+${additions ?? 0} −${deletions ?? 0})`
  })
  return andMore(named, total)
}

function previewText({ preview: { state, url } }: PullReport, noun: string, failure: Markdown): Markdown {
  const name = url === '' ? md`${noun}` : link(noun, url)
  if (state === 'ready') return md`${name} ready`
  if (state === 'building') return md`${name} being built`
  if (state === 'failed') return md`${name} failed${failure}`
  return url === '' ? md`` : name
}

function failedText({ checks: { failed } }: PullReport): Markdown {
  if (failed.length === 0) return md``
  return failed.length === 1 ? md`1 check fails` : md`${failed.length} checks fail`
}

function checksList({ checks: { failed } }: PullReport): Markdown {
  const named = failed.slice(0, MAX_NAMED_CHECKS).map(({ name, url }) => link(md`${name}`, url))
  return andMore(named, failed.length)
}

function andMore(named: readonly Markdown[], total: number): Markdown {
  const left = total - named.length
  return joinMarkdown([...named, left > 0 ? md`and ${left} more` : md``], ', ')
}

/** What the service's check says, to follow a statement. */
function failureText(check: { readonly words: string; readonly url: string } | undefined): Markdown {
  if (check === undefined) return md``
  const name = link('check', check.url)
  return check.words === '' ? md` (${name})` : md`: ${check.words} (${name})`
}

function publishedText({ value, pull, pullUrl }: Published, failure: Markdown): Markdown {
  const name = link(pull, pullUrl)
  return value ? md`${name} is published` : md`${name} was merged, but the service's check failed${failure}`
}
