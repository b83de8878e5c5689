import { constants, promises as files } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { errorCode, errorMessage } from './text.ts'

/** A file that can't be used. The message is the problem, to follow the file's name: `does not exist`. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}

export type TextFile = {
  /** As the workflow names it. */
  readonly name: string
  readonly text: string
}

/** Reads text files of the workspace, all together within a limit. */
export class WorkspaceReader {
  readonly #root: string
  readonly #limitBytes: number
  #readBytes = 0

  constructor(root: string, limitBytes: number) {
    this.#root = root
    this.#limitBytes = limitBytes
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
      const isBelow = isInside(root, resolve(root, name)) || isInside(this.#root, resolve(this.#root, name))
      if (!isBelow && resolve(root, name) !== root) throw new WorkspaceError('is outside the workspace')
      const path = await files.realpath(resolve(root, name))
      if (path !== root && !isInside(root, path)) throw new WorkspaceError('is outside the workspace')
      const kind = await files.stat(path)
      if (kind.isDirectory()) throw new WorkspaceError('is a directory, not a file')
      // Opening a named pipe would wait for a writer.
      if (!kind.isFile()) throw new WorkspaceError('is not a regular file')
      this.#readBytes += kind.size
      if (this.#readBytes > this.#limitBytes) {
        throw new WorkspaceError(
          `is too large: all files of a run may have ${this.#limitBytes / 1024} KiB together`,
        )
      }
      return new TextDecoder('utf-8', { fatal: true }).decode(await files.readFile(path))
    } catch (error) {
      throw readError(error, name)
    }
  }
}

/** Whether an absolute path is below a directory; both free of links. */
function isInside(directory: string, path: string): boolean {
  const steps = relative(directory, path)
  return steps !== '' && steps !== '..' && !steps.startsWith(`..${sep}`) && !isAbsolute(steps)
}

function readError(error: unknown, name: string): WorkspaceError {
  if (error instanceof TypeError) return new WorkspaceError('is not UTF-8 text', { cause: error })
  if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error))) return systemError(error, 'read')
  const hint = /[*?[\]{}]/.test(name)
    ? ' (globs are not expanded: name each file)'
    : '; is it checked out before this step?'
  return new WorkspaceError(`does not exist in the workspace${hint}`, { cause: error })
}

/** Node's own message says what the system refused. */
function systemError(error: unknown, verb: 'read' | 'written'): WorkspaceError {
  if (error instanceof WorkspaceError) return error
  return new WorkspaceError(`can't be ${verb} (${errorMessage(error)})`, { cause: error })
}

/**
 * Where a file of the workspace is to be written, with the links on the way to its directory followed. Changes nothing.
 *
 * @param name path relative to the workspace, or absolute within it
 * @throws {WorkspaceError} if that is outside the workspace, a directory, or may not be written
 */
export async function findOutputPath(root: string, name: string): Promise<string> {
  try {
    const base = await files.realpath(root)
    const target = resolve(base, name)
    const { directory, missing } = await deepestDirectory(dirname(target))
    const path = join(directory, ...missing, basename(target))
    if (!isInside(base, path)) throw new WorkspaceError('is outside the workspace')
    const existing = await files.stat(path).catch(() => undefined)
    if (existing?.isDirectory() === true) throw new WorkspaceError('is a directory, not a file')
    if (!(await files.stat(directory)).isDirectory()) throw new WorkspaceError('is below a file')
    await files.access(directory, constants.W_OK)
    return path
  } catch (error) {
    throw systemError(error, 'written')
  }
}

/**
 * Writes a file under a temporary name, and renames it once it is whole: a run that is killed leaves no half of it.
 * Missing directories are made; a file or a link of that name is replaced.
 *
 * @param path as `findOutputPath` gives it
 * @throws {WorkspaceError} if it can't be written
 */
export async function writeOutput(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`)
  try {
    await files.mkdir(dirname(path), { recursive: true })
    await files.writeFile(temporary, text)
    await files.rename(temporary, path)
  } catch (error) {
    await files.rm(temporary, { force: true }).catch(() => undefined)
    throw systemError(error, 'written')
  }
}

/** The deepest directory on a path that exists, with links followed, and the names below it that do not exist. */
async function deepestDirectory(path: string): Promise<{ directory: string; missing: string[] }> {
  try {
    return { directory: await files.realpath(path), missing: [] }
  } catch (error) {
    // A link that leads nowhere would be created where it points to.
    const isLink = (await files.lstat(path).catch(() => undefined)) !== undefined
    if (isLink || errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error
    const { directory, missing } = await deepestDirectory(dirname(path))
    return { directory, missing: [...missing, basename(path)] }
  }
}
