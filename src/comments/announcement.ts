import { type CommentRef, pullRequestThread } from '../github/comments.ts'
import { integerField, parseJson, recordField, stringField } from '../lib/json.ts'
import { type AnnouncedRequest, type Announcement, announcedRequest, announcementBody } from './bodies.ts'
import { isNewer, type Marker } from './marker.ts'
import type { Draft, OwnComments } from './own-comments.ts'

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
 * What runs have asked is kept in the marker, so that each edit can write the whole comment anew.
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
  const asked = announcedRequest(request)
  const draft = draftOf(ours, { first: asked, last: asked, count: 1, command })
  const report = {
    ifForbidden: 'notice',
    consequence:
      'The pull request says nothing of what it came from, and the next run does not find it: it opens another one.',
  } as const
  const merge = (current: Marker): Draft => mergedDraft(current, { marker: ours, asked, command })
  const written = await own.write({ thread, existing: undefined, mayExist: true, draft, merge }, report)
  return written.result === 'written' ? written.comment : undefined
}

type Addition = { readonly marker: Marker; readonly asked: AnnouncedRequest; readonly command: string }

/** The announcement with one more request. It stays that of the step that wrote it first. */
function mergedDraft(current: Marker, { marker, asked, command }: Addition): Draft {
  const history = readHistory(current.history)
  if (history === undefined || current.job !== marker.job)
    return draftOf(marker, { first: asked, last: asked, count: 1, command })
  // A further attempt of the same run reports again what has been counted.
  const isCounted = current.run === marker.run && current.attempt !== marker.attempt
  const isLatest = !isNewer(current, marker)
  const { run, attempt } = isLatest ? marker : current
  return draftOf(
    { ...current, run, attempt },
    {
      first: history.first,
      last: isLatest ? asked : history.last,
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
