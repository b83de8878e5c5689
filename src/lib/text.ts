/** Text as it is seen: each line break is `\n`, and control, format and invisible characters are out. */
export function visibleText(text: string): string {
  return withoutCharacters('(?![\\n\\t])[\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}]', text)
}

/** The same, but with what joins letters or chooses their look: many languages and emoji need those. */
export function readableText(text: string): string {
  return withoutCharacters('(?![\\n\\t\\u200C\\u200D])[\\p{Cc}\\p{Cf}]', text)
}

/** Text without HTML comments; one that is not closed goes on to the end. */
export function withoutHtmlComments(text: string): string {
  return text.replace(/<!--(?:>|->|[\s\S]*?(?:-->|$))/g, '')
}

/**
 * Makes text fit for the log: nothing in it can be read by the runner as a workflow command.
 *
 * The runner obeys `::command::` at a line's start after white space, and `##[command]` anywhere in a line
 * (source: actions/runner, `ActionCommand.cs`). It compares by the rules of a language, which skip invisible
 * characters; so those are taken out, and the marks are parted by a visible space.
 */
export function logText(text: string): string {
  return visibleText(text)
    .replace(/^([^\S\n]*):(?=:)/gm, '$1: ')
    .replace(/##(?=\[)/g, '## ')
}

/** Cuts a text to a number of characters and says that it was cut. */
export function clip(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  return `${text.slice(0, maxLength).toWellFormed()}… (${text.length - maxLength} more characters)`
}

/** A fence of backticks that nothing in the text can close. */
export function fenceFor(text: string): string {
  let longestRun = 2
  for (const [run] of text.matchAll(/`+/g)) longestRun = Math.max(longestRun, run.length)
  return '`'.repeat(longestRun + 1)
}

/** What an error says, whatever was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function withoutCharacters(pattern: string, text: string): string {
  // Most text has none. For what has: Unicode's sets of characters take a millisecond to be built.
  if (/^[\n\t -~]*$/.test(text)) return text
  return text.replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, '\n').replace(new RegExp(pattern, 'gu'), '')
}
