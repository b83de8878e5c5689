import { type GitHub, type RunDeps, readFailure, statusOf } from '../github/github.ts'
import { react } from '../github/reactions.ts'
import { type Inputs, PERMISSION_LEVELS, type PermissionLevel } from '../inputs/table.ts'
import type { Command } from './command.ts'
import { type Actor, isAllowedBot, isTrusted, readActor } from './event.ts'
import { mergedOwnWork } from './loop-guard.ts'
import {
  hasPrompt,
  loopGuardApplies,
  mayWrite,
  type Skip,
  skip,
  skipOwnWork,
  type Trigger,
} from './trigger.ts'

type AuthorizeDeps = Pick<RunDeps, 'github' | 'environment' | 'cancel'>

/** Checks with GitHub what the payload can't show. Returns why the run must do nothing; `undefined` if it may go on. */
export async function authorize(
  { event, command }: Trigger,
  inputs: Inputs,
  deps: AuthorizeDeps,
): Promise<Skip | undefined> {
  if (command !== undefined) return await authorizeCommand(command, inputs, deps)
  if (!isTrusted(event, deps.environment)) return await authorizeSender({ event }, inputs, deps)
  if (!loopGuardApplies(inputs)) return undefined
  const ownWork = await mergedOwnWork(event, inputs['ignore-authors'], deps.github)
  return ownWork === undefined ? undefined : skipOwnWork(ownWork)
}

/** A refused author gets a reaction, and no comment. */
async function authorizeCommand(
  { source, author, instructions }: Command,
  inputs: Inputs,
  { github, cancel }: AuthorizeDeps,
): Promise<Skip | undefined> {
  if (!isAllowedBot(author, inputs['allow-bots'])) {
    const verdict = await checkPermission(github, author, inputs['required-permission'])
    const mayReact = mayWrite(inputs) && inputs['github-token'] !== ''
    if (verdict.kind !== 'granted' && mayReact && !cancel.aborted) {
      await react(github, source, verdict.kind === 'refused' ? '-1' : 'confused')
    }
    const refusal = skipUnlessGranted(verdict, `The ${inputs.command} command was not carried out`)
    if (refusal !== undefined) return refusal
  }
  // With `job-id`, a bare command waits for that job.
  if (instructions !== '' || hasPrompt(inputs) || inputs['job-id'] !== '') return undefined
  const reason = `Nothing to do: nothing follows ${inputs.command}, and there is no \`prompt\`.`
  return { ...skip('notice', reason), explainUsage: true }
}

/** An event that anybody can cause must not spend anything for anybody. */
async function authorizeSender(
  { event }: Pick<Trigger, 'event'>,
  inputs: Inputs,
  { github, environment }: AuthorizeDeps,
): Promise<Skip | undefined> {
  const sender = readActor(event.payload['sender'])
  const what = `Nothing was done for this \`${environment.eventName}\` event, which anybody can cause`
  if (sender === undefined) {
    const required = inputs['required-permission']
    return skip('notice', `${what}: it does not say who did, and \`required-permission\` is \`${required}\`.`)
  }
  if (isAllowedBot(sender, inputs['allow-bots'])) return undefined
  return skipUnlessGranted(await checkPermission(github, sender, inputs['required-permission']), what)
}

function skipUnlessGranted(verdict: Verdict, what: string): Skip | undefined {
  if (verdict.kind === 'granted') return undefined
  return skip(verdict.kind === 'refused' ? 'notice' : 'warning', `${what}: ${verdict.reason}.`)
}

/** Whether somebody may start a job; where not, why, to follow a colon. */
export type Verdict =
  | { readonly kind: 'granted' }
  /** `unavailable`: GitHub's response does not show it. */
  | { readonly kind: 'refused' | 'unavailable'; readonly reason: string }

/**
 * Asks GitHub whether somebody has at least a level of permission on the repository. The answer must be about the same
 * account: a login can pass on to somebody else.
 * Source: GitHub's REST API, "Get repository permissions for a user".
 */
async function checkPermission(
  github: GitHub,
  { login, id }: Actor,
  required: PermissionLevel,
): Promise<Verdict> {
  const needed = `\`required-permission\` is \`${required}\``
  if (id === undefined) return refused(`the event does not give the id of ${login}, and ${needed}`)
  try {
    const { data } = await github.request(({ rest }) =>
      rest.repos.getCollaboratorPermissionLevel({ ...github.repository, username: login }),
    )
    if (data.user?.id === undefined) return unavailable(login, 'it named no account in its answer')
    if (data.user.id !== id) return refused(`${login} is the login of another account now, and ${needed}`)
    const level = readLevel(data)
    if (isAtLeast(level, required)) return { kind: 'granted' }
    return refused(`${login} has the permission \`${level}\` on this repository, and ${needed}`)
  } catch (error) {
    if (statusOf(error) !== 404) return unavailable(login, readFailure(error).text)
    return refused(`${login} has no permission on this repository that GitHub knows of (404), and ${needed}`)
  }
}

function refused(reason: string): Verdict {
  return { kind: 'refused', reason }
}

function unavailable(login: string, failure: string): Verdict {
  return {
    kind: 'unavailable',
    reason: `GitHub could not be asked for the permission of ${login}: ${failure}`,
  }
}

type Level = PermissionLevel | 'none'

function isAtLeast(level: Level, required: PermissionLevel): boolean {
  return level !== 'none' && PERMISSION_LEVELS.indexOf(level) >= PERMISSION_LEVELS.indexOf(required)
}

/** The part of GitHub's response that shows the level. */
type PermissionAnswer = {
  /** Knows three levels only: `admin`, `write`, `read`, or `none`. */
  readonly permission: string
  /** One of the five levels, or the name of a role that an organisation made. */
  readonly role_name: string
  readonly user: { readonly permissions?: Readonly<Partial<Record<Grant, boolean>>> } | null
}

type Grant = 'admin' | 'maintain' | 'push' | 'triage' | 'pull'

/** From most to least. */
const GRANTS: readonly (readonly [Grant, PermissionLevel])[] = [
  ['admin', 'admin'],
  ['maintain', 'maintain'],
  ['push', 'write'],
  ['triage', 'triage'],
  ['pull', 'read'],
]

/** The level in an answer: a role that an organisation made is what it grants. */
function readLevel({ permission, role_name: role, user }: PermissionAnswer): Level {
  const standard = PERMISSION_LEVELS.find((level) => level === role)
  if (standard !== undefined) return standard
  const granted = user?.permissions
  if (granted === undefined) return PERMISSION_LEVELS.find((level) => level === permission) ?? 'none'
  return GRANTS.find(([grant]) => granted[grant] === true)?.[1] ?? 'none'
}
