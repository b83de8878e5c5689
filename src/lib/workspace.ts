import { randomBytes } from 'node:crypto'
import { constants, promises as files } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { errorCode, errorMessage } from './text.ts'

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

  return { read: (name) => read(name).catch((error: unknown) => Promise.reject(readError(error, name))) }
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

/** Both paths must be absolute and free of links. */
export function isInside(folder: string, path: string): boolean {
  const fromFolder = relative(folder, path)
  return (
    fromFolder !== '' && fromFolder !== '..' && !fromFolder.startsWith(`..${sep}`) && !isAbsolute(fromFolder)
  )
}

const READ_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist in the workspace; is it checked out before this step?',
  ENOTDIR: 'does not exist in the workspace; is it checked out before this step?',
  EACCES: 'may not be read by this step',
  ELOOP: 'is a link that leads back to itself',
}

function readError(error: unknown, name: string): WorkspaceError {
  if (error instanceof WorkspaceError) return error
  const code = errorCode(error)
  const problem = READ_PROBLEMS[code] ?? `can't be read (${code || errorMessage(error)})`
  const hint = code === 'ENOENT' && /[*?[\]{}]/.test(name) ? ' (globs are not expanded: name each file)' : ''
  return new WorkspaceError(`${problem}${hint}`, { cause: error })
}

/**
 * Where a file of the workspace is to be written, with the links on the way to its folder followed. Changes nothing.
 *
 * @param root the workspace's folder
 * @param name path relative to it, or absolute within it
 * @throws {WorkspaceError} if that is outside the workspace, a folder, too long a name, or may not be written
 */
export async function findOutputPath(root: string, name: string): Promise<string> {
  const target = resolve(root, name)
  try {
    const base = await files.realpath(root)
    const { folder, missing } = await deepestFolder(dirname(target))
    const path = join(folder, ...missing, basename(target))
    if (!isInside(base, path)) throw new WorkspaceError('is outside the workspace')
    if ((await kindOf(path)) === 'folder') throw new WorkspaceError('is a folder, not a file')
    // The file system itself says whether a name is too long for it, even where the folder is yet to be made.
    for (const part of [...missing, basename(target)]) await kindOf(join(folder, part))
    await files.access(folder, constants.W_OK)
    return path
  } catch (error) {
    throw writeError(error)
  }
}

/**
 * Writes a file under a temporary name in the same folder, and renames it once it is whole. Folders that are missing are
 * made; a file or a link of that name is replaced.
 *
 * @param path as `findOutputPath` gives it
 * @throws {WorkspaceError} if its folder is not where it was, or anything can't be written; then nothing is left
 */
export async function writeOutput(path: string, texts: Iterable<string>): Promise<void> {
  const folder = dirname(path)
  const temporary = join(folder, `.${randomBytes(8).toString('hex')}.tmp`)
  try {
    await makeFolder(folder)
    await files.writeFile(temporary, texts, { flag: 'wx' })
    await files.rename(temporary, path)
  } catch (error) {
    await files.rm(temporary, { force: true }).catch(() => undefined)
    throw writeError(error)
  }
}

/** Makes a folder and those above it, one by one: a link that has come up on the way is not followed. */
async function makeFolder(folder: string): Promise<void> {
  if ((await kindOf(folder)) === undefined) {
    await makeFolder(dirname(folder))
    // Another process may have made it meanwhile.
    await files
      .mkdir(folder)
      .catch((error) => (errorCode(error) === 'EEXIST' ? undefined : Promise.reject(error)))
  }
  if ((await files.realpath(folder)) !== folder) throw new WorkspaceError('is no longer where it was')
}

type Deepest = { readonly folder: string; readonly missing: readonly string[] }

/** The deepest folder on a path that exists, with links followed, and the names below it that do not exist. */
async function deepestFolder(path: string): Promise<Deepest> {
  const kind = await kindOf(path)
  if (kind !== undefined) return { folder: await files.realpath(path), missing: [] }
  const above = dirname(path)
  if (above === path) throw new WorkspaceError('is outside the workspace')
  const { folder, missing } = await deepestFolder(above)
  return { folder, missing: [...missing, basename(path)] }
}

async function kindOf(path: string): Promise<'folder' | 'other' | undefined> {
  try {
    return (await files.lstat(path)).isDirectory() ? 'folder' : 'other'
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

const WRITE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'is below a link that leads nowhere',
  ENOTDIR: 'is below something that is no folder',
  EEXIST: 'is below something that is no folder',
  ELOOP: 'is below a link that leads back to itself',
  EACCES: 'may not be written by this step',
  EPERM: 'may not be written by this step',
  EROFS: 'may not be written: the file system is read-only',
  ENOSPC: "can't be written: no space is left",
  ENAMETOOLONG: 'is longer than the file system allows',
}

function writeError(error: unknown): WorkspaceError {
  if (error instanceof WorkspaceError) return error
  const code = errorCode(error)
  const problem = WRITE_PROBLEMS[code] ?? `can't be written (${code || errorMessage(error)})`
  return new WorkspaceError(problem, { cause: error })
}
