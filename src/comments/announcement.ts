import { type CommentRef, pullRequestThread } from '../github/comments.ts'
import { integerField, parseJson, recordField, stringField } from '../lib/json.ts'
import { code, joinMarkdown, link, type Markdown, md } from '../lib/markdown.ts'
import { clip } from '../lib/text.ts'
import { MAX_REQUEST_LENGTH } from './bodies.ts'
import { isNewer, type Marker } from './marker.ts'
import type { Draft, OwnComments } from './own-comments.ts'

/** A request that led to a pull request, as its announcement shows it. */
export type AnnouncedRequest = {
  /** `comment` for a command; else the event's name. */
  readonly event: string
  /** Login of whoever asked or caused the event; may be empty. */
  readonly login: string
  /** URL of the comment, of the commit, or of the workflow run. */
  readonly url: string
  /** What the command said, or the short name of a commit; may be empty. */
  readonly text: string
}

/** What an announcement says. */
type Announcement = {
  readonly first: AnnouncedRequest
  /** The same as `first` if there was one request only. */
  readonly last: AnnouncedRequest
  /** How many requests there were. */
  readonly count: number
  /** The command that goes on here; empty if none does. */
  readonly command: string
}

/** What is announced on the agent's pull request. */
type AnnouncementOptions = {
  /** Number of the pull request, which is in this run's repository. */
  readonly number: number
  /** What our comments of this run have in common. */
  readonly marker: Marker
  readonly jobId: string
  readonly request: AnnouncedRequest
  /** Whether a command there goes on with the job. */
  readonly canGoOn: boolean
}

/**
 * Says on the agent's pull request what it came from and how to go on; where that is said already, adds this request.
 * What runs have requested is kept in the marker, so that each edit can write the whole comment anew.
 *
 * @returns the comment; `undefined`, with a notice, if it could not be written
 */
export async function announce(
  { number, marker, jobId, request, canGoOn }: AnnouncementOptions,
  own: OwnComments,
): Promise<CommentRef | undefined> {
  const thread = pullRequestThread(number)
  const ours: Marker = { ...marker, kind: 'announcement', state: 'ended', job: jobId, source: '' }
  const command = canGoOn ? marker.command : ''
  const added = clipRequest(request)
  const draft = draftOf(ours, { first: added, last: added, count: 1, command })
  const report = {
    ifForbidden: 'notice',
    consequence:
      'The pull request says nothing of what it came from, and the next run does not find it: it opens another one.',
  } as const
  const merge = (current: Marker): Draft => mergedDraft(current, { marker: ours, added, command })
  const written = await own.write({ thread, existing: undefined, mayExist: true, draft, merge }, report)
  return written.result === 'written' ? written.comment : undefined
}

type Addition = { readonly marker: Marker; readonly added: AnnouncedRequest; readonly command: string }

/** The announcement with one more request. It stays that of the step that wrote it first. */
function mergedDraft(current: Marker, { marker, added, command }: Addition): Draft {
  const history = readHistory(current.history)
  if (history === undefined || current.job !== marker.job)
    return draftOf(marker, { first: added, last: added, count: 1, command })
  // A further attempt of the same run reports again what has been counted.
  const isCounted = current.run === marker.run && current.attempt !== marker.attempt
  const isLatest = !isNewer(current, marker)
  const { run, attempt } = isLatest ? marker : current
  return draftOf(
    { ...current, run, attempt },
    {
      first: history.first,
      last: isLatest ? added : history.last,
      count: history.count + (isCounted ? 0 : 1),
      command: command === '' ? history.command : command,
    },
  )
}

function draftOf(marker: Marker, announcement: Announcement): Draft {
  return {
    marker: { ...marker, history: JSON.stringify(announcement) },
    text: announcementBody(announcement),
  }
}

function readHistory(text: string): Announcement | undefined {
  const history = parseJson(text)
  const count = integerField(history, 'count')
  if (count === undefined) return undefined
  return {
    first: readRequest(recordField(history, 'first')),
    last: readRequest(recordField(history, 'last')),
    count,
    command: stringField(history, 'command') ?? '',
  }
}

function readRequest(record: unknown): AnnouncedRequest {
  const field = (name: string): string => stringField(record, name) ?? ''
  return { event: field('event'), login: field('login'), url: field('url'), text: field('text') }
}

/** On the agent's pull request: what it came from, what has been requested since, and how to go on. */
export function announcementBody({ first, last, count, command }: Announcement): Markdown {
  const example = code(`${command} shorter, and add an example`)
  return joinMarkdown([
    md`💬 The docs agent opened this pull request for ${describeRequest(first)}`,
    ...(count > 1
      ? [md`It has been asked ${count} times by now; the last time for ${describeRequest(last)}`]
      : []),
    ...(command === ''
      ? []
      : [md`To have it changed, comment ${code(`${command} …`)} here, such as ${example}.`]),
  ])
}

/** Cuts a request's text to a length that fits an announcement. */
export function clipRequest(request: AnnouncedRequest): AnnouncedRequest {
  return { ...request, text: clip(request.text, MAX_REQUEST_LENGTH) }
}

function describeRequest({ event, login, url, text }: AnnouncedRequest): Markdown {
  const by = login === '' ? md`` : md` by **${login}**`
  if (event === 'comment') {
    const words = text === '' ? md`.` : md`: ${text}`
    return md`${link('a comment', url)}${by}${words}`
  }
  if (event === 'push') return md`a push${by}: ${link(text === '' ? 'commit' : `commit ${text}`, url)}.`
  return md`${link('a workflow run', url)} (${code(event)}${by}).`
}
