import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WorkspaceError } from '../../src/lib/workspace.ts'
import { beginDraft, findOutputPlace } from '../../src/lib/workspace-output.ts'

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

async function write(name: string, text: string): Promise<void> {
  const draft = await beginDraft(await findOutputPlace(root, name))
  await draft.write(text)
  await draft.publish()
  await draft.discard()
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
    const draft = await beginDraft(await findOutputPlace(root, 'visitors.csv'))
    await draft.write('ne')
    await draft.write('w')
    expect(await readFile(join(root, 'visitors.csv'), 'utf8')).toBe('old')
    await draft.publish()
    expect(await readFile(join(root, 'visitors.csv'), 'utf8')).toBe('new')
    expect(await readdir(root)).toEqual(['visitors.csv'])
  })

  it('leaves nothing behind when it is given up', async () => {
    const draft = await beginDraft(await findOutputPlace(root, 'visitors.csv'))
    await draft.write('half')
    await draft.discard()
    expect(await readdir(root)).toEqual([])
  })

  it('can be read back while it is a draft', async () => {
    const draft = await beginDraft(await findOutputPlace(root, 'a'))
    await draft.write('one\ntwo\r\u2028\nthree')
    const lines: string[] = []
    for await (const some of draft.lines()) lines.push(...some)
    await draft.discard()
    expect(lines).toEqual(['one', 'two\r\u2028', 'three'])
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

  it('that turn up on the way later on are noticed', async () => {
    const place = await findOutputPlace(root, 'reports/visitors.csv')
    await symlink(outside, join(root, 'reports'))
    await expect(beginDraft(place)).rejects.toThrow(WorkspaceError)
    expect(await readdir(outside)).toEqual([])
  })
})

describe('a place that may not be written', () => {
  it.each(['../outside/x.csv', '/etc/x.csv', '..', '.', 'a/../../x.csv', '../workspace-2/x.csv'])(
    '%s is refused',
    async (name) => {
      await expect(findOutputPlace(root, name)).rejects.toThrow(/outside the workspace/)
    },
  )

  it('is below a link that leads outside, nowhere or in a circle, below a file, or a folder itself', async () => {
    await symlink(outside, join(root, 'out'))
    await symlink(join(root, 'missing'), join(root, 'nowhere'))
    await symlink(join(root, 'circle'), join(root, 'circle'))
    await writeFile(join(root, 'file'), '')
    await mkdir(join(root, 'folder.csv'))
    const refused = async (name: string): Promise<string> =>
      await findOutputPlace(root, name).then(String, (error: Error) => `${error.name}: ${error.message}`)
    expect(await refused('out/x.csv')).toBe('WorkspaceError: is outside the workspace')
    expect(await refused('out/deep/x.csv')).toBe('WorkspaceError: is outside the workspace')
    expect(await refused('nowhere/x.csv')).toBe('WorkspaceError: is below a link that leads nowhere')
    expect(await refused('circle/x.csv')).toBe('WorkspaceError: is below a link that leads back to itself')
    expect(await refused('file/x.csv')).toBe('WorkspaceError: is below something that is no folder')
    expect(await refused('folder.csv')).toBe('WorkspaceError: is a folder, not a file')
  })
})
