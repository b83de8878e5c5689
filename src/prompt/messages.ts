import type { MergedPull, MergedPulls } from '../github/pull-requests.ts'
import type { ComparedCommit, Maybe, User } from '../github/types.ts'
import type { Inputs } from '../inputs/table.ts'
import { byteLength, cleanMarkdown, clipBytes, oneLine } from '../lib/text.ts'
import { hasSkipLabel } from '../look/commits.ts'
import type { Payload } from '../look/event.ts'
import type { Written } from './files.ts'

export type CommitSummary = {
  /** May be empty, as may be the URL. */
  readonly sha: string
  readonly url?: Maybe<string>
  /** Or the part of it that the agent gets. */
  readonly message: string
  readonly author?: Maybe<User>
  /** The merged pull requests that it came in, if any, without those that don't need docs. */
  readonly pulls?: readonly MergedPull[]
}

/** The commits of an event. */
export type CommitList = {
  /** Oldest first. */
  readonly commits?: readonly CommitSummary[]
  /** How many there are, and which of them GitHub lists, if it doesn't list all. */
  readonly commitCount?: number
  readonly listedCommits?: 'newest' | 'oldest'
}

const MAX_SUBJECT_BYTES = 300
/** For the body of a commit's message. */
const MAX_COMMIT_BODY_BYTES = 1000

export function summaryOf({ sha, html_url: url, commit, author }: ComparedCommit): CommitSummary {
  return { sha: sha ?? '', message: commit?.message ?? '', url, author }
}

/** Reads the commits in the payload of a push; of a new tag, the commit that it is on. */
export function pushedCommits({ commits, head_commit: tip }: Payload): CommitSummary[] {
  const pushed = commits?.length ? commits : tip == null ? [] : [tip]
  return pushed.map(({ id, message, url, author }) => ({
    sha: id ?? '',
    message: message ?? '',
    url,
    // An app's name ends in `[bot]` there.
    author: { login: author?.username, type: 'User' },
  }))
}

/** Reduces a commit of a pull request to its subject: the pull request's description says the rest. */
export function withoutBody(commit: CommitSummary): CommitSummary {
  return { ...commit, message: subjectLine(commit) }
}

/** Adds the merged pull requests that commits came in, and removes the bodies of those commits' messages. */
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

/** Lists the merged pull requests of commits, each once, newest first. */
export function pullsOf(commits: readonly CommitSummary[]): MergedPull[] {
  const all = commits.toReversed().flatMap(({ pulls = [] }) => pulls)
  return [...new Map(all.map((pull) => [pull.number, pull])).values()]
}

export function subjectLine({ message }: CommitSummary): string {
  return message.trimStart().split('\n', 1)[0] ?? ''
}

/** Lists commits, newest first, routine ones last, with as many of their bodies as fit; empty if there are none. */
export function renderCommits(
  { commits = [], commitCount: total = 0, listedCommits = 'newest' }: CommitList,
  maxBytes: number,
): Written {
  const all = commits.toReversed().map(readMessage)
  const shown = all.toSorted((one, other) => Number(one.isRoutine) - Number(other.isRoutine))
  const listed =
    total > all.length
      ? ` (${total}, of which GitHub lists the ${listedCommits} ${all.length})`
      : ''
  const write = (): string => {
    const left = all.length - shown.length
    const note = left > 0 ? `\n… (${left} more, left out here)` : ''
    return [`\nCommits${listed}:`, ...shown.map(({ text }) => text), note].join('')
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

/** Subjects of commits that say little to readers of docs: merges, version bumps, updates of dependencies, tests and chores. */
const ROUTINE =
  /^(?:Merge (?:branch(?:es)?|remote-tracking|tag|commit) |(?:chore|ci|build|style|tests?)(?:\([^)]*\))?!?:|(?:fix|docs)\(deps|bump |fixup! |(?:update|upgrade|pin) (?:dependency |dependencies\b|all |.* (?:digest|tag|to v?\d[\w.-]*(?: \(#\d+\))?$))|lock file maintenance|(?:release|version packages|prepare release)\b|v?\d+\.\d+\.\d+\S*(?: \(#\d+\))?$)/i

/** Lines that tools and conventions add at the end of a message. */
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
/** Text that tools and review bots write about themselves: `Summary by CodeRabbit`, `Generated with Claude Code`. */
const BY_TOOL = new RegExp(
  `\\b(?:generated|created|written|authored|assisted|summary|review)(?: \\w+)? (?:with|by|from)\\W+(?:\\w+ )?${TOOLS}|\\b${TOOLS} (?:summary|overview|review)\\b`,
  'i',
)

/** Reduces a text to what people see and wrote: tools' summaries are removed. */
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
  /** What GitHub says of the author: `MEMBER`, `CONTRIBUTOR`, `NONE`, … */
  readonly association: string
  readonly body: string
  /** In ISO 8601, UTC. */
  readonly createdAt: string
}

/** The comments before a command. */
export type PriorPosts = {
  /** By people who can start a job, oldest first. */
  readonly posts: readonly Post[]
  /** How many comments others have written. */
  readonly others: number
}

const MAX_POSTS_BYTES = 8 * 1024

/** Shows the newest comments that fit, oldest first, the oldest of them cut; empty if there are none. */
export function renderPosts({ posts, others }: PriorPosts, maxBytes = MAX_POSTS_BYTES): Written {
  const noteOf = (older: number): string => {
    const counts = [
      older > 0 ? `${older} older` : [],
      others > 0 ? `${others} by others` : [],
    ].flat()
    return counts.length === 0 ? '' : `\n… (${counts.join(', ')}, left out here)`
  }
  const title = '\nThe comments before, by people who can start a job:'
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
