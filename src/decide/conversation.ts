import { readCommandText } from '../event/command.ts'
import type { GitHubEvent } from '../event/event.ts'
import { nodesOf } from '../github/client.ts'
import {
  isInsider,
  readReviewThreads,
  readThread,
  type ThreadComment,
  threadPermission,
} from '../github/threads.ts'
import { cleanMarkdown } from '../lib/text.ts'
import type { Memory } from '../record/record.ts'
import type { Run } from '../runner/run.ts'

/** A comment that the prompt quotes. */
export type QuotedComment = {
  /** Login. */
  readonly author: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly body: string
  /** Of an open review comment: `guides/cli.mdx, line 12`; otherwise empty. */
  readonly place: string
}

/** How many comments before a command are read at most. */
const MAX_POSTS = 100

/** Reads what people of the repository wrote before a command, for a message since the last one. */
export async function readPosts(
  { command, post }: GitHubEvent,
  { answered }: Memory,
  isReply: boolean,
  { github, inputs }: Run,
): Promise<readonly QuotedComment[]> {
  if (!command || !post || inputs.context === 'none') return []
  const { thread, id } = command
  const permission = threadPermission(thread, 'read')
  const call = { purpose: 'read the comments before the command', permission }
  const lastId = isReply ? Number(answered.split('/')[1]) : 0
  const read = await github.optional(call, () =>
    readThread(
      thread,
      (some) => some.length >= MAX_POSTS || some.some(({ databaseId }) => databaseId === lastId),
      github,
    ),
  )
  if (!read.known) return []
  const comments = read.value.slice(-MAX_POSTS)
  const start = comments.findIndex(({ databaseId }) => databaseId === lastId) + 1
  // A command that was deleted meanwhile isn't listed, so its time decides.
  const end = comments.findIndex(
    (one) => one.databaseId === id || (post.createdAt && `${one.createdAt}` > post.createdAt),
  )
  const before = comments.slice(start, end < 0 ? undefined : end).filter(({ isOwn }) => !isOwn)
  return before.flatMap((one) =>
    isInsider(one) && one.isMinimized === false ? quote(one, '') : [],
  )
}

/** Reads the comments of unresolved review threads, by people of the repository and the person who asks. @throws {Problem} */
export async function readOpenReviews(
  { command }: GitHubEvent,
  { github, inputs }: Run,
): Promise<readonly QuotedComment[]> {
  if (!command) return []
  const call = { purpose: 'read the open review comments', permission: 'pull-requests: read' }
  const { threads, isOwn } = await github.need(call, () =>
    readReviewThreads(command.thread.number, github),
  )
  const open = threads.filter(({ isResolved }) => isResolved === false)
  return open.flatMap(({ path, line, startLine, originalLine, comments }) => {
    const to = line ?? originalLine
    const from = line != null && startLine != null && startLine !== line ? `${startLine} to ` : ''
    const place = `${path ?? ''}${to == null ? '' : `, line${from && 's'} ${from}${to}`}`
    const asked = nodesOf(comments).filter((one) => {
      const isAsker = one.author?.login === command.author.login
      const isCommand = readCommandText(one.body ?? '', inputs.command) !== undefined
      return (isInsider(one) || isAsker) && one.isMinimized === false && !isOwn(one) && !isCommand
    })
    return asked.flatMap((one) => quote(one, place))
  })
}

function quote({ author, body, createdAt }: ThreadComment, place: string): QuotedComment[] {
  const text = body ?? ''
  if (cleanMarkdown(text) === '') return []
  return [{ author: author?.login ?? 'ghost', createdAt: createdAt ?? '', body: text, place }]
}
