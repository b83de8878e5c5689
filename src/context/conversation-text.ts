import { isSameAccount } from '../github/comments.ts'
import type { Maybe, User } from '../github/types.ts'
import { byteLength, cleanMarkdown, clipBytes } from '../lib/text.ts'
import type { Written } from './commit-messages.ts'

/** A comment of a conversation. */
export type Post = {
  readonly id: number
  readonly author: Maybe<User>
  readonly body: string
  /** In ISO 8601, UTC. */
  readonly createdAt: string
}

/** What was written before a command. */
export type PriorPosts = {
  /** By those who may ask, oldest first. */
  readonly posts: readonly Post[]
  /** How many others have written. */
  readonly others: number
}

export type PostFilter = {
  readonly commandId: number
  /** When the command was written; empty if not known. A review is no comment of the thread. */
  readonly writtenAt: string
  readonly asker: Maybe<User>
  /** Ids of this action's comments. */
  readonly ours: ReadonlySet<number>
  /** Of the comment after which the conversation is to begin. */
  readonly sinceId?: number
  readonly mayAsk: (user: User) => Promise<boolean>
}

/** As many authors beside the asker are asked about. */
const MAX_AUTHORS = 10
const MAX_BYTES = 8 * 1024

/** The comments of a thread, given oldest first, that were there before a command. */
export async function selectPosts(thread: readonly Post[], filter: PostFilter): Promise<PriorPosts> {
  const { commandId, writtenAt, asker, ours, sinceId, mayAsk } = filter
  const isLater = ({ id, createdAt }: Post): boolean =>
    id === commandId || (writtenAt !== '' && createdAt > writtenAt)
  const end = thread.findIndex(isLater)
  const start = thread.findIndex(({ id }) => id === sinceId) + 1
  const before = thread
    .slice(start, end < 0 ? undefined : end)
    .filter(({ id, body }) => !ours.has(id) && cleanMarkdown(body) !== '')
  const authors: User[] = []
  for (const { author } of before.toReversed()) {
    const isListed = author == null || [asker, ...authors].some((one) => isSameAccount(one, author))
    if (!isListed && authors.length < MAX_AUTHORS) authors.push(author)
  }
  const may = await Promise.all(authors.map(mayAsk))
  const listened = [asker, ...authors.filter((_, index) => may[index])]
  const posts = before.filter(({ author }) => author && listened.some((one) => isSameAccount(one, author)))
  return { posts, others: before.length - posts.length }
}

/** The newest that fit, oldest first, the oldest of them cut; begins with a line break, empty if there are none. */
export function renderPosts({ posts, others }: PriorPosts, maxBytes = MAX_BYTES): Written {
  const noteOf = (older: number): string => {
    const counts = [older > 0 && `${older} older`, others > 0 && `${others} of others`].filter(Boolean)
    return counts.length === 0 ? '' : `\n… (${counts.join(', ')}, left out here)`
  }
  const title = '\nThe conversation before, by those who may ask:'
  const shown: string[] = []
  let left = Math.min(maxBytes, MAX_BYTES) - byteLength(`${title}${noteOf(posts.length)}`)
  for (const { author, createdAt, body } of posts.toReversed()) {
    const head = `\n- ${author?.login}, ${createdAt}:\n`
    const text = clipBytes(cleanMarkdown(body), left - byteLength(head), '  ')
    if (text === '') break
    shown.unshift(`${head}${text}`)
    left -= byteLength(`${head}${text}`)
  }
  const note = noteOf(posts.length - shown.length)
  const isEmpty = left < 0 || (shown.length === 0 && note === '')
  return { text: isEmpty ? '' : [title, ...shown, note].join(''), count: shown.length }
}
