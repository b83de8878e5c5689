import { giveFinalReaction, react } from '../github/comments.ts'
import { GitHubError } from '../github/errors.ts'
import { PERMISSION_LEVELS, type PermissionLevel } from '../inputs/table.ts'
import { type Environment, isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import type { Command } from './command.ts'
import { type Actor, type GitHubEvent, isAllowedBot, isFromFork, isRepository, readActor } from './payload.ts'
import { eventRow } from './table.ts'
import { hasPrompt, mayWrite, type Skip, skip, type Trigger } from './trigger.ts'

/** Asks GitHub whether whoever caused the run may. Returns why the run must do nothing; `undefined` if it may go on. */
export async function authorize({ event, command }: Trigger, run: Run): Promise<Skip | undefined> {
  if (command !== undefined) return await authorizeCommand(command, run)
  if (isTrusted(event, run.environment)) return undefined
  const { event: origin, triggering_actor: starter } = event.payload.workflow_run ?? {}
  const isAfterPull = event.row.causedBy === 'workflow-run' && origin === 'pull_request'
  const verdict = await judge(readActor(isAfterPull ? starter : event.payload.sender), run)
  return refusal(verdict, `a job for this \`${event.name}\` event`, run)
}

/** A refused author gets a reaction, and no comment. */
async function authorizeCommand(command: Command, run: Run): Promise<Skip | undefined> {
  const { source, author, instructions } = command
  const { inputs, github } = run
  const verdict = await judge(author, run)
  const mayReact = mayWrite(inputs) && inputs['github-token'] !== '' && !run.cancel.aborted
  if (verdict.kind !== 'granted' && mayReact) {
    // A re-run's answer replaces that of the first attempt.
    const answer = isRerun(run.environment) ? giveFinalReaction : react
    await answer(github, source, verdict.kind === 'refused' ? '-1' : 'confused')
  }
  const refused = refusal(verdict, `the command ${inputs.command}`, run)
  if (refused !== undefined) return refused
  // With `job-id`, a bare command waits for that job.
  if (instructions !== '' || hasPrompt(inputs) || inputs['job-id'] !== '') return undefined
  const reason = `${inputs.command} comes without instructions, and there is no \`prompt\``
  return { ...skip('notice', reason), explainUsage: true }
}

/** Whether an event can only be caused by someone with write permission. */
function isTrusted({ row, payload }: GitHubEvent, { repository }: Environment): boolean {
  if (row.causedBy === 'pull-request') {
    const { action, pull_request: pull, sender } = payload
    const byWriter =
      action === 'synchronize' || (action === 'closed' && pull?.merged === true) || sender?.type === 'Bot'
    return byWriter && !isFromFork(pull, repository)
  }
  if (row.causedBy === 'workflow-run') {
    const { event, head_repository: head } = payload.workflow_run ?? {}
    return isRepository(head, repository) && !!event && eventRow(event).causedBy === 'writer'
  }
  return row.causedBy === 'writer'
}

function refusal(verdict: Verdict, what: string, { inputs }: Run): Skip | undefined {
  if (verdict.kind === 'granted') return undefined
  const needed = `${what} needs \`${inputs['required-permission']}\` (\`required-permission\`)`
  return skip(verdict.kind === 'refused' ? 'notice' : 'warning', `${verdict.reason}, and ${needed}`)
}

/** Whether someone may start a job; where not, why, in words that the required permission follows. */
type Verdict =
  | { readonly kind: 'granted' }
  /** `unavailable`: GitHub can't be asked, or its answer does not show it. */
  | { readonly kind: 'refused' | 'unavailable'; readonly reason: string }

/**
 * Asks GitHub whether someone has the required permission on the repository. The answer must be about the same account:
 * a login can pass on to someone else.
 * Source: GitHub's REST API, "Get repository permissions for a user".
 */
async function judge(actor: Actor | undefined, { inputs, github }: Run): Promise<Verdict> {
  if (actor === undefined) return { kind: 'refused', reason: 'the event does not say who caused it' }
  if (isAllowedBot(actor, inputs['allow-bots'])) return { kind: 'granted' }
  const { login, id } = actor
  if (id === undefined) return { kind: 'refused', reason: `the event does not give the id of ${login}` }
  try {
    const { data } = await github.request<{ readonly data: PermissionAnswer }>(({ rest }) =>
      rest.repos.getCollaboratorPermissionLevel({ ...github.repository, username: login }),
    )
    if (data.user?.id == null) return unavailable(login, 'GitHub named no account in its response')
    if (data.user.id !== id) return { kind: 'refused', reason: `${login} is another account's login now` }
    const level = readLevel(data)
    const needed = PERMISSION_LEVELS.indexOf(inputs['required-permission'])
    if (level !== 'none' && PERMISSION_LEVELS.indexOf(level) >= needed) return { kind: 'granted' }
    return { kind: 'refused', reason: `${login} has the permission \`${level}\` on this repository` }
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error
    if (error.status !== 404) return unavailable(login, error.message)
    return { kind: 'refused', reason: `${login} has no permission on this repository (404)` }
  }
}

function unavailable(login: string, why: string): Verdict {
  return { kind: 'unavailable', reason: `failed to read the permission of ${login}: ${why}` }
}

/** The part of GitHub's answer that shows the level. */
type PermissionAnswer = {
  /** Knows three levels only: `admin`, `write`, `read`, or `none`. */
  readonly permission?: string
  /** One of the five levels, or the name of a role that an organization made. */
  readonly role_name?: string
  readonly user?: { readonly id?: number; readonly permissions?: Readonly<Record<string, boolean>> } | null
}

/** The levels as `user.permissions` names them. */
const GRANTS = { read: 'pull', triage: 'triage', write: 'push', maintain: 'maintain', admin: 'admin' }

/** The level in an answer: a role that an organization made is what it grants. */
function readLevel({ permission, role_name: role, user }: PermissionAnswer): PermissionLevel | 'none' {
  const standard = PERMISSION_LEVELS.find((level) => level === role)
  if (standard !== undefined) return standard
  const granted = user?.permissions
  if (granted === undefined) return PERMISSION_LEVELS.find((level) => level === permission) ?? 'none'
  return PERMISSION_LEVELS.findLast((level) => granted[GRANTS[level]] === true) ?? 'none'
}
