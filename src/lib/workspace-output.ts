import { randomBytes } from 'node:crypto'
import { constants, promises as files } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isInside, WorkspaceError } from './workspace.ts'

/**
 * Where a file of the workspace is to be written, with the links on the way to its folder followed. Changes nothing.
 *
 * @param root the workspace's folder
 * @param name path relative to it, or absolute within it
 * @throws {WorkspaceError} if that is outside the workspace, a folder, too long a name, or may not be written
 */
export async function findOutputPlace(root: string, name: string): Promise<string> {
  const target = resolve(root, name)
  try {
    const base = await files.realpath(root)
    const { folder, missing } = await deepestFolder(dirname(target))
    const place = join(folder, ...missing, basename(target))
    if (!isInside(base, place)) throw new WorkspaceError('is outside the workspace')
    if ((await kindOf(place)) === 'folder') throw new WorkspaceError('is a folder, not a file')
    // The file system itself says whether a name is too long for it, even where the folder is yet to be made.
    for (const part of [...missing, basename(target)]) await kindOf(join(folder, part))
    await files.access(folder, constants.W_OK)
    return place
  } catch (error) {
    throw describeError(error)
  }
}

/**
 * Writes a file under a temporary name beside its place, and renames it once it is whole. Folders that are missing are
 * made; a file or a link of that name is replaced.
 *
 * @param place as `findOutputPlace` gives it
 * @throws {WorkspaceError} if its folder is not where it was, or anything can't be written; then nothing is left
 */
export async function writeOutput(place: string, texts: Iterable<string>): Promise<void> {
  const folder = dirname(place)
  const temporary = join(folder, `.${randomBytes(8).toString('hex')}.tmp`)
  try {
    await makeFolder(folder)
    await files.writeFile(temporary, texts, { flag: 'wx' })
    await files.rename(temporary, place)
  } catch (error) {
    await files.rm(temporary, { force: true }).catch(() => undefined)
    throw describeError(error)
  }
}

/** Makes a folder and those above it, one by one: a link that has come up on the way is not followed. */
async function makeFolder(folder: string): Promise<void> {
  if ((await kindOf(folder)) === undefined) {
    await makeFolder(dirname(folder))
    // Another process may have made it meanwhile.
    await files
      .mkdir(folder)
      .catch((error) => (codeOf(error) === 'EEXIST' ? undefined : Promise.reject(error)))
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
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
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

function describeError(error: unknown): WorkspaceError {
  if (error instanceof WorkspaceError) return error
  return new WorkspaceError(PROBLEMS[codeOf(error)] ?? `can't be written (${codeOf(error)})`, {
    cause: error,
  })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
