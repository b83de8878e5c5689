import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isInside, openWorkspace } from '../../src/lib/workspace.ts'

let folder = ''
let root = ''

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'workspace-test-')))
  root = join(folder, 'repo')
  await mkdir(join(root, 'docs'), { recursive: true })
  await writeFile(join(root, 'docs/a.md'), '\ufeffGrüße')
  await writeFile(join(root, 'latin1.txt'), Buffer.from([0xe9, 0x20]))
  await writeFile(join(folder, 'secret.txt'), 'secret')
  await symlink(join(root, 'docs/a.md'), join(root, 'inside-link'))
  await symlink(join(folder, 'secret.txt'), join(root, 'outside-link'))
  await symlink('loop', join(root, 'loop'))
  await symlink(root, join(folder, 'link-to-repo'))
  execFileSync('mkfifo', [join(root, 'pipe')])
})
afterAll(() => rm(folder, { recursive: true }))

describe('reading from the workspace', () => {
  it.each(['docs/a.md', './docs/../docs/a.md', 'inside-link'])(
    'reads %s, without the byte order mark',
    async (name) => {
      expect(await openWorkspace(root, 1024).read(name)).toBe('Grüße')
    },
  )

  it('works where the workspace itself is a link', async () => {
    expect(await openWorkspace(join(folder, 'link-to-repo'), 1024).read('docs/a.md')).toBe('Grüße')
    expect(await openWorkspace(root, 1024).read(join(root, 'docs/a.md'))).toBe('Grüße')
  })

  it.each([
    ['missing.md', /does not exist.*checked out/],
    ['docs/a.md/more', /does not exist/],
    ['docs', /is a folder/],
    ['pipe', /not a plain file/],
    ['latin1.txt', /not UTF-8/],
    ['../secret.txt', /outside the workspace/],
    ['outside-link', /outside the workspace/],
    ['/etc/hostname', /outside the workspace/],
    ['loop', /leads back to itself/],
  ])('refuses %s', async (name, problem) => {
    await expect(openWorkspace(root, 1024).read(name)).rejects.toThrow(problem)
  })

  it('counts all files of a run against one limit', async () => {
    const workspace = openWorkspace(root, 15)
    await workspace.read('docs/a.md')
    await expect(workspace.read('docs/a.md')).rejects.toThrow(/too large/)
  })
})

it.each([
  ['/w', '/w/a', true],
  ['/w', '/w', false],
  ['/w', '/wide', false],
  ['/w', '/w/..a', true],
  ['/w', '/', false],
])('is %s around %s? %s', (outer, path, inside) => {
  expect(isInside(outer, path)).toBe(inside)
})
