import { randomBytes } from 'node:crypto'
import { constants, promises as files } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isInside, WorkspaceError } from './workspace.ts'

/** A file that is being written, under a temporary name in the folder where it is to be. */
export type Draft = {
  /** Adds text at the end. */
  write(text: string): Promise<void>
  /** What was written, from the first line: many lines at a time, since one by one takes far longer. */
  lines(): AsyncIterable<readonly string[]>
  /** Gives the file its name, in one step; a file or a link of that name is replaced. */
  publish(): Promise<void>
  /** Deletes the file unless it is published. */
  discard(): Promise<void>
}

/**
 * Where a file of the workspace is to be written, with the links on the way to its folder followed. Changes nothing.
 *
 * @param root the workspace's folder
 * @param name path relative to it, or absolute within it
 * @throws {WorkspaceError} if that is outside the workspace, a folder, or may not be written
 */
export async function findOutputPlace(root: string, name: string): Promise<string> {
  const target = resolve(root, name)
  try {
    const base = await files.realpath(root)
    const { folder, rest } = await deepestFolder(dirname(target))
    const place = join(folder, ...rest, basename(target))
    if (!isInside(base, place)) throw new WorkspaceError('is outside the workspace')
    if ((await kindOf(place)) === 'folder') throw new WorkspaceError('is a folder, not a file')
    await files.access(folder, constants.W_OK)
    return place
  } catch (error) {
    throw inWords(error)
  }
}

/**
 * Begins a file; folders that are missing are made.
 *
 * @param place as `findOutputPlace` gives it
 * @throws {WorkspaceError} if its folder has become another, or can't be made
 */
export async function beginDraft(place: string): Promise<Draft> {
  const folder = dirname(place)
  const path = join(folder, `.${basename(place)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await files.mkdir(folder, { recursive: true })
    if ((await files.realpath(folder)) !== folder) throw new WorkspaceError('is no longer where it was')
    const file = await files.open(path, 'wx+')
    let published = false
    return {
      write: (text) => file.writeFile(text).catch(rethrowInWords),
      lines: () => linesOf(file.createReadStream({ start: 0, autoClose: false, encoding: 'utf8' })),
      async publish() {
        await file.close()
        await files.rename(path, place).catch(rethrowInWords)
        published = true
      },
      async discard() {
        await file.close()
        if (!published) await files.rm(path, { force: true })
      },
    }
  } catch (error) {
    throw inWords(error)
  }
}

async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string[]> {
  let rest = ''
  for await (const text of texts) {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
  if (rest !== '') yield [rest]
}

type Deepest = { readonly folder: string; readonly rest: readonly string[] }

/** The deepest folder on a path that exists, with links followed, and the names below it that do not exist. */
async function deepestFolder(path: string): Promise<Deepest> {
  const kind = await kindOf(path)
  if (kind !== undefined) return { folder: await files.realpath(path), rest: [] }
  const above = dirname(path)
  if (above === path) throw new WorkspaceError('is outside the workspace')
  const { folder, rest } = await deepestFolder(above)
  return { folder, rest: [...rest, basename(path)] }
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
  ENAMETOOLONG: 'has too long a name',
}

function inWords(error: unknown): WorkspaceError {
  if (error instanceof WorkspaceError) return error
  return new WorkspaceError(PROBLEMS[codeOf(error)] ?? `can't be written (${codeOf(error)})`, {
    cause: error,
  })
}

function rethrowInWords(error: unknown): never {
  throw inWords(error)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
