import type { Inputs } from '../inputs/table.ts'
import type { Environment } from '../runner/environment.ts'
import { type Command, readCommand } from './command.ts'
import { isCommentEvent } from './comment-event.ts'
import { type GitHubEvent, lacksSecrets } from './event.ts'
import { ownWorkIn } from './loop-guard.ts'

/** What started a run that is to do something. */
export type Trigger = {
  readonly event: GitHubEvent
  /** The command that requests it, if one does. */
  readonly command: Command | undefined
}

/** Why a run does nothing. */
export type Skip = {
  readonly skip: true
  /** A sentence. */
  readonly reason: string
  readonly level: 'info' | 'notice' | 'warning'
}

/** Decides by the payload and the inputs alone whether a run is to do something. Sends nothing. */
export async function readTrigger(
  event: GitHubEvent,
  inputs: Inputs,
  environment: Environment,
): Promise<Trigger | Skip> {
  const noSecrets =
    inputs['api-key'] === '' && !inputs['dry-run'] && lacksSecrets(event, environment)
      ? skip('notice', NO_SECRETS)
      : undefined
  if (isCommentEvent(event)) {
    const rules = { command: inputs.command, allowBots: inputs['allow-bots'] }
    const command = inputs.command === '' ? undefined : await readCommand(event, rules)
    if (command === undefined) {
      return skip(
        'info',
        `This is no new comment that begins with ${inputs.command}, of somebody who may ask.`,
      )
    }
    return noSecrets ?? { event, command }
  }
  const ownWork = ownWorkIn(event, inputs['ignore-authors'])
  if (ownWork !== undefined) return skip('notice', ownWork)
  return noSecrets ?? { event, command: undefined }
}

const NO_SECRETS =
  'GitHub gives no secrets to runs for pull requests from forks or by Dependabot, so there is no `api-key` here and nothing was sent to the docs service.'

function skip(level: Skip['level'], reason: string): Skip {
  return { skip: true, level, reason }
}
