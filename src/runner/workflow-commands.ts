// The package's own modules by path: its entry would load an OIDC client, and with it a second HTTP library.
import { issueCommand } from '../../node_modules/@actions/core/lib/command.js'
import {
  issueFileCommand,
  prepareKeyValueMessage,
} from '../../node_modules/@actions/core/lib/file-command.js'

/** Tells the runner to replace a secret by `***` from here on. */
export function setSecret(secret: string): void {
  issueCommand('add-mask', {}, secret)
}

/** Sets an output of the step. */
export function setOutput(name: string, value: string): void {
  give({ file: 'OUTPUT', command: 'set-output' }, name, value)
}

/** Saves a value for the step's post part. */
export function saveState(name: string, value: string): void {
  give({ file: 'STATE', command: 'save-state' }, name, value)
}

function give(way: { readonly file: string; readonly command: string }, name: string, value: string): void {
  try {
    issueFileCommand(way.file, prepareKeyValueMessage(name, value))
  } catch {
    // An old runner has no such file, and takes it from the log.
    issueCommand(way.command, { name }, value)
  }
}

/** Writes to the log. */
export function info(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Adds an annotation to the run; an `error` does not fail the step by itself. */
export function annotate(level: 'notice' | 'warning' | 'error', text: string, title = ''): void {
  issueCommand(level, title === '' ? {} : { title }, text)
}

/** Folds what `write` writes to the log under a title. */
export function group(title: string, write: () => void): void {
  issueCommand('group', {}, title)
  write()
  issueCommand('endgroup', {}, '')
}
