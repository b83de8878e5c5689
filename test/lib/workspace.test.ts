import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findOutputPath, WorkspaceReader, writeOutput } from '../../src/lib/workspace.ts'

let folder = ''
let root = ''
let outside = ''

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'workspace-')))
  root = join(folder, 'repo')
  outside = join(folder, 'outside')
  await mkdir(join(root, 'docs'), { recursive: true })
  await mkdir(outside)
})
afterEach(() => rm(folder, { recursive: true }))

describe('reading from the workspace', () => {
  beforeEach(async () => {
    await writeFile(join(root, 'docs/a.md'), '\ufeffGrüße')
    await writeFile(join(outside, 'secret.txt'), 'secret')
  })

  it('takes a file by any of its names, without the byte order mark', async () => {
    await symlink(join(root, 'docs/a.md'), join(root, 'link'))
    await symlink(root, join(folder, 'link-to-repo'))
    for (const name of ['docs/a.md', './docs/../docs/a.md', 'link', join(root, 'docs/a.md')]) {
      expect(await new WorkspaceReader(root, 1024).read(name)).toBe('Grüße')
    }
    expect(await new WorkspaceReader(join(folder, 'link-to-repo'), 1024).read('docs/a.md')).toBe('Grüße')
  })

  it.each([
    ['missing.md', 'does not exist in the workspace; is it checked out before this step?'],
    ['docs/*.md', 'does not exist in the workspace (globs are not expanded: name each file)'],
    ['docs/a.md/more', 'does not exist in the workspace; is it checked out before this step?'],
    ['docs', 'is a directory, not a file'],
    ['.', 'is a directory, not a file'],
    ['..', 'is outside the workspace'],
    ['../nowhere', 'is outside the workspace'],
    ['pipe', 'is not a regular file'],
    ['latin1.txt', 'is not UTF-8 text'],
    ['../outside/secret.txt', 'is outside the workspace'],
    ['outside-link', 'is outside the workspace'],
    ['/etc/hostname', 'is outside the workspace'],
    ['loop', expect.stringMatching(/^can't be read \(ELOOP: /)],
  ])('refuses %j', async (name, message) => {
    execFileSync('mkfifo', [join(root, 'pipe')])
    await writeFile(join(root, 'latin1.txt'), Buffer.from([0xe9, 0x20]))
    await symlink(join(outside, 'secret.txt'), join(root, 'outside-link'))
    await symlink('loop', join(root, 'loop'))
    const read = new WorkspaceReader(root, 1024).read(name)
    await expect(read).rejects.toMatchObject({ name: 'WorkspaceError', message })
  })

  it('counts all files of a run against one limit, to the byte', async () => {
    const workspace = new WorkspaceReader(root, 20)
    await workspace.read('docs/a.md')
    await workspace.read('docs/a.md')
    await writeFile(join(root, 'b'), 'x')
    await expect(workspace.read('b')).rejects.toThrow(
      'is too large: all files of a run may have 0.01953125 KiB together',
    )
  })
})

describe('writing to the workspace', () => {
  async function write(name: string, text = 'rows'): Promise<void> {
    await writeOutput(await findOutputPath(root, name), text)
  }

  it('makes the folders that are missing, and leaves nothing else behind', async () => {
    await write('reports/2026/visitors.csv')
    expect(await readFile(join(root, 'reports/2026/visitors.csv'), 'utf8')).toBe('rows')
    expect(await readdir(join(root, 'reports/2026'))).toEqual(['visitors.csv'])
  })

  it('takes an absolute path, and follows links within the workspace', async () => {
    await symlink(join(root, 'docs'), join(root, 'link'))
    await write(join(root, 'link/new/visitors.csv'))
    expect(await readFile(join(root, 'docs/new/visitors.csv'), 'utf8')).toBe('rows')
  })

  it('replaces a file, and a link in its place without touching what it leads to', async () => {
    await writeFile(join(outside, 'victim.csv'), 'precious')
    await symlink(join(outside, 'victim.csv'), join(root, 'visitors.csv'))
    await write('visitors.csv', 'old')
    await write('visitors.csv', 'new')
    expect(await readFile(join(outside, 'victim.csv'), 'utf8')).toBe('precious')
    expect(await readFile(join(root, 'visitors.csv'), 'utf8')).toBe('new')
  })

  it('leaves an older file as it was, and no half of the new one, where it fails', async () => {
    const place = await findOutputPath(root, 'docs/visitors.csv')
    await mkdir(place)
    await expect(writeOutput(place, 'rows')).rejects.toThrow(/^can't be written \(EISDIR/)
    expect(await readdir(join(root, 'docs'))).toEqual(['visitors.csv'])
  })

  it.each(['../outside/x.csv', '/etc/x.csv', '..', '.', 'a/../../x.csv', '../repo-2/x.csv'])(
    'to %s is refused',
    async (name) => {
      await expect(findOutputPath(root, name)).rejects.toThrow('is outside the workspace')
    },
  )

  it('is refused below a link that leads outside, nowhere or in a circle, below a file, and to a folder', async () => {
    await symlink(outside, join(root, 'out'))
    await symlink(join(root, 'missing'), join(root, 'nowhere'))
    await symlink('circle', join(root, 'circle'))
    await writeFile(join(root, 'file'), '')
    const refused = (name: string): Promise<string> =>
      findOutputPath(root, name).catch((error: Error) => `${error.name}: ${error.message}`)
    expect(await refused('out/x.csv')).toBe('WorkspaceError: is outside the workspace')
    expect(await refused('out/deep/x.csv')).toBe('WorkspaceError: is outside the workspace')
    expect(await refused('nowhere/x.csv')).toMatch(/^WorkspaceError: can't be written \(ENOENT/)
    expect(await refused('circle/x.csv')).toMatch(/^WorkspaceError: can't be written \(ELOOP/)
    expect(await refused('file/x.csv')).toBe('WorkspaceError: is below a file')
    expect(await refused('file/new/x.csv')).toMatch(/^WorkspaceError: can't be written \(ENOTDIR/)
    expect(await refused('docs')).toBe('WorkspaceError: is a directory, not a file')
  })
})
