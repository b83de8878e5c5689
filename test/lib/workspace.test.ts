import { execFileSync } from 'node:child_process'
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findOutputPath, WorkspaceReader, writeOutput } from '../../src/lib/workspace.ts'
import { UNREADABLE, UNWRITABLE } from './workspace.cases.ts'

let folder = ''
let root = ''
const inRoot = (name: string): string => join(root, name)

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'workspace-')))
  root = join(folder, 'repo')
  await mkdir(inRoot('docs'), { recursive: true })
  await mkdir(join(folder, 'outside'))
  await writeFile(join(folder, 'outside/secret.txt'), 'secret')
  await symlink('loop', inRoot('loop'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('reading from the workspace', () => {
  beforeEach(() => writeFile(inRoot('docs/a.md'), '\ufeffGrüße'))

  it('takes a file by any of its names, without the byte order mark', async () => {
    const linked = join(folder, 'link-to-repo')
    await symlink(inRoot('docs/a.md'), inRoot('link'))
    await symlink(root, linked)
    for (const [from, name] of [
      [root, 'docs/a.md'],
      [root, './docs/../docs/a.md'],
      [root, 'link'],
      [root, inRoot('docs/a.md')],
      [linked, 'docs/a.md'],
      [linked, join(linked, 'docs/a.md')],
    ] as const)
      expect(await new WorkspaceReader(from).read(name)).toBe('Grüße')
  })

  it.each(UNREADABLE)('refuses %j', async (name, message) => {
    execFileSync('mkfifo', [inRoot('pipe')])
    await writeFile(inRoot('latin1.txt'), Buffer.from([0xe9, 0x20]))
    await symlink('../outside/secret.txt', inRoot('outside-link'))
    const read = new WorkspaceReader(root).read(name.replace('$WORKSPACE', root))
    await expect(read).rejects.toThrow(message)
    await expect(read).rejects.toMatchObject({ name: 'WorkspaceError' })
  })

  it('counts all files of a run against one limit, to the byte', async () => {
    const workspace = new WorkspaceReader(root)
    await writeFile(inRoot('b'), 'é'.repeat(256 * 1024))
    expect(await workspace.read('b')).toBe(await workspace.read('b'))
    await writeFile(inRoot('c'), 'x')
    const tooLarge = 'is too large: all files of a run may have 1024 KiB together'
    await expect(workspace.read('c')).rejects.toThrow(tooLarge)
  })
})

describe('writing to the workspace', () => {
  async function write(name: string, text = 'rows'): Promise<void> {
    await writeOutput(await findOutputPath(root, name), text)
  }

  it('makes the folders that are missing, follows links within it, and leaves nothing else behind', async () => {
    await symlink(inRoot('docs'), inRoot('link'))
    await write(inRoot('link/2026/visitors.csv'))
    expect(await readFile(inRoot('docs/2026/visitors.csv'), 'utf8')).toBe('rows')
    expect(await readdir(inRoot('docs/2026'))).toEqual(['visitors.csv'])
  })

  it('replaces a file, and a link in its place without touching what it leads to', async () => {
    const secret = join(folder, 'outside/secret.txt')
    await symlink(secret, inRoot('visitors.csv'))
    await write('visitors.csv', 'old')
    await write('visitors.csv', 'new')
    expect(await readFile(secret, 'utf8')).toBe('secret')
    expect(await readFile(inRoot('visitors.csv'), 'utf8')).toBe('new')
  })

  it('leaves what was there as it was, and no half of the new file, where it fails', async () => {
    const path = await findOutputPath(root, 'docs/visitors.csv')
    await mkdir(path)
    await expect(writeOutput(path, 'rows')).rejects.toThrow(/^can't be written \(EISDIR/)
    expect(await readdir(inRoot('docs'))).toEqual(['visitors.csv'])
  })

  it.each(UNWRITABLE)('to %s is refused', async (name, message) => {
    await symlink('../outside', inRoot('out'))
    await symlink('missing', inRoot('nowhere'))
    await writeFile(inRoot('file'), '')
    const found = findOutputPath(root, name)
    await expect(found).rejects.toThrow(message)
    await expect(found).rejects.toMatchObject({ name: 'WorkspaceError' })
  })
})
