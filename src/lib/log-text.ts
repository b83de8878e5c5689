import { visibleText } from './visible-text.ts'

/**
 * Makes text fit for the log: nothing in it can be read by the runner as a workflow command.
 *
 * The runner obeys `::command::` at a line's start after white space, and `##[command]` anywhere in a line
 * (source: actions/runner, `ActionCommand.cs`). It compares by the rules of a language, which skip invisible
 * characters; so those are taken out, and what parts the marks is a visible space.
 */
export function logText(text: string): string {
  return visibleText(text)
    .replace(/^([^\S\n]*):(?=:)/gm, '$1: ')
    .replace(/##(?=\[)/g, '## ')
}
