import type { RunDeps } from '../github/github.ts'
import type { Inputs } from '../inputs/table.ts'
import { isAllowedBot } from './command.ts'
import { mergedOwnWork } from './loop-guard.ts'
import { checkPermission } from './permission.ts'
import type { Skip, Trigger } from './trigger.ts'

/** Asks GitHub what the payload can't tell. Returns why the run must do nothing; `undefined` if it may go on. */
export async function authorize(
  { event, command }: Trigger,
  inputs: Inputs,
  { github }: RunDeps,
): Promise<Skip | undefined> {
  if (command === undefined) {
    const reason = await mergedOwnWork(event, inputs['ignore-authors'], github)
    return reason === undefined ? undefined : { skip: true, level: 'notice', reason }
  }
  const { comment } = command
  if (isAllowedBot(comment, { command: inputs.command, allowBots: inputs['allow-bots'] })) return undefined
  const verdict = await checkPermission(github, comment.login, inputs['required-permission'])
  return verdict.granted ? undefined : { skip: true, level: 'notice', reason: verdict.reason }
}
