import { readCommandText } from '../event/command.ts'
import { type GitHubEvent, placeOf } from '../event/event.ts'
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
  { answeredAtMs }: Memory,
  isReply: boolean,
  { github, inputs }: Run,
): Promise<readonly QuotedComment[]> {
  if (!command || !post || inputs.context === 'none') return []
  const { thread, id } = command
  const permission = threadPermission(thread, 'read')
  const call = { purpose: 'read the comments before the command', permission }
  const afterMs = isReply ? answeredAtMs : 0
  const timeOf = ({ createdAt }: ThreadComment): number => Date.parse(createdAt ?? '') || 0
  const isEnough = (some: readonly ThreadComment[]): boolean =>
    some.length >= MAX_POSTS || some.some((one) => timeOf(one) <= afterMs)
  const read = await github.optional(call, () => readThread(thread, isEnough, github))
  if (!read.known) return []
  const endMs = Date.parse(post.createdAt) || Infinity
  return read.value.slice(-MAX_POSTS).flatMap((one) => {
    const isBefore = one.databaseId !== id && timeOf(one) > afterMs && timeOf(one) <= endMs
    const isQuoted = isBefore && !one.isOwn && isInsider(one) && one.isMinimized === false
    return isQuoted ? quote(one, '') : []
  })
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
    const from = line == null ? undefined : startLine
    const place = placeOf(path, from, line ?? originalLine)
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
