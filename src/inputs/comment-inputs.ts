import { BOOLEAN, oneOf, splitList } from './formats.ts'
import type { InputFormat, InputReader } from './reader.ts'

/** Permissions on a repository, from least to most. Source: GitHub's documentation, "Repository roles". */
export const PERMISSION_LEVELS = ['read', 'triage', 'write', 'maintain', 'admin'] as const

/** One of `PERMISSION_LEVELS`. */
export type PermissionLevel = (typeof PERMISSION_LEVELS)[number]

/** When to write comments. */
export type CommentMode = 'auto' | 'always' | 'never'

/** What the inputs say of comments and of who may ask. */
export type CommentInputs = {
  /** First word of a comment that asks for something; empty: no comment does. */
  readonly command: string
  readonly commandPermission: PermissionLevel
  readonly allowBots: readonly string[]
  /** Logins of those whose work must not wake the agent. */
  readonly ignoreAuthors: readonly string[]
  readonly followUp: boolean
  readonly comment: CommentMode
}

/** Reads the inputs about comments. What is wrong is left with the reader. */
export function readCommentInputs(inputs: InputReader): CommentInputs {
  return {
    command: inputs.text('command', '/docs') === '' ? '' : inputs.value('command', COMMAND, '/docs'),
    commandPermission: inputs.value('command-permission', oneOf(PERMISSION_LEVELS), 'write'),
    allowBots: inputs.optional('allow-bots', BOTS) ?? [],
    ignoreAuthors: splitList(inputs.text('ignore-authors', 'mintlify[bot]')),
    followUp: inputs.value('follow-up', BOOLEAN, 'true'),
    comment: inputs.value('comment', oneOf(['auto', 'always', 'never']), 'auto'),
  }
}

const COMMAND: InputFormat<string> = {
  parse(text) {
    if (/\s/.test(text)) throw new RangeError('is more than one word')
    return text
  },
  accepted: 'one word, such as /docs, or nothing, so that comments ask for nothing',
}

const BOTS: InputFormat<readonly string[]> = {
  parse(text) {
    const logins = splitList(text)
    if (logins.some((login) => /[*?\s]/.test(login))) throw new RangeError('holds something that is no login')
    return logins
  },
  accepted: 'logins of bots as GitHub shows them, such as renovate[bot], separated by commas; no wildcard',
}
