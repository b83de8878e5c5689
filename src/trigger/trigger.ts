import type { Inputs } from '../inputs/table.ts'
import type { Environment } from '../runner/environment.ts'
import { type Command, isCommandEvent, readCommand } from './command.ts'
import { type GitHubEvent, isAllowedBot, lacksSecrets } from './event.ts'
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
  /** Whether a command that says nothing is to be answered with how to use it. */
  readonly explainUsage: boolean
}

/** Decides by the payload and the inputs alone whether a run is to do something. Sends nothing. */
export function readTrigger(event: GitHubEvent, inputs: Inputs, environment: Environment): Trigger | Skip {
  const command = inputs.command === '' ? undefined : readCommand(event, inputs.command)
  const ignored = inputs.command === '' ? undefined : ignoredText(event, command, inputs)
  if (ignored !== undefined) return skip('info', ignored)

  const ownWork = loopGuardApplies(inputs) ? ownWorkIn(event, inputs['ignore-authors']) : undefined
  if (ownWork !== undefined) return skipOwnWork(ownWork)

  const needsKey = inputs['api-key'] === '' && !inputs['dry-run']
  return needsKey && lacksSecrets(event, environment) ? skip('notice', NO_SECRETS) : { event, command }
}

const NO_SECRETS =
  'Nothing was sent to the docs service: GitHub gives no secrets to pull requests from forks, to Dependabot and to forks themselves, so `api-key` is empty here.'

/** Why the text of an event starts nothing; `undefined` if it does, or if it is not about a text. */
function ignoredText(event: GitHubEvent, command: Command | undefined, inputs: Inputs): string | undefined {
  if (!isCommandEvent(event)) return undefined
  if (command === undefined) {
    const isRequest = event.name === 'issues' && hasPrompt(inputs)
    return isRequest
      ? undefined
      : `Nothing to do: this is no new text that begins with ${inputs.command} (\`${event.name}\` event).`
  }
  const { author } = command
  if (!author.isBot || isAllowedBot(author, inputs['allow-bots'])) return undefined
  return `Nothing to do: ${author.login} is a bot, and \`allow-bots\` does not name it.`
}

/** Whether the inputs hold a prompt of their own, whatever started the run. */
export function hasPrompt(inputs: Pick<Inputs, 'prompt' | 'prompt-file'>): boolean {
  return inputs.prompt !== '' || inputs['prompt-file'].length > 0
}

/** Whether a run may write to GitHub at all. */
export function mayWrite(inputs: Pick<Inputs, 'comment' | 'dry-run'>): boolean {
  return inputs.comment !== 'never' && !inputs['dry-run']
}

/** Whether the loop guard applies: a run that only waits for a job starts none. */
export function loopGuardApplies(inputs: Inputs): boolean {
  return inputs['job-id'] === '' || hasPrompt(inputs)
}

export function skip(level: Skip['level'], reason: string): Skip {
  return { skip: true, level, reason, explainUsage: false }
}

/** @param ownWork why the event is the agent's own work */
export function skipOwnWork(ownWork: string): Skip {
  return skip(
    'notice',
    `Nothing to do: ${ownWork}, and \`ignore-authors\` keeps the agent's own work from starting it again.`,
  )
}
