import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startHarness } from '../support/harness.ts'

/** Runs with context files from a workspace with files, links, and a pipe. */
async function readFiles(...names: readonly string[]) {
  const { run, workspace } = await startHarness({ replies: {} })
  const inRoot = (name: string): string => join(workspace, name)
  mkdirSync(inRoot('docs'))
  writeFileSync(inRoot('docs/a.md'), '\ufeffGrüße')
  writeFileSync(inRoot('half'), 'é'.repeat(256 * 1024))
  writeFileSync(inRoot('byte'), 'x')
  writeFileSync(inRoot('latin1.txt'), Buffer.from([0xe9, 0x20]))
  writeFileSync(inRoot('binary'), 'a\0b')
  writeFileSync(inRoot('../secret.txt'), 'secret')
  execFileSync('mkfifo', [inRoot('pipe')])
  symlinkSync(inRoot('docs/a.md'), inRoot('link'))
  symlinkSync('../secret.txt', inRoot('outside-link'))
  symlinkSync('loop', inRoot('loop'))
  const files = names.map((name) => name.replace('ROOT', workspace)).join('\n')
  const inputs = { prompt: 'x', wait: 'false', 'follow-up': 'false', 'context-files': files }
  const { bodies, log } = await run({ inputs })
  return { prompt: JSON.stringify(bodies[0] ?? ''), said: log.join('\n') }
}

it.each(['docs/a.md', './docs/../docs/a.md', 'link', 'ROOT/docs/a.md'])(
  'a file of the workspace is read as %s, without the byte order mark',
  async (name) => {
    expect((await readFiles(name)).prompt).toContain('Grüße')
  },
)

it.each([
  { name: 'missing.md', problem: 'Make sure that `actions/checkout` runs' },
  { name: 'docs/a.md/more', problem: "doesn't exist in the workspace" },
  { name: 'ROOT/missing.md', problem: "doesn't exist in the workspace" },
  { name: 'binary', problem: "isn't a text file" },
  { name: 'docs', problem: 'is a directory' },
  { name: '..', problem: 'is outside the workspace' },
  { name: 'pipe', problem: "isn't a regular file" },
  { name: 'latin1.txt', problem: "isn't UTF-8 text" },
  { name: '../secret.txt', problem: 'is outside the workspace' },
  { name: 'outside-link', problem: 'is outside the workspace' },
  { name: 'loop', problem: "can't be read: ELOOP" },
])('$name $problem', async ({ name, problem }) => {
  const { prompt, said } = await readFiles(name)
  expect([prompt, said]).toEqual(['""', expect.stringContaining(problem)])
})

it('all files of a run can have 1 MiB together, to the byte', async () => {
  expect((await readFiles('half', 'half')).prompt).toContain('éé')
  const { prompt, said } = await readFiles('half', 'half', 'byte')
  expect(prompt).toBe('""')
  expect(said).toContain('`byte` is too large')
})
