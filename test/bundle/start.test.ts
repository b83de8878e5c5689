import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { docsStarter } from './docs.ts'
import { runAction } from './run-action.ts'

const ROOT = join(import.meta.dirname, '../..')
const startDocs = docsStarter()

/** A Node on the PATH that is too old; npm scripts put the project's own before it. */
function olderNode(): string | undefined {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .filter((path) => existsSync(path))
    .find(
      (path) => Number.parseInt(execFileSync(path, ['--version'], { encoding: 'utf8' }).slice(1), 10) < 24,
    )
}

const older = olderNode()
if (older === undefined)
  console.warn('Not tested: how the action starts on an older Node. There is none on the PATH.')

describe.skipIf(older === undefined)('on an older Node', () => {
  it.each(['index.js', 'post.js'])('dist/%s says in one sentence which Node it needs', (file) => {
    const { status, stdout, stderr } = spawnSync(older ?? '', [join(ROOT, 'dist', file)], {
      encoding: 'utf8',
    })
    const version = execFileSync(older ?? '', ['--version'], { encoding: 'utf8' })
      .trim()
      .slice(1)
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: `::error title=Docs agent::This action needs Node.js 24 or later, and was started with Node.js ${version}.\n`,
    })
  })
})

it('a run whose promises never settle exits with 1', async () => {
  const { inputs } = await startDocs()
  const folder = mkdtempSync(join(tmpdir(), 'unsettled-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // No connection comes to anything, and nothing keeps the process alive.
  const preload = join(folder, 'no-network.cjs')
  writeFileSync(preload, `require('node:net').Socket.prototype.connect = function () { return this }`)
  const run = await runAction({ inputs, env: { NODE_OPTIONS: `--require ${preload}` } })
  expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
  expect(run.log).not.toContain('::error')
})

describe.each([
  ['a folder', tmpdir(), 'EISDIR'],
  ['missing', join(tmpdir(), 'nowhere', 'at-all'), 'Missing file at path'],
])('a file of the runner that is %s', (_what, path, says) => {
  it('fails the step if it is that of the outputs', async () => {
    const { inputs } = await startDocs({ jobTimeMs: 0 })
    const run = await runAction({ inputs, env: { GITHUB_OUTPUT: path } })
    expect(run.exitCode).toBe(1)
    expect(run.log).toMatch(new RegExp(`::error .*The output result can't be written.*${says}`))
    expect(run.log).not.toContain('::set-output')
  })

  it('costs the post part what it would be told if it is that of the state, with one warning', async () => {
    const { inputs } = await startDocs({ jobTimeMs: 0 })
    const run = await runAction({ inputs, env: { GITHUB_STATE: path } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(
      run.log.match(new RegExp(`::warning .*can be saved for the step's post part.*${says}`, 'g')),
    ).toHaveLength(1)
    expect(run.log).not.toContain('::save-state')
  })
})
