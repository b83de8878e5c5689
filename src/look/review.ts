import { pullRequestThread } from '../github/comments.ts'
import { type Comment, normalizeLogin } from '../github/types.ts'
import type { Run } from '../runner/run.ts'
import { type Command, requestText, textAfterCommand } from './command.ts'
import { type GitHubEvent, readActor } from './event.ts'

/** A comment of a review on a line of a file. */
export type LineComment = {
  readonly text: string
  readonly path: string
  /** A number; empty if the comment is about the whole file. */
  readonly line: string
  readonly hunk: string
}

/** Whether an event is a review of a docs pull request, or what else happens to one. */
export function isDocsReview({ name, payload }: GitHubEvent): boolean {
  const author = payload.pull_request?.user?.login ?? ''
  return name === 'pull_request_review' && normalizeLogin(author) === 'mintlify'
}

/** Reads a person's review that requests changes on an open docs pull request; `undefined` if the event is none. */
export function readReview(event: GitHubEvent, word: string): Command | undefined {
  const { action, review, pull_request: pull } = event.payload
  const { id, html_url: url, state, body } = review ?? {}
  const isRequest = action === 'submitted' && state?.toLowerCase() === 'changes_requested'
  const author = readActor(review?.user)
  if (!isDocsReview(event) || !isRequest || pull?.state !== 'open') return undefined
  if (author === undefined || author.isBot || id == null || pull.number == null) return undefined
  const source = { id, url: url ?? '', thread: pullRequestThread(pull.number) }
  const instructions = textOf(body ?? '', word)
  return { kind: 'review', source, author, instructions, fresh: false }
}

/** Returns the request in a text; empty if it is a command, which is answered on its own. */
function textOf(text: string, word: string): string {
  const isCommand = word !== '' && textAfterCommand(text, word) !== undefined
  return isCommand ? '' : requestText(`\n${text}`)
}

/** Reads the comments of a review that ask for something; none if they can't be read. */
export async function readLineComments(
  { source: { id, thread } }: Command,
  { github, inputs }: Run,
): Promise<readonly LineComment[]> {
  const call = {
    purpose: 'read the comments of the review',
    permission: 'pull-requests: read',
    effect: 'the agent does not get the comments on lines',
  }
  const path = `${github.path}/pulls/${thread.number}/reviews/${id}/comments`
  const listed = await github.attempt(call, () => github.list<Comment>(path))
  const comments = listed.known ? listed.value : []
  return comments.flatMap((comment) => {
    const { body, path: file, line, original_line: original, diff_hunk: hunk } = comment
    const text = textOf(body ?? '', inputs.command)
    const at = line ?? original ?? lastLineOf(hunk ?? '')
    return text === '' ? [] : [{ text, path: file ?? '', line: `${at ?? ''}`, hunk: hunk ?? '' }]
  })
}

/** Returns the number of a hunk's last line, which its comment is on: GitHub's list of a review has none. */
function lastLineOf(hunk: string): number | undefined {
  const [head = '', ...lines] = hunk.split('\n')
  const side = lines.at(-1)?.startsWith('-') ? '-' : '+'
  const [, start] = new RegExp(`\\${side}(\\d+)`).exec(head) ?? []
  const shown = lines.filter((line) => line.startsWith(' ') || line.startsWith(side))
  return start === undefined ? undefined : Number(start) + shown.length - 1
}
