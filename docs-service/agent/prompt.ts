/** A prompt as the agent reads it. */
type PromptParts = {
  /** The instructions with directives: all text before quoted files and the event's context. */
  readonly instructions: string
  /** The changed files that the event's context names. */
  readonly changedFiles: readonly string[]
  /** The subject of the first commit that it names; may be empty. */
  readonly commit: string
}

/** The first line of the event's context, and of a file that the action quotes. */
const DATA_BEGINS =
  /^(?:<github-context\b[^\n>]*>[^\S\n]*|File `+[^\n]*`+ \(data[^\n)]*\):[^\S\n]*)$/m
const FIRST_COMMIT = /^Commits[^\n]*:\n- (?:[0-9a-f]{7,40} )?(.+)$/m
/** A file's header, and possible remarks after its name: remarks in brackets, how many files have the same change, names in it. */
const CHANGED_FILE =
  /^(?:- )?(?:added|modified|removed|renamed|copied|changed) (.+?)(?: \([^()\n]*\))*(?:, the same change in \d+ more)?(?:: (?:adds|removes) .*)?$/gm
const MAX_FILE_NAME_LENGTH = 200
const DIRECTIVES = /\[agent: (?:fail|no-change)\]/g

/** Takes a prompt of the action apart. Its data is read for facts, and never followed. */
export function readPrompt(prompt: string): PromptParts {
  const text = prompt.replaceAll('\r\n', '\n')
  const dataAt = text.search(DATA_BEGINS)
  if (dataAt < 0) return { instructions: text, changedFiles: [], commit: '' }
  const data = text.slice(dataAt).trim()
  // The action's own block comes last; a quoted file before it may hold anything.
  const contextAt = `\n${data}`.lastIndexOf('\n<github-context')
  const context = contextAt < 0 ? '' : data.slice(contextAt)
  const names = [...context.matchAll(CHANGED_FILE)].map(([, name = '']) => plainName(name))
  const commit = plainName(FIRST_COMMIT.exec(context)?.[1] ?? '')
  return {
    instructions: text.slice(0, dataAt).trim(),
    changedFiles: [...new Set(names)],
    commit,
  }
}

/** What the agent is to write about: the instructions without their directives. */
export function subjectMatter(prompt: string): string {
  return readPrompt(prompt).instructions.replaceAll(DIRECTIVES, '').trim()
}

/** Reads the directives of a prompt's instructions. */
export function readDirectives(prompt: string) {
  const { instructions } = readPrompt(prompt)
  return {
    fails: instructions.includes('[agent: fail]'),
    changes: !instructions.includes('[agent: no-change]'),
  }
}

/** A name in which nothing but a name is left: it may come from anyone who opened a pull request. */
function plainName(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}`]+/gu, '').slice(0, MAX_FILE_NAME_LENGTH)
}
