import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WorkspaceReader } from '../../src/request.ts'
import { UNREADABLE } from './workspace.cases.ts'

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
    await writeFile(inRoot('binary'), 'a\0b')
    await symlink('../outside/secret.txt', inRoot('outside-link'))
    const reader = new WorkspaceReader(root)
    const error = await reader.read(name.replace('$WORKSPACE', root)).catch((caught) => caught)
    expect(error.name).toBe('WorkspaceError')
    expect(`${error.message}. ${error.explanation}`).toMatch(message)
  })

  it('counts all files of a run against one limit, to the byte', async () => {
    const workspace = new WorkspaceReader(root)
    await writeFile(inRoot('b'), 'é'.repeat(256 * 1024))
    expect(await workspace.read('b')).toBe(await workspace.read('b'))
    await writeFile(inRoot('c'), 'x')
    await expect(workspace.read('c')).rejects.toMatchObject({
      message: 'is too large',
      explanation: 'The files of a run can have at most 1024 KiB in total.',
    })
  })
})
