import { byteLength, cleanMarkdown, clipBytes, oneLine } from '../lib/text.ts'

/** A commit, as far as it is told. */
export type ToldCommit = {
  /** May be empty. */
  readonly sha: string
  /** Its whole message, or the part of it that is to be told. */
  readonly message: string
}

/** Some of the commits of a change. */
export type CommitList = {
  /** Oldest first. */
  readonly commits: readonly ToldCommit[]
  /** How many there are in all. */
  readonly total: number
}

export const NO_COMMITS: CommitList = { commits: [], total: 0 }

const MAX_SUBJECT_BYTES = 300
const MAX_BODY_BYTES = 1000

/** Subjects of commits that say little to readers: merges, version bumps, updates of dependencies, tests and chores. */
const ROUTINE =
  /^(?:Merge (?:branch(?:es)?|remote-tracking|tag|commit) |(?:chore|ci|build|style|tests?)(?:\([^)]*\))?!?:|(?:fix|docs)\(deps|bump |fixup! |(?:update|upgrade|pin) (?:dependency |dependencies\b|all |.* (?:digest|tag|to v?\d[\w.-]*(?: \(#\d+\))?$))|lock file maintenance|(?:release|version packages|prepare release)\b|v?\d+\.\d+\.\d+\S*(?: \(#\d+\))?$)/i

/** Lines that tools and conventions put at the end of a message. */
const TRAILER =
  /^(?:[A-Za-z]+(?:-[A-Za-z]+)*-(?:by|on|to|id|from)|Cc|Refs?|Link|Bug|Fixes|Closes|Resolves): .*$|^\(cherry picked from commit [0-9a-f]+\)$|^-{4,}$/gim

/** Commits, newest first, routine ones last, with as many of their bodies as fit; empty if there are none. */
export function renderCommits({ commits, total }: CommitList, maxBytes: number): string {
  if (commits.length === 0) return ''
  const newestFirst = commits.toReversed().map(readMessage)
  const inOrder = [
    ...newestFirst.filter(({ isRoutine }) => !isRoutine),
    ...newestFirst.filter(({ isRoutine }) => isRoutine),
  ]
  const title = '\nCommits:'
  const moreNote = (shown: number): string =>
    total > shown ? `\n… (${total - shown} more, left out here)` : ''
  const shown = inOrder.map(({ subject }) => subject)
  let left = maxBytes - byteLength([title, ...shown, moreNote(shown.length)].join(''))
  while (left < 0 && shown.length > 0) {
    shown.pop()
    left = maxBytes - byteLength([title, ...shown, moreNote(shown.length)].join(''))
  }
  if (left < 0) return ''
  for (const [index, subject] of shown.entries()) {
    const body = inOrder[index]?.body ?? ''
    const text = body === '' ? '' : `\n${clipBytes(body, Math.min(left - 1, MAX_BODY_BYTES), '  ')}`
    if (text.trim() === '') continue
    left -= byteLength(text)
    shown[index] = `${subject}${text}`
  }
  return [title, ...shown, moreNote(shown.length)].join('')
}

function readMessage({ sha, message }: ToldCommit) {
  const [first = '', ...rest] = cleanMarkdown(message).split('\n')
  const text = rest.join('\n').replace(TRAILER, '').trim()
  // GitHub's merge commits have the pull request's title as their body.
  const [, number] = /^Merge pull request #(\d+) from /.exec(first) ?? []
  const [title = '', ...below] = text.split('\n')
  const isMerge = number !== undefined && title !== ''
  const subject = isMerge ? `${title} (#${number})` : first || '(no message)'
  const shownSha = sha === '' ? '' : `${sha.slice(0, 7)} `
  return {
    subject: `\n- ${shownSha}${clipBytes(oneLine(subject), MAX_SUBJECT_BYTES)}`,
    body: isMerge ? below.join('\n').trim() : text,
    isRoutine: ROUTINE.test(subject),
  }
}
