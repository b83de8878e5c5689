import { promises as files } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'

/** A file that can't be used. The message is the problem in words, without the name: `does not exist`. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}

/** A text file of the workspace. */
export type TextFile = {
  /** As the workflow names it. */
  readonly name: string
  readonly text: string
}

/** The files of the workspace that a run may read. */
export type Workspace = {
  /**
   * Reads a text file. What is read counts against the limit of all files together.
   *
   * @param name path relative to the workspace, or absolute within it; links are followed
   * @throws {WorkspaceError} if it is missing, outside, no file, not UTF-8 or too large
   */
  read(name: string): Promise<string>
}

/**
 * Opens the workspace for reading.
 *
 * @param root its folder
 * @param limitBytes most bytes that all files together may have
 */
export function openWorkspace(root: string, limitBytes: number): Workspace {
  let leftBytes = limitBytes

  async function read(name: string): Promise<string> {
    const path = await pathInside(root, name)
    const file = await files.open(path)
    try {
      const { size } = await file.stat()
      if (size > leftBytes) {
        throw new WorkspaceError(
          `is too large: all files of a run together may have ${limitBytes / 1024} KiB`,
        )
      }
      const bytes = await file.readFile()
      leftBytes -= bytes.length
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    } catch (error) {
      if (error instanceof TypeError) throw new WorkspaceError('is not UTF-8 text', { cause: error })
      throw error
    } finally {
      await file.close()
    }
  }

  return { read: (name) => read(name).catch((error: unknown) => Promise.reject(describe(error, name))) }
}

async function pathInside(root: string, name: string): Promise<string> {
  if (/[/\\]$/.test(name)) throw new WorkspaceError('is named as a folder, not as a file')
  const [base, path] = await Promise.all([files.realpath(root), files.realpath(resolve(root, name))])
  if (!isInside(base, path)) throw new WorkspaceError('is outside the workspace')
  // Before it is opened: opening a named pipe would wait for a writer.
  const kind = await files.stat(path)
  if (!kind.isFile())
    throw new WorkspaceError(kind.isDirectory() ? 'is a folder, not a file' : 'is not a plain file')
  return path
}

/** Whether a path lies in a folder. Both must be absolute and free of links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist in the workspace; is it checked out before this step?',
  ENOTDIR: 'does not exist in the workspace; is it checked out before this step?',
  EACCES: 'may not be read by this step',
  ELOOP: 'is a link that leads back to itself',
}

function describe(error: unknown, name: string): Error {
  if (error instanceof WorkspaceError || !(error instanceof Error)) return error as Error
  const code = 'code' in error ? String(error.code) : error.message
  const problem = PROBLEMS[code] ?? `can't be read (${code})`
  const hint = code === 'ENOENT' && /[*?[\]{}]/.test(name) ? ' (globs are not expanded: name each file)' : ''
  return new WorkspaceError(`${problem}${hint}`, { cause: error })
}
