import { type CommentEvent, readComment } from './comment-event.ts'
import type { GitHubEvent } from './event.ts'

/** A comment that asks for something. Whether its author may is another question. */
export type Command = {
  readonly comment: CommentEvent
  /** What follows the command, without white space around it; may be empty. */
  readonly instructions: string
  /** Whether a new job is wanted even where an earlier one could go on. */
  readonly fresh: boolean
}

/** What makes a comment a command. */
export type CommandRules = {
  /** The first word. */
  readonly command: string
  /** Logins of bots that may ask. */
  readonly allowBots: readonly string[]
}

/** Reads a command from an event; `undefined` if its comment is none, or of a bot that may not ask. */
export async function readCommand(event: GitHubEvent, rules: CommandRules): Promise<Command | undefined> {
  const comment = readComment(event)
  if (comment === undefined || (comment.isBot && !isAllowedBot(comment, rules))) return undefined
  const text = await textAfterCommand(comment.body, rules.command)
  if (text === undefined) return undefined
  const rest = afterWord(text, 'new')
  return { comment, instructions: rest ?? text, fresh: rest !== undefined }
}

/** Whether a comment is of a bot that needs no permission. Only an exact login counts, and only of a real bot. */
export function isAllowedBot({ isBot, login }: CommentEvent, { allowBots }: CommandRules): boolean {
  return isBot && allowBots.some((allowed) => allowed.toLowerCase() === login.toLowerCase())
}

/**
 * What a comment says after the command; `undefined` if it does not begin with it. Quotes and HTML comments at its
 * beginning are passed over; then a paragraph must begin with the command.
 */
export async function textAfterCommand(body: string, command: string): Promise<string | undefined> {
  if (!body.toLowerCase().includes(command.toLowerCase()) || NESTED_TOO_DEEP.test(body)) return undefined
  const { firstBlock } = await import('./first-block.ts')
  let rest = body
  for (let passed = 0; passed < MOST_PASSED_OVER; passed++) {
    const block = firstBlock(rest)
    if (block?.type === 'paragraph') return afterWord(rest.slice(block.start), command)
    const end = block?.type === 'blockquote' ? block.end : endOfHtmlComments(rest)
    if (block === undefined || end === undefined) return undefined
    rest = rest.slice(end)
  }
  return undefined
}

// Anybody may comment, and the parser's time grows with the square of the depth; nobody quotes a hundred deep.
const MOST_PASSED_OVER = 100
const NESTED_TOO_DEEP = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){100}/m

function endOfHtmlComments(text: string): number | undefined {
  return /^(?:(?:\s*\n)? {0,3}<!--(?:>|->|[\s\S]*?-->))+/.exec(text)?.[0].length
}

function afterWord(text: string, word: string): string | undefined {
  const rest = text.slice(word.length)
  const begins = text.slice(0, word.length).toLowerCase() === word.toLowerCase()
  return begins && /^(?:\s|$)/.test(rest) ? rest.trim() : undefined
}
