import { pullRequestThread } from '../github/pull-requests.ts'
import { code, joinMarkdown, link, Markdown, md } from '../lib/markdown.ts'
import { byteLength, shorten, visibleText } from '../lib/text.ts'
import {
  type Draft,
  findSourceComment,
  hashProject,
  listThread,
  repositoryKey,
  type SourceCommentMarker,
  type SourceItem,
  type SourceLine,
  writeComment,
} from '../look/comments.ts'
import type { DocsPlace } from '../look/result.ts'
import type { Trigger } from '../look/trigger.ts'
import { type Run, runUrlOf } from '../runner/run.ts'

const MAX_LINES = 20
const MAX_ITEMS = 5
const MAX_ITEM_TITLE_LENGTH = 80
/** GitHub takes 65,536 characters. */
const MAX_COMMENT_BYTES = 60 * 1024

/** Where a docs pull request is. */
export type PullPlace = DocsPlace & { readonly number: number }

/** Makes the line of a run's job or message, sent at a time in milliseconds since the epoch. */
export function createLine(
  { job, atMs }: Pick<SourceLine, 'job' | 'atMs'>,
  items: readonly SourceItem[],
  { event: { name } }: Trigger,
  { environment }: Run,
): SourceLine {
  const shown = items
    .slice(0, MAX_ITEMS)
    .map((item) => ({ ...item, title: shorten(item.title, MAX_ITEM_TITLE_LENGTH) }))
  const more = items.length - shown.length
  return { atMs, job, run: runUrlOf(environment), event: name, items: shown, more }
}

/** Makes the line of a job whose details are unknown, named first at a time in milliseconds since the epoch. */
export function earlierJobLine(job: string, atMs: number): SourceLine {
  return { atMs, job, run: '', event: '', items: [], more: 0 }
}

/** What a run adds to the source comment. */
export type SourceChange = {
  /** The job that the pull request belongs to. */
  readonly job: string
  /** Of the job or message that the run sent. */
  readonly line?: SourceLine
  /** Added if the comment doesn't have it: of an earlier job, or of the run that a re-run repeats. */
  readonly ifMissing?: SourceLine | undefined
}

/**
 * Adds lines to the project's one source comment on a docs pull request. A failure is a line in the log.
 *
 * @returns whether the comment is there
 */
export async function writeSourceComment(
  place: PullPlace,
  { job, line, ifMissing }: SourceChange,
  run: Run,
): Promise<boolean> {
  const { github, log, environment } = run
  const { repository, repositoryId, number, isOwn, isExposed } = place
  const written = await github.attempt(async () => {
    const named = isOwn ? {} : { repository, repositoryId }
    const thread = { ...pullRequestThread(number), ...named }
    const { own } = await listThread(thread, run)
    const before = findSourceComment(own, run)
    const known = before?.marker.lines ?? []
    const isKnown = known.some(
      (one) => one.job === ifMissing?.job && (ifMissing.run === '' || ifMissing.run === one.run),
    )
    const added = [line, isKnown ? undefined : ifMissing].filter((one) => one !== undefined)
    // Where more people can read it, the comment lists nothing, so only its job can be out of date.
    const isUpToDate = isExposed && known.length === 0 && before?.marker.job === job
    if (added.length === 0 || isUpToDate) return
    const marker = {
      kind: 'source',
      project: hashProject(run),
      repository: repositoryKey(thread, environment),
      job,
      lines: isExposed ? [] : [...added, ...known],
      older: before?.marker.older ?? 0,
    } as const
    const draft = fitDraft(marker, place, run)
    await writeComment({ thread, ref: before?.ref, mayExist: false }, draft, false, run)
  })
  if (written.known) return true
  log.info(
    `Could not write the comment that lists the covered changes on ${repository}#${number}: ${written.why}.`,
  )
  return false
}

/** Makes the comment, without as many of the oldest lines as don't fit. */
function fitDraft(marker: SourceCommentMarker, place: PullPlace, run: Run): Draft {
  const { lines, older } = marker
  const text = commentBody(marker, place, run)
  // The marker has four bytes for three.
  const bytes = (byteLength(JSON.stringify(marker)) * 4) / 3 + byteLength(text.source)
  const isFitting = lines.length <= MAX_LINES && bytes <= MAX_COMMENT_BYTES
  if (isFitting || lines.length === 0) return { marker, text }
  return fitDraft({ ...marker, lines: lines.slice(0, -1), older: older + 1 }, place, run)
}

function commentBody(
  { lines, older }: SourceCommentMarker,
  { isOwn, isExposed, repository }: PullPlace,
  run: Run,
): Markdown {
  const { command, 'follow-up': followUp } = run.inputs
  if (isExposed) return md`💬 An agent wrote this pull request for changes in a private repository.`
  const home = `${run.github.serverUrl}/${repository}/`.toLowerCase()
  const isCommandHere = ({ kind, url }: SourceItem) =>
    kind === 'command' && url.toLowerCase().startsWith(home)
  const hasCommand = lines.some(({ items }) => items.some(isCommandHere))
  const how = md`To request changes, comment ${code(`${command} …`)} here. For example: ${code(`${command} make it shorter and add an example`)}`
  const list = lines.map((line) => md`- ${lineText(line)}`)
  if (older > 0) list.push(md`- and ${older} older`)
  return joinMarkdown([
    md`💬 **Code changes covered by this pull request**`,
    joinMarkdown(list, '\n'),
    isOwn && hasCommand && command !== '' && followUp ? how : md``,
  ])
}

function lineText({ atMs, run, event, items, more }: SourceLine): Markdown {
  const date = new Date(atMs).toISOString().slice(0, 10)
  if (run === '') return md`${date}: earlier job (details unavailable)`
  const shown = items.length === 0 ? [md`${event}`] : items.map(itemText)
  if (more > 0) shown.push(md`and ${more} more`)
  return md`${date}, ${link('workflow run', run)}: ${joinMarkdown(shown, '; ')}`
}

function itemText({ kind, url, title, author }: SourceItem): Markdown {
  const by = author === '' ? md`` : md` by **${author}**`
  if (kind === 'content-gaps') return md`content gaps`
  if (kind === 'command' || kind === 'review')
    return md`${link(kind, url)}${by}${title === '' ? md`` : md`: ${title}`}`
  // The address itself, so that GitHub links back from there.
  if (kind === 'pull' && /^https?:\/\/[\w.:-]+(?:\/[\w.-]+){2}\/pull\/\d+$/.test(url))
    return md`${Markdown.raw(url)} ${title}${by}`
  // Without a readable title, a commit is named by its SHA, an issue by its number.
  const label = visibleText(title).trim() === '' ? url.replace(/.*\//, '').slice(0, 7) : title
  return md`${link(label, url)}${by}`
}
