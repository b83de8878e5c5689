import type { SourceItem } from '../context/gather.ts'
import { mayWrite, type Trigger } from '../events/trigger.ts'
import { pullRequestThread } from '../github/comments.ts'
import { locatePullRequest } from '../github/pull-requests.ts'
import { code, joinMarkdown, link, Markdown, md } from '../lib/markdown.ts'
import { byteLength, shorten } from '../lib/text.ts'
import { runUrlOf } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import {
  hashProject,
  listThread,
  type NoteLine,
  type NoteMarker,
  writeComment,
} from './own-comments.ts'

const MAX_LINES = 20
const MAX_ITEMS = 5
const MAX_TITLE_LENGTH = 80
/** GitHub takes 65,536 characters. */
const MAX_BYTES = 60 * 1024

/** The line of a run's job or message, sent at a time in milliseconds since the epoch. */
export function createLine(
  sent: { readonly jobId: string; readonly atMs: number },
  items: readonly SourceItem[],
  { event: { name } }: Trigger,
  { environment }: Run,
): NoteLine {
  const shown = items
    .slice(0, MAX_ITEMS)
    .map((item) => ({ ...item, title: shorten(item.title, MAX_TITLE_LENGTH) }))
  const more = items.length - shown.length
  const { jobId: job, atMs } = sent
  return { atMs, job, run: runUrlOf(environment), event: name, items: shown, more }
}

/** The line of a job of which nothing else is known, named first at a time in milliseconds since the epoch. */
export function earlierLine(job: string, atMs: number): NoteLine {
  return { atMs, job, run: '', event: '', items: [], more: 0 }
}

/**
 * Adds lines, newest first, to the one note of the project on the agent's pull request, in whichever repository: what
 * each job and message was for. A failure is a line in the log.
 *
 * @returns whether the note is there
 */
export async function writeNote(
  prLink: string,
  lines: readonly NoteLine[],
  run: Run,
): Promise<boolean> {
  const { github, inputs, log } = run
  const place = locatePullRequest(prLink, github)
  if (place === undefined || !mayWrite(inputs)) return false
  const { repository, number } = place
  const thread = { ...pullRequestThread(number), repository }
  const written = await github.read(async () => {
    const listed = await listThread(thread, run)
    if (!listed.known) throw listed.error
    const project = hashProject(run)
    const known = listed.value.own.flatMap(({ ref, marker }) =>
      marker.kind === 'note' && marker.project === project ? [{ ref, marker }] : [],
    )
    const before = known.at(-1)
    const told = before?.marker.lines ?? []
    const added = lines.filter(
      (line) => line.run !== '' || !told.some(({ job }) => job === line.job),
    )
    if (added.length === 0) return
    const marker = {
      kind: 'note',
      project,
      lines: [...added, ...told],
      earlier: before?.marker.earlier ?? 0,
    } as const
    const draft = fitNote(marker, repository, run)
    await writeComment({ thread, ref: before?.ref, mayExist: false }, draft, false, run)
  })
  if (!written.known) log.info(`Failed to write the note on ${prLink}: ${written.why}.`)
  return written.known
}

/** Leaves the oldest lines out, as many as must be. */
function fitNote(marker: NoteMarker, repository: string, run: Run) {
  let { lines, earlier } = marker
  for (;;) {
    const draft = {
      marker: { ...marker, lines, earlier },
      text: noteBody(lines, earlier, repository, run),
    }
    // The marker has four bytes for three.
    const bytes = (byteLength(JSON.stringify(draft.marker)) * 4) / 3 + byteLength(draft.text.source)
    if (lines.length <= MAX_LINES && (bytes <= MAX_BYTES || lines.length === 1)) return draft
    lines = lines.slice(0, -1)
    earlier += 1
  }
}

function noteBody(
  lines: readonly NoteLine[],
  earlier: number,
  repository: string,
  run: Run,
): Markdown {
  const { command } = run.inputs
  const isHere = repository.toLowerCase() === run.environment.repository.toLowerCase()
  const hasCommand = lines.some(({ items }) => items.some(({ kind }) => kind === 'command'))
  const how = md`To have it changed, comment ${code(`${command} …`)} here, such as ${code(`${command} shorter, and add an example`)}.`
  const list = [...lines.map(lineText), ...(earlier > 0 ? [md`and ${earlier} earlier`] : [])]
  return joinMarkdown([
    md`💬 **The code changes that these docs are for**`,
    joinMarkdown(
      list.map((text) => md`- ${text}`),
      '\n',
    ),
    ...(isHere && hasCommand && command !== '' && run.inputs['follow-up'] ? [how] : []),
  ])
}

function lineText({ atMs, run, event, items, more }: NoteLine): Markdown {
  const date = new Date(atMs).toISOString().slice(0, 10)
  if (run === '') return md`${date}: an earlier job`
  const named = items.length === 0 ? [md`${event}`] : items.map(itemText)
  const shown = [...named, ...(more > 0 ? [md`and ${more} more`] : [])]
  return joinMarkdown([md`${date}, ${link('workflow run', run)}`, joinMarkdown(shown, '; ')], ': ')
}

function itemText({ kind, url, title, author }: SourceItem): Markdown {
  const by = author === '' ? md`` : md` by **${author}**`
  if (kind === 'signals') return md`what readers missed`
  if (kind === 'command')
    return md`${link('a command', url)}${by}${title === '' ? md`` : md`: ${title}`}`
  // The address itself, so that GitHub links back from there.
  if (kind === 'pull' && /^https?:\/\/[\w.:-]+(?:\/[\w.-]+){2}\/pull\/\d+$/.test(url))
    return md`${Markdown.raw(url)} ${title}${by}`
  return md`${link(title, url)}${by}`
}
