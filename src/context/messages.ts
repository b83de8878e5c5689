import { hasSkipLabel } from '../events/loop-guard.ts'
import { isSameAccount } from '../github/comments.ts'
import type { MergedPull, MergedPulls } from '../github/pull-requests.ts'
import type { Maybe, User } from '../github/types.ts'
import type { Inputs } from '../inputs/table.ts'
import { byteLength, cleanMarkdown, clipBytes, oneLine } from '../lib/text.ts'
import type { Written } from './diff.ts'

export type CommitSummary = {
  /** May be empty, as may be the URL. */
  readonly sha: string
  readonly url?: Maybe<string>
  /** Or the part of it that the agent gets. */
  readonly message: string
  readonly author?: Maybe<User>
  /** The merged pull requests that it came in, if any, without those that need no docs. */
  readonly pulls?: readonly MergedPull[]
}

const MAX_SUBJECT_BYTES = 300
/** For what a commit's message says below its subject. */
const MAX_COMMIT_BODY_BYTES = 1000

/** A commit of a pull request, whose description tells what its body would: with its subject alone. */
export function withoutBody(commit: CommitSummary): CommitSummary {
  return { ...commit, message: subjectOf(commit) }
}

/** Commits with the merged pull requests that they came in, which tell what the bodies of their messages would. */
export function withPulls(
  commits: readonly CommitSummary[],
  mergedPulls: MergedPulls,
  inputs: Inputs,
): CommitSummary[] {
  return commits.map((commit) => {
    const all = mergedPulls.get(commit.sha) ?? []
    const pulls = all.filter(({ labels }) => !hasSkipLabel(labels, inputs))
    return all.length === 0 ? commit : { ...withoutBody(commit), pulls }
  })
}

/** Each once, at the newest of its commits, newest first. */
export function pullsOf(commits: readonly CommitSummary[]): MergedPull[] {
  const all = commits.toReversed().flatMap(({ pulls = [] }) => pulls)
  return [...new Map(all.map((pull) => [pull.number, pull])).values()]
}

export function subjectOf({ message }: CommitSummary): string {
  return message.trimStart().split('\n', 1)[0] ?? ''
}

/** Commits, newest first, routine ones last, with as many of their bodies as fit; empty if there are none. */
export function renderCommits(
  commits: readonly CommitSummary[],
  { total, maxBytes }: { readonly total: number; readonly maxBytes: number },
): Written {
  const all = commits.toReversed().map(readMessage)
  const shown = all.toSorted((one, other) => Number(one.isRoutine) - Number(other.isRoutine))
  const write = (): string => {
    const left = total - shown.length
    const note = left > 0 ? `\n… (${left} more, left out here)` : ''
    return ['\nCommits:', ...shown.map(({ text }) => text), note].join('')
  }
  while (byteLength(write()) > maxBytes && shown.length > 0) shown.pop()
  let left = maxBytes - byteLength(write())
  if (left < 0 || commits.length === 0) return { text: '', count: 0 }
  for (const commit of shown) {
    const body = clipBytes(commit.body, Math.min(left - 1, MAX_COMMIT_BODY_BYTES), '  ')
    if (body === '') continue
    left -= byteLength(`\n${body}`)
    commit.text += `\n${body}`
  }
  return { text: write(), count: shown.length }
}

/** Subjects of commits that say little to readers: merges, version bumps, updates of dependencies, tests and chores. */
const ROUTINE =
  /^(?:Merge (?:branch(?:es)?|remote-tracking|tag|commit) |(?:chore|ci|build|style|tests?)(?:\([^)]*\))?!?:|(?:fix|docs)\(deps|bump |fixup! |(?:update|upgrade|pin) (?:dependency |dependencies\b|all |.* (?:digest|tag|to v?\d[\w.-]*(?: \(#\d+\))?$))|lock file maintenance|(?:release|version packages|prepare release)\b|v?\d+\.\d+\.\d+\S*(?: \(#\d+\))?$)/i

/** Lines that tools and conventions put at the end of a message. */
const TRAILER =
  /^(?:[A-Za-z]+(?:-[A-Za-z]+)*-(?:by|on|to|id|from)|Cc|Refs?|Link|Bug|Fixes|Closes|Resolves): .*$|^\(cherry picked from commit [0-9a-f]+\)$|^-{4,}$/gim

function readMessage({ sha, message }: CommitSummary) {
  const [first = '', ...rest] = cleanMarkdown(message).split('\n')
  const text = cleanText(rest.join('\n').replace(TRAILER, ''))
  // GitHub's merge commits have the pull request's title as their body.
  const [, number] = /^Merge pull request #(\d+) from /.exec(first) ?? []
  const [title = '', ...below] = text.split('\n')
  const isMerge = number !== undefined && title !== ''
  const subject = isMerge ? `${title} (#${number})` : first || '(no message)'
  const shownSha = sha === '' ? '' : `${sha.slice(0, 7)} `
  return {
    text: `\n- ${shownSha}${clipBytes(oneLine(subject), MAX_SUBJECT_BYTES)}`,
    body: isMerge ? below.join('\n').trim() : text,
    isRoutine: ROUTINE.test(subject),
  }
}

const TOOLS =
  '(?:Bugbot|ChatGPT|Claude|CodeRabbit|Codex|Copilot|Cubic|Cursor|Devin|Gemini|Greptile|Qodo|Renovate|Sourcery)\\b'
/** What tools and review bots write about themselves: `Summary by CodeRabbit`, `Generated with Claude Code`. */
const BY_TOOL = new RegExp(
  `\\b(?:generated|created|written|authored|assisted|summary|review)(?: \\w+)? (?:with|by|from)\\W+(?:\\w+ )?${TOOLS}|\\b${TOOLS} (?:summary|overview|review)\\b`,
  'i',
)

/** What people see of a text, without what tools put into it. */
export function cleanText(text: string): string {
  const written = cleanMarkdown(text)
    // A section below such a heading, a quote, a line.
    .replace(/^(?:#{1,6} |<h\d>)(.*)(?:\n(?!#{1,6} |<h\d>).*)*/gm, (all, head) =>
      BY_TOOL.test(head) ? '' : all,
    )
    .replace(/(?:^>.*\n?)+|^.+$/gm, (all) => (BY_TOOL.test(all) ? '' : all))
  return cleanMarkdown(written)
}

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
const MAX_POSTS_BYTES = 8 * 1024

/** The comments of a thread, given oldest first, that were there before a command. */
export async function selectPosts(
  thread: readonly Post[],
  filter: PostFilter,
): Promise<PriorPosts> {
  const { commandId, writtenAt, asker, ours, sinceId, mayAsk } = filter
  const start = thread.findIndex(({ id }) => id === sinceId) + 1
  const end = thread.findIndex(
    ({ id, createdAt }) => id === commandId || (writtenAt !== '' && createdAt > writtenAt),
  )
  const earlier = thread.slice(start, end < 0 ? undefined : end)
  const before = earlier.filter(({ id, body }) => !ours.has(id) && cleanMarkdown(body) !== '')
  const authors: User[] = []
  for (const { author } of before.toReversed()) {
    const isListed = author == null || [asker, ...authors].some((one) => isSameAccount(one, author))
    if (!isListed && authors.length < MAX_AUTHORS) authors.push(author)
  }
  const may = await Promise.all(authors.map(mayAsk))
  const listened = [asker, ...authors.filter((_, index) => may[index])]
  const posts = before.filter(
    ({ author }) => author && listened.some((one) => isSameAccount(one, author)),
  )
  return { posts, others: before.length - posts.length }
}

/** The newest that fit, oldest first, the oldest of them cut; begins with a line break, empty if there are none. */
export function renderPosts({ posts, others }: PriorPosts, maxBytes = MAX_POSTS_BYTES): Written {
  const noteOf = (older: number): string => {
    const counts = [older > 0 && `${older} older`, others > 0 && `${others} of others`].filter(
      Boolean,
    )
    return counts.length === 0 ? '' : `\n… (${counts.join(', ')}, left out here)`
  }
  const title = '\nThe conversation before, by those who may ask:'
  const shown: string[] = []
  let left = Math.min(maxBytes, MAX_POSTS_BYTES) - byteLength(`${title}${noteOf(posts.length)}`)
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
