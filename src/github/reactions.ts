import { type GitHub, type GitHubCall, isSameAccount } from './client.ts'
import { type CommandSource, deletePath, listAll, readAccount, send, writePermission } from './comments.ts'
import type { User } from './types.ts'

/** The reactions that this action gives, by GitHub's names: 👀 🚀 👍 😕 👎. */
const REACTIONS = ['eyes', 'rocket', '+1', 'confused', '-1'] as const

export type ReactionContent = (typeof REACTIONS)[number]

type Reaction = { readonly id?: number; readonly content?: string; readonly user?: User | null }

/**
 * Reacts to a command; the same reaction twice is one. A review can't be reacted to.
 *
 * @returns whether nothing is left to do; if not, there is a line in the log
 */
export async function react(
  github: GitHub,
  source: CommandSource,
  content: ReactionContent,
): Promise<boolean> {
  if (source.kind === 'review') return true
  const route = `POST ${reactionsPath(github, source)}`
  const react = () => send<Reaction>(github, route, { content })
  return (await github.attempt(callTo('react to the command', source), react)) !== undefined
}

/**
 * Gives a command its final reaction, and deletes the others that this action gave.
 *
 * @returns as `react`
 */
export async function giveFinalReaction(
  github: GitHub,
  source: CommandSource,
  content: ReactionContent,
): Promise<boolean> {
  if (!(await react(github, source, content))) return false
  if (source.kind === 'review') return true
  const path = reactionsPath(github, source)
  const deleted = await github.attempt(callTo('replace the reaction to the command', source), async () => {
    const all = await listAll<Reaction>(github, path)
    const account = await github.account()
    const ours = all.filter(({ user }) => isSameAccount(account, readAccount(user)))
    for (const one of ours) {
      const isOther = one.content !== content && REACTIONS.some((ours) => ours === one.content)
      if (isOther) await deletePath(github, `${path}/${one.id}`)
    }
    return true
  })
  return deleted !== undefined
}

function callTo(purpose: string, { thread }: CommandSource): GitHubCall {
  return { purpose, permission: writePermission(thread) }
}

function reactionsPath({ repository: { owner, repo } }: GitHub, { kind, id }: CommandSource): string {
  const base = `/repos/${owner}/${repo}`
  if (kind === 'issue') return `${base}/issues/${id}/reactions`
  return `${base}/${kind === 'review-comment' ? 'pulls' : 'issues'}/comments/${id}/reactions`
}
