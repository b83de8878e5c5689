import { integerField, recordField, stringField } from '../lib/json.ts'
import { type Account, fetchTokenAccount, isSameAccount, readAccount } from './account.ts'
import { type CommandSource, writePermission } from './comments.ts'
import { type GitHub, statusOf } from './github.ts'
import type { Octokit } from './octokit.ts'

/** Reactions that this action gives, by GitHub's names: 👀 🚀 👍 😕 👎. */
const REACTIONS = ['eyes', 'rocket', '+1', 'confused', '-1'] as const

export type ReactionContent = (typeof REACTIONS)[number]

/** A reaction that has been given. */
type Reaction = {
  readonly id: number
  /** The account that the token belongs to; `undefined` if the answer does not say. */
  readonly by: Account | undefined
}

/**
 * Reacts to a command; the same reaction twice is one. A review can't be reacted to.
 *
 * @returns `undefined` for a review or, with a warning, if that failed
 */
export async function react(
  github: GitHub,
  source: CommandSource,
  content: ReactionContent,
): Promise<Reaction | undefined> {
  if (source.kind === 'review') return undefined
  return await github.attempt({
    purpose: 'react to the command',
    permission: writePermission(source.thread),
    send: async (octokit) => {
      const data = await createReaction(octokit, github, { source, content })
      const id = integerField(data, 'id')
      if (id === undefined) throw new Error('the answer is no reaction')
      return { id, by: readAccount(recordField(data, 'user')) }
    },
  })
}

/** What a command's reactions are still to become. */
export type FinalReaction = {
  readonly source: CommandSource
  readonly content: ReactionContent
  /** Whether it has been given already. */
  readonly isGiven: boolean
  /** Ids of the reactions that it replaces; `all` that this action gave, where they are not known. */
  readonly replaced: readonly number[] | 'all'
}

/**
 * Gives a command its final reaction, and takes back those that it replaces.
 *
 * @returns what is left to be done, with a warning; `undefined` if all is done
 */
export async function giveFinalReaction(
  github: GitHub,
  final: FinalReaction,
): Promise<FinalReaction | undefined> {
  const { source, content, replaced, isGiven } = final
  if (source.kind === 'review') return undefined
  const given = isGiven ? undefined : await react(github, source, content)
  if (!isGiven && given === undefined) return final
  const by = given?.by ?? (replaced === 'all' ? await fetchTokenAccount(github) : undefined)
  const ids = replaced === 'all' ? await listOwnReactions(github, source, { by, except: content }) : replaced
  if (ids === undefined) return { ...final, isGiven: true }
  const left: number[] = []
  for (const id of ids) {
    // An earlier attempt may have given the same one.
    const isFinal = id === given?.id
    if (!isFinal && !(await deleteReaction(github, source, id))) left.push(id)
  }
  return left.length === 0 ? undefined : { ...final, isGiven: true, replaced: left }
}

/**
 * The ids of the reactions that an account has given to a command, of those that this action gives.
 *
 * @returns `undefined`, with a warning, if they can't be listed
 */
export async function listOwnReactions(
  github: GitHub,
  source: CommandSource,
  { by, except }: { readonly by: Account | undefined; readonly except: ReactionContent },
): Promise<readonly number[] | undefined> {
  if (by === undefined) return undefined
  const all = await github.attempt<readonly unknown[]>({
    purpose: 'list the reactions to the command',
    permission: writePermission(source.thread),
    send: (octokit) => listReactions(octokit, github, source),
  })
  return all
    ?.filter((entry) => isSameAccount(by, readAccount(recordField(entry, 'user'))))
    .filter((entry) => {
      const content = stringField(entry, 'content')
      return content !== except && REACTIONS.some((ours) => ours === content)
    })
    .map((entry) => integerField(entry, 'id'))
    .filter((id) => id !== undefined)
}

/** Takes a reaction back. Returns whether it is gone; that somebody else has taken it away is no failure. */
async function deleteReaction(github: GitHub, source: CommandSource, reactionId: number): Promise<boolean> {
  const isGone = await github.attempt({
    purpose: 'take a reaction back',
    permission: writePermission(source.thread),
    send: async ({ rest: { reactions } }) => {
      const params = { ...github.repository, reaction_id: reactionId }
      try {
        if (source.kind === 'issue') await reactions.deleteForIssue({ ...params, issue_number: source.id })
        else if (source.kind === 'issue-comment')
          await reactions.deleteForIssueComment({ ...params, comment_id: source.id })
        else await reactions.deleteForPullRequestComment({ ...params, comment_id: source.id })
      } catch (error) {
        if (statusOf(error) !== 404) throw error
      }
      return true
    },
  })
  return isGone === true
}

async function createReaction(
  { rest: { reactions } }: Octokit,
  { repository }: GitHub,
  { source, content }: { readonly source: CommandSource; readonly content: ReactionContent },
): Promise<unknown> {
  const params = { ...repository, content }
  if (source.kind === 'issue')
    return (await reactions.createForIssue({ ...params, issue_number: source.id })).data
  if (source.kind === 'issue-comment')
    return (await reactions.createForIssueComment({ ...params, comment_id: source.id })).data
  return (await reactions.createForPullRequestReviewComment({ ...params, comment_id: source.id })).data
}

function listReactions(
  { paginate, rest: { reactions } }: Octokit,
  { repository }: GitHub,
  { kind, id }: CommandSource,
): Promise<readonly unknown[]> {
  const params = { ...repository, per_page: 100 }
  if (kind === 'issue') return paginate(reactions.listForIssue, { ...params, issue_number: id })
  if (kind === 'issue-comment') return paginate(reactions.listForIssueComment, { ...params, comment_id: id })
  return paginate(reactions.listForPullRequestReviewComment, { ...params, comment_id: id })
}
