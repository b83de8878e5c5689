import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { contextOf, expectSkip, J1, startScene } from '../stories/scene.ts'
import { pushOf } from '../support/events.ts'
import { type GitFiles, gitBackend, makeRepository } from '../support/git-server.ts'
import { TestServers } from '../support/http-servers.ts'
import { addCommit } from '../support/world.ts'
import { makeFolder } from './git-change.ts'

const forbid: RequestListener = (_incoming, response) => response.writeHead(403).end()

/** Pushes a commit of a real repository, of which GitHub shows files without their diffs. */
async function pushChange(
  files: GitFiles,
  { answer, context = 'diff' }: { answer?: RequestListener; context?: string } = {},
) {
  const scene = await startScene()
  const { world } = scene
  const folder = makeFolder()
  const [first = '', second = ''] = makeRepository(join(folder, 'acme/docs'), [
    { LICENSE: '' },
    { LICENSE: '', ...files },
  ])
  const server = await new TestServers().start(answer ?? gitBackend(folder))
  addCommit(world, { sha: first })
  const shown = Object.keys(files).map((filename) => ({ filename, status: 'added' }))
  addCommit(world, { sha: second, files: shown })
  const env = { GITHUB_SERVER_URL: server.origin }
  const inputs = { ...scene.inputs, context }
  const end = await scene.step(pushOf(world, first), { ...J1, inputs, env })
  return { end, text: contextOf(end).join('\n'), requests: server.requests }
}

const SOURCE = { 'src/flag.ts': 'export const flag = true\n', 'package-lock.json': '{}\n' }

it('git shows the diffs that GitHub leaves out', async () => {
  const { end, text } = await pushChange(SOURCE)
  expect(end.started).toEqual(['create'])
  expect(text).toContain('+export const flag = true')
  expect([text.includes('package-lock.json'), text.includes('+{}')]).toEqual([true, false])
  expect(end.summary).not.toContain('git could')
})

it('git lists the files past the 300 that GitHub lists, and a run is decided by all of them', async () => {
  const named = (name: (at: number) => string) =>
    Object.fromEntries(Array.from({ length: 320 }, (_, at) => [name(at), `${at}\n`]))
  const tests = named((at) => `a/${at}.test.ts`)
  const all = await pushChange(
    { ...tests, 'src/z.ts': 'export const z = 1\n' },
    { context: 'files' },
  )
  expect(all.end.started).toEqual(['create'])
  expect(all.text).toContain('Changed files: 321')
  expect([all.text.includes('src/z.ts'), all.text.includes('const z')]).toEqual([true, false])
  expectSkip((await pushChange(tests)).end, 'tests')
})

it('if git is refused, the prompt names the files, and the summary has one line', async () => {
  const { end, text } = await pushChange(SOURCE, { answer: forbid })
  expect([end.started, end.hasFailed, end.titles.length]).toEqual([['create'], false, 1])
  expect(text).toContain('src/flag.ts')
  expect(text).not.toContain('export const')
  expect(end.summary.match(/git could not read/g)).toHaveLength(1)
  expect(end.printed.replace(/^::add-mask::.*$/gm, '')).not.toContain('ghs_')
})
