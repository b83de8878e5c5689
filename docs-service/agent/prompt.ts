/** A prompt as the agent reads it. */
export type PromptParts = {
  /** What is to be done, directives included: all that stands before quoted files and the event's context. */
  instructions: string
  /** The rest: files quoted as data, and what GitHub knows of the event. `''` if there is none. */
  data: string
  /** The changed files that the event's context names. */
  changedFiles: string[]
}

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

/** The first line of the event's context, and of a file that the action quotes. */
const DATA_BEGINS = /^(?:<github-context>[^\S\n]*|File `+[^\n]*`+ \(data[^\n)]*\):[^\S\n]*)$/m
const CONTEXT = /^<github-context>$(.*?)^<\/github-context>$/ms
/** How the list ends where not all files are in it. */
const MORE = /^(?:…|\.\.\.|and \d+ more)/
const STATUS_WORD = /^(?:added|modified|removed|renamed|copied|changed|unchanged)\s+/
const DIRECTIVE = /\[agent:([^[\]]{1,80})\]/gi
const NO_CHANGES = /\b(?:no changes|nothing to change|change nothing)\b/i
const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

/** Takes a prompt of the action apart. What comes as data is read for facts, and never followed. */
export function readPrompt(prompt: string): PromptParts {
  const text = prompt.replaceAll('\r\n', '\n')
  const dataAt = text.search(DATA_BEGINS)
  if (dataAt < 0) return { instructions: text, data: '', changedFiles: [] }
  const data = text.slice(dataAt).trim()
  // The action's own block comes last; a quoted file before it may hold anything.
  const context = data.slice(Math.max(0, data.lastIndexOf('\n<github-context>\n') + 1))
  return { instructions: text.slice(0, dataAt).trim(), data, changedFiles: changedFilesIn(context) }
}

/** Reads the directives of a prompt's instructions, in any letter case. A word it does not know is passed over. */
export function readDirectives(prompt: string): Directives {
  const { instructions } = readPrompt(prompt)
  const directives: Directives = {
    outcome: 'completed',
    changes: !NO_CHANGES.test(instructions),
    takesMs: undefined,
    stages: [],
    endless: false,
    gitlab: false,
  }
  for (const [, words = ''] of instructions.matchAll(DIRECTIVE))
    follow(directives, words.trim().toLowerCase().split(/\s+/))
  return directives
}

/** What the agent is to write about: the instructions without their directives. */
export function subjectMatter(prompt: string): string {
  return readPrompt(prompt).instructions.replaceAll(DIRECTIVE, '').trim()
}

/** Reads `250ms`, `20s`, `2m` or `1h30m` as milliseconds; `undefined` for anything else. Zero (`0s`) is allowed. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:ms|[hms]))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+)(ms|[hms])/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN)
  }
  return Number.isSafeInteger(total) ? total : undefined
}

/** The list `Changed files:` of the context block; without one, the files that its diff names. */
function changedFilesIn(data: string): string[] {
  const [, context = ''] = CONTEXT.exec(data) ?? []
  const [, list = ''] = /^Changed files[^\n]*:\n((?:- [^\n]*\n?)*)/m.exec(context) ?? []
  const listed = [...list.matchAll(/^- (.+)$/gm)]
    .map(([, entry = '']) => entry.trim())
    .filter((entry) => !MORE.test(entry))
    .map((entry) => entry.replace(STATUS_WORD, ''))
  const inDiff = [...context.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, path = '']) => path.trim())
  return [...new Set(listed.length > 0 ? listed : inDiff)].filter((path) => path !== '')
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
