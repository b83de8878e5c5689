import { createHash } from 'node:crypto'
import type { Failure } from '../lib/failure.ts'
import { code, joinMarkdown, link, type Markdown, md } from '../lib/markdown.ts'
import { inBackticks } from '../lib/text.ts'
import type { OutputValues } from '../runner/outputs.ts'
import type { CameOfIt, Published, PullFile, PullReport } from './came-of-it.ts'
import type { FailedCheck, Preview } from './preview.ts'

const MAX_NAMED_FILES = 10
const MAX_NAMED_CHECKS = 5

/** How a completed job without a pull request ended; `undefined` where GitHub does not show which of the two it was. */
export function noPullRequestWords({ found }: CameOfIt): Failure | undefined {
  if (found.kind === 'published') {
    const headline = `Published straight to ${inBackticks(found.branch)}: ${count(found.commitCount, 'commit')}`
    return { headline, details: 'The agent committed to the branch without a pull request.' }
  }
  if (found.kind !== 'unchanged') return undefined
  return { headline: `Changed nothing on ${inBackticks(found.branch)}`, details: 'No file needed a change.' }
}

/** What a reviewer looks at first, as paragraphs. */
export function cameOfItSummary({ found, published }: CameOfIt): readonly Markdown[] {
  const paragraphs = published === undefined ? [] : [publishedText(published)]
  if (found.kind === 'published') {
    const commits = link(count(found.commitCount, 'commit'), found.url)
    return [md`See the ${commits} on ${code(found.branch)}.`, ...paragraphs]
  }
  if (found.kind !== 'pull-request') return paragraphs
  const { title, filesSinceMessage: since, url, preview, failedChecks } = found
  return [
    title === '' ? md`` : md`**${title}**`,
    filesText(found),
    since === undefined
      ? md``
      : md`Since this message: ${since.length === 0 ? 'no file' : filesList(since, url)}`,
    previewText(preview),
    checksText(failedChecks),
    ...paragraphs,
  ].filter(({ source }) => source !== '')
}

/** The same in one line; empty if there is nothing to say. */
export function cameOfItLine({ found, published }: CameOfIt): Markdown {
  const parts: Markdown[] = []
  if (found.kind === 'published') parts.push(link(count(found.commitCount, 'commit'), found.url))
  if (found.kind === 'pull-request') {
    const { files, preview, failedChecks } = found
    if (files !== undefined) parts.push(link(countFiles(found), `${found.url}/files`))
    if (hasPreview(preview)) parts.push(previewLabel(preview))
    const fails = failedChecks.length === 1 ? 'check fails' : 'checks fail'
    if (failedChecks.length > 0) parts.push(md`${failedChecks.length} ${fails}`)
  }
  if (published?.value === true) parts.push(md`${pullLink(published)} is published`)
  if (published?.value === false) parts.push(md`the check on the merge of ${pullLink(published)} failed`)
  return joinMarkdown(parts, ' · ')
}

export function cameOfItOutputs({ found, published }: CameOfIt): OutputValues {
  const pull = found.kind === 'pull-request' ? found : undefined
  const state = pull?.preview.state ?? 'unknown'
  const isSkipped = state === 'skipped'
  return {
    'pr-title': pull?.title ?? '',
    'pr-files': pull?.files === undefined ? '' : JSON.stringify(pull.files),
    'preview-url': isSkipped ? '' : (pull?.preview.url ?? ''),
    'preview-status': isSkipped || state === 'unknown' ? '' : state,
    published: published === undefined ? '' : String(published.value),
  }
}

/** What the agent was told; `wholeFiles`: how many of them with their whole diff, `undefined` if none has one. */
export type ContextCounts = {
  readonly commits: number
  readonly files: number
  readonly wholeFiles: number | undefined
  readonly mergedPulls: number
}

/** `context: 12 commits, 34 files (8 whole), 2 merged pull requests` */
export function contextCountsText({ commits, files, wholeFiles, mergedPulls }: ContextCounts): string {
  const whole = wholeFiles === undefined ? '' : ` (${wholeFiles} whole)`
  const pulls = mergedPulls === 0 ? '' : `, ${count(mergedPulls, 'merged pull request')}`
  return `context: ${count(commits, 'commit')}, ${count(files, 'file')}${whole}${pulls}`
}

function filesText(pull: PullReport): Markdown {
  const { files, fileCount, url } = pull
  if (fileCount === 0) return md`The pull request changes no file.`
  return files === undefined ? md`` : md`${countFiles(pull)}: ${filesList(files, url, fileCount)}`
}

/** `3 pages and 1 other file`; where not all files are known, no pages are counted. */
function countFiles({ files = [], fileCount }: PullReport): string {
  const pages = files.filter(({ path }) => /\.mdx?$/i.test(path)).length
  if (pages === 0 || fileCount > files.length) return fileCount === 0 ? 'no file' : count(fileCount, 'file')
  const others = fileCount - pages
  return others <= 0 ? count(pages, 'page') : `${count(pages, 'page')} and ${count(others, 'other file')}`
}

function filesList(files: readonly PullFile[], pullUrl: string, total = files.length): Markdown {
  const named = files.slice(0, MAX_NAMED_FILES).map(({ path, additions, deletions }) => {
    const anchor = createHash('sha256').update(path).digest('hex')
    return md`${link(code(path), `${pullUrl}/files#diff-${anchor}`)} (+${additions} −${deletions})`
  })
  return andMore(named, total)
}

function andMore(named: readonly Markdown[], total: number): Markdown {
  const left = total - named.length
  const more = left <= 0 ? [] : [md`${named.length === 0 ? '' : 'and '}${left} more`]
  return joinMarkdown([...named, ...more], ', ')
}

function hasPreview({ state, url }: Preview): boolean {
  return state !== 'skipped' && (state !== 'unknown' || url !== '')
}

const PREVIEW_STATES = {
  ready: ' ready',
  building: ' is being built',
  failed: ' failed',
  unknown: '',
  skipped: '',
}

function previewLabel({ state, url, deployment }: Preview): Markdown {
  const target = state === 'failed' ? deployment?.url : url
  return md`${target ? link('preview', target) : 'preview'}${PREVIEW_STATES[state]}`
}

function previewText(preview: Preview): Markdown {
  if (!hasPreview(preview)) return md``
  const { state, url, deployment } = preview
  const name = url === '' ? md`Preview` : link('Preview', url)
  if (state === 'failed') return md`The preview failed to build${failureWords(deployment)}`
  return { ready: md`${name}: ready`, building: md`${name}: being built`, unknown: name }[
    state === 'skipped' ? 'unknown' : state
  ]
}

/** What the service's check says, to follow a statement. */
function failureWords(deployment: Preview['deployment']): Markdown {
  const { words = '', url = '' } = deployment ?? {}
  const check = url === '' ? md`` : md` (${link('check', url)})`
  return words === '' ? md`${check}.` : md`: ${words}${check}`
}

function checksText(checks: readonly FailedCheck[]): Markdown {
  if (checks.length === 0) return md``
  const named = checks.slice(0, MAX_NAMED_CHECKS).map(({ name, url }) => link(md`${name}`, url))
  const fails = checks.length === 1 ? '1 check fails' : `${checks.length} checks fail`
  return md`${fails}: ${andMore(named, checks.length)}`
}

function publishedText(published: Published): Markdown {
  const pull = pullLink(published)
  if (published.value) return md`The earlier pull request ${pull} is merged and published.`
  return md`The earlier pull request ${pull} is merged, but the service's check failed${failureWords(published.deployment)}`
}

function pullLink({ pullName, pullUrl }: Published): Markdown {
  return link(pullName, pullUrl)
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`
}
