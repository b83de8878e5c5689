import { byteLength, cleanMarkdown, clipBytes, oneLine } from '../lib/text.ts'

/** A commit's SHA, which may be empty, and its message or the part of it that is to be told. */
export type CommitSummary = { readonly sha: string; readonly message: string }

/** A part of the block, and how many of its things are in it. */
export type Written = { readonly text: string; readonly count: number }

const MAX_SUBJECT_BYTES = 300
/** For what a commit's message says below its subject. */
const MAX_COMMIT_BODY_BYTES = 1000

/** A commit with its subject alone. */
export function withoutBody({ sha, message }: CommitSummary): CommitSummary {
  return { sha, message: message.trimStart().split('\n', 1)[0] ?? '' }
}

/** Commits, newest first, routine ones last, with as many of their bodies as fit; empty if there are none. */
export function renderCommits(
  commits: readonly CommitSummary[],
  { total, maxBytes }: { readonly total: number; readonly maxBytes: number },
): Written {
  const all = withoutRepeats(commits.toReversed().map(readMessage))
  const inOrder = all.toSorted((one, other) => Number(one.isRoutine) - Number(other.isRoutine))
  const repeats = commits.length - all.length
  const shown = inOrder.map(({ title }) => title)
  const write = (): string => {
    const left = total - repeats - shown.length
    return ['\nCommits:', ...shown, left > 0 ? `\n… (${left} more, left out here)` : ''].join('')
  }
  while (byteLength(write()) > maxBytes && shown.length > 0) shown.pop()
  let left = maxBytes - byteLength(write())
  if (left < 0 || commits.length === 0) return { text: '', count: 0 }
  for (const [index, title] of shown.entries()) {
    const body = clipBytes(inOrder[index]?.body ?? '', Math.min(left - 1, MAX_COMMIT_BODY_BYTES), '  ')
    if (body === '') continue
    left -= byteLength(`\n${body}`)
    shown[index] = `${title}\n${body}`
  }
  return { text: write(), count: shown.length }
}

/** Subjects of commits that say little to readers: merges, version bumps, updates of dependencies, tests and chores. */
const ROUTINE =
  /^(?:Merge (?:branch(?:es)?|remote-tracking|tag|commit) |(?:chore|ci|build|style|tests?)(?:\([^)]*\))?!?:|(?:fix|docs)\(deps|bump |fixup! |(?:update|upgrade|pin) (?:dependency |dependencies\b|all |.* (?:digest|tag|to v?\d[\w.-]*(?: \(#\d+\))?$))|lock file maintenance|(?:release|version packages|prepare release)\b|v?\d+\.\d+\.\d+\S*(?: \(#\d+\))?$)/i

/** Lines that tools and conventions put at the end of a message. */
const TRAILER =
  /^(?:[A-Za-z]+(?:-[A-Za-z]+)*-(?:by|on|to|id|from)|Cc|Refs?|Link|Bug|Fixes|Closes|Resolves): .*$|^\(cherry picked from commit [0-9a-f]+\)$|^-{4,}$/gim

type Message = Readonly<Record<'title' | 'subject' | 'body', string>> & { readonly isRoutine: boolean }

function readMessage({ sha, message }: CommitSummary): Message {
  const [first = '', ...rest] = cleanMarkdown(message).split('\n')
  const text = cleanText(rest.join('\n').replace(TRAILER, ''))
  // GitHub's merge commits have the pull request's title as their body.
  const [, number] = /^Merge pull request #(\d+) from /.exec(first) ?? []
  const [title = '', ...below] = text.split('\n')
  const isMerge = number !== undefined && title !== ''
  const subject = isMerge ? `${title} (#${number})` : first || '(no message)'
  const shownSha = sha === '' ? '' : `${sha.slice(0, 7)} `
  return {
    title: `\n- ${shownSha}${clipBytes(oneLine(subject), MAX_SUBJECT_BYTES)}`,
    subject: subjectKey(subject),
    body: isMerge ? below.join('\n').trim() : text,
    isRoutine: ROUTINE.test(subject),
  }
}

/** The same for the subject of a merge, of its commit, and of the line that lists it in a squashed one. */
function subjectKey(line: string): string {
  const [, subject = ''] = /^(?:[*-] )?(.*?)(?: \(#\d+\))*\.?$/.exec(oneLine(line)) ?? []
  return subject.toLowerCase()
}

/** Each subject once, with the first body that there is for it, and no body with lines that are subjects. */
function withoutRepeats(messages: readonly Message[]): Message[] {
  const bySubject = Map.groupBy(messages, ({ subject }) => subject)
  const withoutSubjects = (body: string): string =>
    cleanMarkdown(
      body
        .split('\n')
        .filter((line) => line === '' || !bySubject.has(subjectKey(line)))
        .join('\n'),
    )
  return [...bySubject.values()].flatMap((same) => {
    const [first] = same
    const body = same.map((one) => withoutSubjects(one.body)).find((text) => text !== '') ?? ''
    return first === undefined ? [] : [{ ...first, body }]
  })
}

const TOOLS =
  '(?:CodeRabbit|Sourcery|Greptile|Copilot|Bugbot|Cubic|Ellipsis|Qodo|PR-Agent|Claude|Cursor|Codex|ChatGPT|Gemini|Devin|Windsurf|OpenHands|Renovate)'
/** What review bots write into a description: below a heading that names them, or as a quote. */
const BOT_SUMMARY = new RegExp(
  `^(?:#{1,6} |<h\\d>).*\\b${TOOLS}\\b.*(?:\\n(?!#{1,6} |<h\\d>).*)*|^>(?=(?:.*\\n>)*.*\\b${TOOLS}\\b).*(?:\\n>.*)*`,
  'gim',
)
const TOOL_LINE = new RegExp(
  `^.*(?:\\b(?:generated|created|written|made|built|assisted|authored|summary)(?: \\w+)? (?:with|by|using|from|via)\\W+(?:\\w+ )?${TOOLS}\\b|🤖).*$`,
  'gim',
)

/** What people see of a text, without what tools put into it, and without headings that have nothing below. */
export function cleanText(text: string): string {
  const written = cleanMarkdown(text).replace(BOT_SUMMARY, '').replace(TOOL_LINE, '')
  const levelOf = (line: string): number => /^(#{1,6}) /.exec(line)?.[1]?.length ?? Infinity
  const fromBelow: string[] = []
  for (const line of written.split('\n').toReversed()) {
    const below = fromBelow.findLast((one) => one.trim() !== '')
    const isEmpty = below === undefined || levelOf(below) <= levelOf(line)
    if (levelOf(line) === Infinity || !isEmpty) fromBelow.push(line)
  }
  return cleanMarkdown(fromBelow.toReversed().join('\n'))
}
