import type { FromGitHub, Maybe } from '../github/client.ts'
import { locatePullRequest, pullRequestThread } from '../github/pull-requests.ts'
import { code, joinMarkdown, link, Markdown, md } from '../lib/markdown.ts'
import { byteLength, shorten, visibleText } from '../lib/text.ts'
import { DAY_MS } from '../lib/time.ts'
import {
  type Draft,
  findSourceComment,
  hashProject,
  listThread,
  type SourceCommentMarker,
  type SourceItem,
  type SourceLine,
  writeComment,
} from '../look/comments.ts'
import type { Trigger } from '../look/trigger.ts'
import { type Run, runUrlOf } from '../runner/run.ts'

const MAX_LINES = 20
const MAX_ITEMS = 5
const MAX_ITEM_TITLE_LENGTH = 80
/** GitHub takes 65,536 characters. */
const MAX_COMMENT_BYTES = 60 * 1024

/** A docs pull request on this GitHub. */
export type DocsPullPlace = {
  /** `owner/name`, as the repository is called now. */
  readonly repository: string
  readonly number: number
  /** Whether it is in the run's repository. */
  readonly isOwn: boolean
  /** Whether more people can read it than the run's repository, or that is unknown. */
  readonly isExposed: boolean
}

const DOCS_REPOSITORY = `query DocsRepository($owner: String!, $repo: String!, $ownOwner: String!, $ownRepo: String!) {
  docs: repository(owner: $owner, name: $repo) { nameWithOwner visibility }
  own: repository(owner: $ownOwner, name: $ownRepo) { visibility } }`

type VisibilityNode = FromGitHub<{ nameWithOwner: string; visibility: string }>
type DocsRepositoryAnswer = FromGitHub<{ docs: VisibilityNode; own: VisibilityNode }>

const VISIBILITIES = ['private', 'internal', 'public']

/** Finds out where a docs pull request is and who can read it; `undefined` if it isn't on this GitHub. */
export async function placeDocsPull(
  prLink: string,
  { event: { payload } }: Trigger,
  { github, environment }: Run,
): Promise<DocsPullPlace | undefined> {
  const place = locatePullRequest(prLink, github)
  if (place === undefined) return undefined
  const { owner, repo, number } = place
  const isRunsOwn = (name: string) => name.toLowerCase() === environment.repository.toLowerCase()
  if (isRunsOwn(place.repository))
    return { repository: place.repository, number, isOwn: true, isExposed: false }
  const { owner: ownOwner, repo: ownRepo } = github.repository
  const answer = await github.read(() =>
    github.graphql<DocsRepositoryAnswer>(DOCS_REPOSITORY, { owner, repo, ownOwner, ownRepo }),
  )
  const { docs, own } = answer.known ? answer.value.data : {}
  const repository = docs?.nameWithOwner ?? place.repository
  const rank = (name: Maybe<string>) => VISIBILITIES.indexOf(`${name}`.toLowerCase())
  const ofDocs = rank(docs?.visibility)
  const ofRun = rank(own?.visibility ?? payload.repository?.visibility)
  const isOwn = isRunsOwn(repository)
  return { repository, number, isOwn, isExposed: !isOwn && (ofDocs < 0 || ofDocs > ofRun) }
}

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
  place: DocsPullPlace,
  { line, ifMissing }: SourceChange,
  run: Run,
): Promise<boolean> {
  const { github, log } = run
  const { repository, number, isOwn, isExposed } = place
  const written = await github.read(async () => {
    const thread = { ...pullRequestThread(number), repository }
    const { own } = await listThread(thread, run)
    const before = findSourceComment(own, run)
    const known = before?.marker.lines ?? []
    const isKnown = known.some(
      ({ job, run: url }) =>
        isExposed || (job === ifMissing?.job && (ifMissing.run === '' || ifMissing.run === url)),
    )
    const added = [line, isKnown ? undefined : ifMissing].filter((one) => one !== undefined)
    if (added.length === 0) return
    const all = [...added, ...known]
    const marker = {
      kind: 'source',
      project: hashProject(run),
      lines: isExposed ? all.map(dateOf) : all,
      older: before?.marker.older ?? 0,
    } as const
    const draft = fitDraft(marker, isOwn, run)
    await writeComment({ thread, ref: before?.ref, mayExist: false }, draft, false, run)
  })
  if (written.known) return true
  log.info(`Could not write the source comment on ${repository}#${number}: ${written.why}.`)
  return false
}

/** Keeps what people who can't read the run's repository may see of a line. */
function dateOf({ atMs }: SourceLine): SourceLine {
  return earlierJobLine('', atMs - (atMs % DAY_MS))
}

/** Makes the comment, without as many of the oldest lines as don't fit. */
function fitDraft(marker: SourceCommentMarker, isOwn: boolean, run: Run): Draft {
  const { lines, older } = marker
  const text = commentBody(marker, isOwn, run)
  // The marker has four bytes for three.
  const bytes = (byteLength(JSON.stringify(marker)) * 4) / 3 + byteLength(text.source)
  const isFitting = lines.length <= MAX_LINES && bytes <= MAX_COMMENT_BYTES
  if (isFitting || lines.length === 0) return { marker, text }
  return fitDraft({ ...marker, lines: lines.slice(0, -1), older: older + 1 }, isOwn, run)
}

function commentBody({ lines, older }: SourceCommentMarker, isOwn: boolean, run: Run): Markdown {
  const { command, 'follow-up': followUp } = run.inputs
  const hasCommand = lines.some(({ items }) => items.some(({ kind }) => kind === 'command'))
  const how = md`To request changes, comment ${code(`${command} …`)} here. For example: ${code(`${command} make it shorter and add an example`)}`
  const list = lines.map((line) => md`- ${lineText(line)}`)
  if (older > 0) list.push(md`- and ${older} older`)
  return joinMarkdown([
    md`💬 **Code changes covered by this pull request**`,
    joinMarkdown(list, '\n'),
    isOwn && hasCommand && command !== '' && followUp ? how : md``,
  ])
}

function lineText({ atMs, job, run, event, items, more }: SourceLine): Markdown {
  const date = new Date(atMs).toISOString().slice(0, 10)
  if (run === '') return job === '' ? md`${date}` : md`${date}: earlier job (details unavailable)`
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
