import type { Payload, PushedCommit } from '../../src/event/event.ts'
import { addCommit, addPull, person, type World } from './world.ts'

/** Tells the world what an event's payload names and GitHub would know: commits, tag, pull request, issue. */
export function learn(world: World, payload: Payload): void {
  const { before, after = '', ref = '', commits, pull_request: pull, issue, release } = payload
  const told: readonly PushedCommit[] = [{ id: before }, ...(commits ?? []), { id: after }]
  // An older run that is started again moves no branch back.
  const isNew = !world.commits.has(after ?? '')
  let parents: readonly string[] = []
  for (const { id, message, author: named } of told) {
    if (!id || /^0+$/.test(id)) continue
    const author = named?.username ? person(named.username) : undefined
    if (!world.commits.has(id))
      addCommit(world, { sha: id, parents, author, branch: null, ...(message && { message }) })
    parents = [id]
  }
  if (ref?.startsWith('refs/heads/') && isNew && after && world.commits.has(after))
    world.branches.set(ref.slice('refs/heads/'.length), after)
  const tag = release?.tag_name ?? /^refs\/tags\/(.+)$/.exec(ref ?? '')?.[1]
  const tagged = release ? world.branches.get('main') : after
  if (tag && tagged && world.commits.has(tagged) && !world.tags.has(tag))
    world.tags.set(tag, tagged)
  const { merged, merge_commit_sha: mergeCommit } = pull ?? {}
  if (merged === true && mergeCommit && !world.commits.has(mergeCommit))
    addCommit(world, { sha: mergeCommit })
  if (pull?.number && !world.pulls.has(pull.number))
    addPull(world, { ...pull, number: pull.number })
  const head = pull?.head?.sha
  if (head && !world.commits.has(head)) addCommit(world, { sha: head, branch: null })
  if (!issue?.number || world.pulls.has(issue.number)) return
  const { number, title, body, user } = issue
  if (issue.pull_request) addPull(world, { number, title, body, user })
  else world.issues.add(number)
}
