import { integerField, recordField, stringField } from '../lib/json.ts'
import { type Account, isSameAccount, readAccount } from './account.ts'
import { writePermission } from './comments.ts'
import type { GitHub } from './github.ts'
import type { CommandSource } from './thread.ts'

/** Reactions that this action gives, by GitHub's names: 👀 🚀 👍 😕 👎. */
const REACTIONS = ['eyes', 'rocket', '+1', 'confused', '-1'] as const

/** One of `REACTIONS`. */
export type ReactionContent = (typeof REACTIONS)[number]

/** A comment or issue to react to. Reviews have no reactions. */
export type Reactable = Pick<CommandSource, 'id' | 'thread'> & Partial<Pick<CommandSource, 'kind'>>

/** A reaction that has been given. */
export type Reaction = {
  readonly id: number
  /** The account that the token belongs to; `undefined` if the answer does not say. */
  readonly by: Account | undefined
}

/** Reacts to a comment; the same reaction twice is one. `undefined`, with a warning, if that failed. */
export function react(
  github: GitHub,
  comment: Reactable,
  content: ReactionContent,
): Promise<Reaction | undefined> {
  if (comment.kind === 'review') return Promise.resolve(undefined)
  return github.attempt({
    purpose: 'react to the comment',
    permission: writePermission(comment.thread),
    send: async ({ rest }) => {
      const it = { ...github.repository, comment_id: comment.id, content }
      if (comment.kind === 'issue') {
        const issue = { ...github.repository, issue_number: comment.id, content }
        return readReaction((await rest.reactions.createForIssue(issue)).data)
      }
      const { data } =
        comment.thread.kind === 'main'
          ? await rest.reactions.createForIssueComment(it)
          : await rest.reactions.createForPullRequestReviewComment(it)
      return readReaction(data)
    },
  })
}

/** Reactions that the last one replaces: those with these ids, or all that this action gave. */
export type ReactionsBefore = readonly number[] | 'all'

/**
 * Gives a comment its last reaction and takes those before it back. Returns whether the comment has its reaction; if
 * not, there was a warning.
 */
export async function replaceReactions(
  github: GitHub,
  comment: Reactable,
  { content, before }: { readonly content: ReactionContent; readonly before: ReactionsBefore },
): Promise<boolean> {
  const last = await react(github, comment, content)
  if (last === undefined) return false
  const ids = before === 'all' ? await listReactions(github, comment, { by: last.by, but: content }) : before
  for (const id of ids) await unreact(github, comment, id)
  return true
}

async function unreact(github: GitHub, comment: Reactable, reactionId: number): Promise<void> {
  await github.attempt<unknown>({
    purpose: 'take the reaction back',
    permission: writePermission(comment.thread),
    send: ({ rest }) => {
      const it = { ...github.repository, comment_id: comment.id, reaction_id: reactionId }
      return comment.thread.kind === 'main'
        ? rest.reactions.deleteForIssueComment(it)
        : rest.reactions.deleteForPullRequestComment(it)
    },
  })
}

/** The reactions that an account has given to a comment, of those that this action gives, save for one content. */
async function listReactions(
  github: GitHub,
  comment: Reactable,
  { by, but }: { readonly by: Account | undefined; readonly but: ReactionContent },
): Promise<readonly number[]> {
  if (by === undefined) return []
  const all = await github.attempt<readonly unknown[]>({
    purpose: 'list the reactions to the comment',
    permission: writePermission(comment.thread),
    send: ({ paginate, rest }) => {
      const it = { ...github.repository, comment_id: comment.id, per_page: 100 }
      return comment.thread.kind === 'main'
        ? paginate(rest.reactions.listForIssueComment, it)
        : paginate(rest.reactions.listForPullRequestReviewComment, it)
    },
  })
  return (all ?? [])
    .filter((entry) => isSameAccount(by, readAccount(recordField(entry, 'user'))))
    .filter((entry) => {
      const content = stringField(entry, 'content')
      return content !== but && REACTIONS.some((ours) => ours === content)
    })
    .map((entry) => integerField(entry, 'id'))
    .filter((id) => id !== undefined)
}

function readReaction(data: unknown): Reaction {
  const id = integerField(data, 'id')
  if (id === undefined) throw new Error('the answer is no reaction')
  return { id, by: readAccount(recordField(data, 'user')) }
}
