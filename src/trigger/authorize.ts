import type { RunDeps } from '../github/github.ts'
import { react } from '../github/reactions.ts'
import type { Inputs } from '../inputs/table.ts'
import type { Command } from './command.ts'
import { isTrusted, readActor } from './event.ts'
import { mergedOwnWork } from './loop-guard.ts'
import { checkPermission, isAllowedBot, type Verdict } from './permission.ts'
import { hasPrompt, isGuarded, type Skip, skip, skipOwnWork, type Trigger } from './trigger.ts'

type AuthorizeDeps = Pick<RunDeps, 'github' | 'environment' | 'cancel'>

/** Asks GitHub what the payload can't tell. Returns why the run must do nothing; `undefined` if it may go on. */
export async function authorize(
  { event, command }: Trigger,
  inputs: Inputs,
  deps: AuthorizeDeps,
): Promise<Skip | undefined> {
  if (command !== undefined) return await authorizeCommand(command, inputs, deps)
  if (!isTrusted(event, deps.environment)) return await authorizeSender({ event }, inputs, deps)
  if (!isGuarded(inputs)) return undefined
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
    const mayReact = inputs.comment !== 'never' && !inputs['dry-run'] && inputs['github-token'] !== ''
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
