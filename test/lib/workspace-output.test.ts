import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findOutputPath, WorkspaceError, writeOutput } from '../../src/lib/workspace.ts'

let folder = ''
let root = ''
let outside = ''

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'output-')))
  root = join(folder, 'workspace')
  outside = join(folder, 'outside')
  await mkdir(root)
  await mkdir(outside)
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

async function write(name: string, ...texts: string[]): Promise<void> {
  await writeOutput(await findOutputPath(root, name), texts)
}

describe('a file of the workspace', () => {
  it('is written with the folders that are missing', async () => {
    await write('reports/2026/visitors.csv', 'rows')
    expect(await readFile(join(root, 'reports/2026/visitors.csv'), 'utf8')).toBe('rows')
    expect(await readdir(join(root, 'reports/2026'))).toEqual(['visitors.csv'])
  })

  it('may be named by its absolute path', async () => {
    await write(join(root, 'visitors.csv'), 'rows')
    expect(await readFile(join(root, 'visitors.csv'), 'utf8')).toBe('rows')
  })

  it('replaces an older one in one step, and not before it is whole', async () => {
    await writeFile(join(root, 'visitors.csv'), 'old')
    const place = await findOutputPath(root, 'visitors.csv')
    function* texts(): Generator<string> {
      yield 'ne'
      expect(readFileSync(place, 'utf8')).toBe('old')
      yield 'w'
    }
    await writeOutput(place, texts())
    expect(await readFile(place, 'utf8')).toBe('new')
    expect(await readdir(root)).toEqual(['visitors.csv'])
  })

  it('leaves nothing behind when it fails half way', async () => {
    const place = await findOutputPath(root, 'visitors.csv')
    function* texts(): Generator<string> {
      yield 'half'
      throw new Error('no more')
    }
    await expect(writeOutput(place, texts())).rejects.toThrow(WorkspaceError)
    expect(await readdir(root)).toEqual([])
  })
})

describe('links', () => {
  it('are followed within the workspace', async () => {
    await mkdir(join(root, 'real'))
    await symlink(join(root, 'real'), join(root, 'link'))
    await write('link/new/visitors.csv', 'rows')
    expect(await readFile(join(root, 'real/new/visitors.csv'), 'utf8')).toBe('rows')
  })

  it('in place of the file are replaced, and what they lead to is left alone', async () => {
    await writeFile(join(outside, 'victim.csv'), 'precious')
    await symlink(join(outside, 'victim.csv'), join(root, 'visitors.csv'))
    await write('visitors.csv', 'rows')
    expect(await readFile(join(outside, 'victim.csv'), 'utf8')).toBe('precious')
    expect(await readFile(join(root, 'visitors.csv'), 'utf8')).toBe('rows')
  })

  it.each(['reports/visitors.csv', 'reports/2026/visitors.csv'])(
    'that come up later on the way to %s are not followed',
    async (name) => {
      const place = await findOutputPath(root, name)
      await symlink(outside, join(root, 'reports'))
      await expect(writeOutput(place, ['rows'])).rejects.toThrow('is no longer where it was')
      expect(await readdir(outside)).toEqual([])
    },
  )
})

describe('a place that may not be written', () => {
  it.each(['../outside/x.csv', '/etc/x.csv', '..', '.', 'a/../../x.csv', '../workspace-2/x.csv'])(
    '%s is refused',
    async (name) => {
      await expect(findOutputPath(root, name)).rejects.toThrow(/outside the workspace/)
    },
  )

  it('is below a link that leads outside, nowhere or in a circle, below a file, or a folder itself', async () => {
    await symlink(outside, join(root, 'out'))
    await symlink(join(root, 'missing'), join(root, 'nowhere'))
    await symlink(join(root, 'circle'), join(root, 'circle'))
    await writeFile(join(root, 'file'), '')
    await mkdir(join(root, 'folder.csv'))
    const refused = async (name: string): Promise<string> =>
      await findOutputPath(root, name).then(String, (error: Error) => `${error.name}: ${error.message}`)
    expect(await refused('out/x.csv')).toBe('WorkspaceError: is outside the workspace')
    expect(await refused('out/deep/x.csv')).toBe('WorkspaceError: is outside the workspace')
    expect(await refused('nowhere/x.csv')).toBe('WorkspaceError: is below a link that leads nowhere')
    expect(await refused('circle/x.csv')).toBe('WorkspaceError: is below a link that leads back to itself')
    expect(await refused('file/x.csv')).toBe('WorkspaceError: is below something that is no folder')
    expect(await refused('folder.csv')).toBe('WorkspaceError: is a folder, not a file')
  })

  it('is one whose name is too long, be the folder there or not', async () => {
    const long = (bytes: number): string => `${'x'.repeat(bytes - 4)}.csv`
    for (const name of [long(256), `new/${long(256)}`, `${'y'.repeat(256)}/x.csv`]) {
      await expect(findOutputPath(root, name)).rejects.toThrow('is longer than the file system allows')
    }
    for (const name of [long(255), `new/${long(255)}`, long(238)]) await write(name, 'rows')
    expect(await readdir(join(root, 'new'))).toEqual([long(255)])
  })
})
