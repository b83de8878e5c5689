import { promises as files } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { EXPRESSION, errorCode, errorMessage } from './text.ts'

/** A file that can't be used. The message is the problem, to follow the file's name: `does not exist`. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}

export type TextFile = {
  /** As the workflow names it. */
  readonly name: string
  readonly text: string
}

/** All files that a run reads may have this many bytes together. */
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
   * @throws {WorkspaceError} if it is missing, outside, no file, not UTF-8 or too large
   */
  async read(name: string): Promise<string> {
    try {
      const root = await files.realpath(this.#root)
      const path = await files.realpath(resolve(root, name))
      if (!isInside(root, path)) throw new WorkspaceError('is outside the workspace')
      const kind = await files.stat(path)
      if (kind.isDirectory()) throw new WorkspaceError('is a directory, not a file')
      // Opening a named pipe would wait for a writer.
      if (!kind.isFile()) throw new WorkspaceError('is not a regular file')
      this.#readBytes += kind.size
      if (this.#readBytes > MAX_WORKSPACE_BYTES) {
        throw new WorkspaceError(
          `is too large: all files of a run may have ${MAX_WORKSPACE_BYTES / 1024} KiB together`,
        )
      }
      return new TextDecoder('utf-8', { fatal: true }).decode(await files.readFile(path))
    } catch (error) {
      if (error instanceof TypeError)
        throw new WorkspaceError('is not UTF-8 text', { cause: error })
      if (error instanceof WorkspaceError) throw error
      // Node's own message says what the system refused.
      if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error)))
        throw new WorkspaceError(`can't be read (${errorMessage(error)})`, { cause: error })
      const hint = missingHint(name.replace(`${this.#root}${sep}`, ''))
      throw new WorkspaceError(`does not exist in the workspace (${hint})`, {
        cause: error,
      })
    }
  }
}

/** What may be wrong with the name of a file that does not exist. */
function missingHint(name: string): string {
  const hints: readonly (readonly [RegExp, string])[] = [
    [EXPRESSION, `it is the text of an expression: write it as \`\${{ … }}\``],
    [/^["'`]/, 'write it without quotes'],
    [/^https?:/, 'URLs are not fetched'],
    [/^(?:\.\.|~)?[\\/]/, 'files outside the workspace are not read'],
    [/\s\S+\s/, 'is it an instruction? Then write it as `prompt`'],
    [/,/, 'name one file per line, without commas'],
    [/\\/, `write / between folders: ${name.replaceAll('\\', '/')}`],
    [/[*?[\]{}]/, 'globs are not expanded: name each file'],
  ]
  const usual = 'check its letter case, and that actions/checkout runs before this step'
  return hints.find(([pattern]) => pattern.test(name))?.[1] ?? usual
}

/** Whether an absolute path is a directory or below it; both free of links. */
function isInside(directory: string, path: string): boolean {
  const steps = relative(directory, path)
  return steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps)
}
