import { promises as files } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { EXPRESSION, errorCode, errorMessage } from './text.ts'

/** A file that can't be used. The message is the problem, to follow the file's name: `doesn't exist`. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}

export type TextFile = {
  /** As the workflow names it. */
  readonly name: string
  readonly text: string
}

/** The limit for all files of a run together. */
const MAX_WORKSPACE_BYTES = 1024 * 1024

/** Reads text files of the workspace. */
export class WorkspaceReader {
  readonly #root: string
  #readBytes = 0

  constructor(root: string) {
    this.#root = root
  }

  /**
   * Reads a UTF-8 file.
   *
   * @param name path relative to the workspace, or absolute within it; links are followed
   * @throws {WorkspaceError} if it is missing, outside, not a file, not UTF-8 text, or too large
   */
  async read(name: string): Promise<string> {
    try {
      const root = await files.realpath(this.#root)
      const path = await files.realpath(resolve(root, name))
      if (!isInside(root, path)) throw new WorkspaceError('is outside the workspace')
      const kind = await files.stat(path)
      if (kind.isDirectory()) throw new WorkspaceError('is a directory')
      // Opening a named pipe would wait for a writer.
      if (!kind.isFile()) throw new WorkspaceError("isn't a regular file")
      this.#readBytes += kind.size
      if (this.#readBytes > MAX_WORKSPACE_BYTES) {
        throw new WorkspaceError(
          `is too large, because the files of a run can have at most ${MAX_WORKSPACE_BYTES / 1024} KiB in total`,
        )
      }
      const text = new TextDecoder('utf-8', { fatal: true }).decode(await files.readFile(path))
      if (text.includes('\0')) throw new WorkspaceError("isn't a text file")
      return text
    } catch (error) {
      if (error instanceof TypeError) throw new WorkspaceError("isn't UTF-8 text", { cause: error })
      if (error instanceof WorkspaceError) throw error
      if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error)))
        throw new WorkspaceError(`can't be read (${errorMessage(error)})`, { cause: error })
      const hint = missingHint(name.replace(`${this.#root}${sep}`, ''))
      throw new WorkspaceError(`doesn't exist in the workspace. ${hint}`, { cause: error })
    }
  }
}

/** Says what is probably wrong with the name of a file that doesn't exist, as a sentence without its period. */
function missingHint(name: string): string {
  const hints: readonly (readonly [RegExp, string])[] = [
    [EXPRESSION, `It is the text of an expression that GitHub didn't evaluate`],
    [/^["'`]/, 'Remove the quotes'],
    [/^https?:/, "The action doesn't fetch URLs"],
    [/^(?:\.\.|~)?[\\/]/, 'Files outside the workspace are not read'],
    [/\s\S+\s/, 'An instruction belongs in `prompt`'],
    [/,/, 'Files are separated by line breaks, not by commas'],
    [/\\/, `Folders are separated by \`/\`: \`${name.replaceAll('\\', '/')}\``],
    [/[*?[\]{}]/, 'Patterns are not supported: list each file'],
  ]
  const usual = 'Check its letter case, and make sure that `actions/checkout` runs before this step'
  return hints.find(([pattern]) => pattern.test(name))?.[1] ?? usual
}

/** Whether an absolute path is a directory or below it; both free of links. */
function isInside(directory: string, path: string): boolean {
  const steps = relative(directory, path)
  return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps)
}
