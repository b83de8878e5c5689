import { parseDuration } from '../duration.ts'

/** How a round of work ends. */
export type Outcome = 'completed' | 'failed' | 'archived'

/** What a prompt tells the agent about the job itself, by `[agent: …]`. */
export type Directives = {
  outcome: Outcome
  /** Whether a file is to be changed. */
  changes: boolean
  /** How long the job is active; `undefined` for the service's usual time. */
  takesMs: number | undefined
  /** Statuses shown after `active`, in turn, each for its time. */
  stages: { status: string; ms: number }[]
  /** The job never ends. */
  endless: boolean
  /** Link in the form of a GitLab merge request. */
  gitlab: boolean
}

const DIRECTIVE = /\[agent:([^[\]]{1,80})\]/gi
const NOTHING_ASKED = /\b(?:no changes|nothing to change|change nothing)\b/i

/** Reads the directives of a prompt, in any letter case. A word it does not know is passed over. */
export function readDirectives(prompt: string): Directives {
  const directives: Directives = {
    outcome: 'completed',
    changes: !NOTHING_ASKED.test(prompt),
    takesMs: undefined,
    stages: [],
    endless: false,
    gitlab: false,
  }
  for (const [, words = ''] of prompt.matchAll(DIRECTIVE))
    follow(directives, words.trim().toLowerCase().split(/\s+/))
  return directives
}

/** The prompt as the agent reads it: without its directives. */
export function withoutDirectives(prompt: string): string {
  return prompt.replaceAll(DIRECTIVE, '').trim()
}

function follow(directives: Directives, [word, ...rest]: string[]): void {
  switch (word) {
    case 'fail':
      directives.outcome = 'failed'
      return
    case 'archive':
      directives.outcome = 'archived'
      return
    case 'no-change':
      directives.changes = false
      return
    case 'never':
      directives.endless = true
      return
    case 'gitlab':
      directives.gitlab = true
      return
    case 'takes':
      directives.takesMs = parseDuration(rest[0] ?? '') ?? directives.takesMs
      return
    case 'status':
      addStage(directives, rest)
  }
}

function addStage(directives: Directives, [status, duration]: string[]): void {
  const ms = parseDuration(duration ?? '')
  if (status !== undefined && ms !== undefined) directives.stages.push({ status, ms })
}
