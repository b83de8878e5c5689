import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { TestServers } from '../support/http-servers.ts'
import { alive, commandsIn } from '../support/rendered.ts'
import type { ActionRun } from '../support/run-action.ts'
import { startScene } from '../support/scene.ts'
import { QUIET } from './quiet.ts'

const ROOT = join(import.meta.dirname, '../..')
const servers = new TestServers()
const folder = mkdtempSync(join(tmpdir(), 'process-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a canceled run', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'stops its wait at %s, and explains how to wait for the job',
    async (signal) => {
      const { start, docs } = await startScene({ jobTimeMs: 60_000 })
      const started = await start({ inputs: { ...QUIET, 'poll-interval': '20m' } })
      await started.logged(' is active')
      started.child.kill(signal)
      const run = await started.ended
      const outputs = { result: 'cancelled', status: 'active', 'job-id': docs.jobs[0]?.id }
      expect(run).toMatchObject({ exitCode: 1, outputs })
      expect(run.log).toMatch(/::error title=Canceled.*::The job is still running\. .*`job-id: /)
      expect(run.summary).toMatch(/^## 🛑 Canceled: the job is still running\n/)
    },
  )

  it.each(['a service that never begins with TLS', 'a proxy that never opens a tunnel'])(
    'is not held up by %s',
    async (what) => {
      const { start } = await startScene()
      const { host, accepted } = await servers.startSilent()
      const isProxy = what.startsWith('a proxy')
      const url = isProxy ? 'https://127.0.0.1:9' : `https://${host}`
      const inputs = { ...QUIET, prompt: '', 'job-id': 'a', 'base-url': url }
      const started = await start({ inputs, env: isProxy ? { HTTPS_PROXY: `http://${host}` } : {} })
      await accepted
      started.child.kill('SIGINT')
      expect(await started.ended).toMatchObject({ exitCode: 1, outputs: { result: 'cancelled' } })
    },
  )
})

it.each([
  {
    what: 'an empty event loop',
    // No connection leads anywhere, no timer fires, and nothing keeps the process alive.
    program:
      'require("node:net").Socket.prototype.connect = function () { return this }; globalThis.setTimeout = () => ({ unref() {} })',
    says: /^::error .*::The action exited before it finished\. .* Please report it/m,
  },
  {
    what: 'a fault of ours',
    program: 'Promise.allSettled = () => { throw new TypeError("a fault of ours") }',
    says: /^TypeError: a fault of ours\n +at [\s\S]*^::error .*::Unexpected error: a fault of ours\. /m,
  },
])('$what never ends a run without words', async ({ program, says }) => {
  const { run: act } = await startScene()
  const path = join(folder, 'preloaded.cjs')
  writeFileSync(path, program)
  const run = await act({ inputs: QUIET, env: { NODE_OPTIONS: `--require ${path}` } })
  expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
  expect(run.log).toMatch(says)
})

/** All that anybody can read of a run, with entities read back and without escapes. */
function seenOf({ log, summary, outputs, state }: ActionRun): string {
  const values = [...Object.values(outputs), ...Object.values(state)]
  const text = [log.replace(/^::add-mask::.*$/gm, ''), summary, ...values].join('\n')
  const entity = (_entity: string, code: string): string => String.fromCodePoint(Number(code))
  return text.replace(/&#(\d+);/g, entity).replaceAll('\\', '')
}

it('the key is masked first, and shown in none of the encodings that the code makes of it', async () => {
  const key = 'mint_k3y|"q\\uote%'
  const { run: act, docs } = await startScene({ key, jobTimeMs: 60_000 })
  const note = `${key} ${encodeURIComponent(key)}`
  const prLink = `https://github.com/${note.replace(' ', '/')}/pull/1`
  const body = { id: 'j1', status: `on ${note}`, prLink, model: note, note }
  docs.faults.add({ body, match: { path: 'create' } })
  const echo = `Not accepted: Authorization: Bearer ${key}`
  docs.faults.add({ status: 401, body: echo, match: { path: 'look' } })
  const run = await act({ inputs: { ...QUIET, prompt: `Do ${note}.` }, oddJob: true })
  expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error', 'job-id': 'j1' } })
  expect(run.log.split('\n', 1)).toEqual([`::add-mask::${key.replace('%', '%25')}`])
  expect(seenOf(run)).not.toMatch(/k3y/)
  expect(JSON.parse(run.outputs['job'] ?? '')).toMatchObject({ note: '*** ***' })
})

describe('nothing comes alive of hostile texts', () => {
  const TEXTS = HOSTILE_TEXTS.filter((text) => text.trim() !== '' && text.isWellFormed())
  // What closes what comes before it must not hide what comes after it.
  const CHUNKS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((rest) =>
    TEXTS.filter((_text, index) => index % 10 === rest)
      .map((text) => text.slice(0, 300))
      .join('\n'),
  )
  const OURS =
    /^::(?:add-mask::|(?:notice|warning|error) title=[^:]+::|group::The prompt|endgroup::)/
  const OUR_TAGS =
    /^<(?:\/?(?:details|code|sub|summary)|details><summary>(?:Job and prompt|Job|Prompt)<\/summary)>$/

  function expectInert({ log, summary }: ActionRun): void {
    expect(commandsIn(log).filter((line) => !OURS.test(line))).toEqual([])
    const seen = alive(summary)
    expect(seen.html.filter((tag) => !OUR_TAGS.test(tag))).toEqual([])
    expect([seen.mentions, seen.images]).toEqual([[], []])
    for (const link of seen.links)
      expect(link).toMatch(/^(?:https:\/\/|http:\/\/127\.0\.0\.1:)[^@]+$/)
  }

  it('in prompts, statuses, errors, and every field of a job', async () => {
    const { run: act, docs } = await startScene()
    for (const text of CHUNKS) {
      const prLink = `https://x.example/${text.replace(/[\s\p{C}@]/gu, '')}`
      const fields = { model: text, prLink, createdAt: text, [text]: text }
      const job = { id: `job ${text}`, status: 'completed', ...fields }
      const look = { path: 'look' } as const
      docs.faults.add({ body: { ...job, status: text }, match: { path: 'create' } })
      docs.faults.add({ status: 500, body: { error: text }, match: look })
      docs.faults.add({ body: job, handled: false, match: look })
      const prompt = text.replaceAll('\0', '')
      const run = await act({ inputs: { ...QUIET, prompt }, oddJob: true })
      expectInert(run)
      expect(run.outputs).toMatchObject({ 'job-id': job.id, result: 'pull-request' })
      expect(JSON.parse(run.outputs['job'] ?? '')).toEqual(job)
      expect(run.log).toMatch(/^::warning .* has an unknown status/m)
      expect(run.log).toMatch(/^Could not poll the job: /m)
    }
    const body = { error: CHUNKS.join('\n') }
    docs.faults.add({ status: 403, body, match: { path: 'create' } })
    const refused = await act({ inputs: QUIET })
    expect(refused).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
    expectInert(refused)
  })
})

it('the licenses of all that is bundled come with the bundle, which holds one undici', () => {
  const licenses = readFileSync(join(ROOT, 'dist/licenses.txt'), 'utf8').split('\n')
  expect(licenses).toEqual(expect.arrayContaining(Object.keys(packageJson.dependencies)))
  expect(licenses.filter((line) => line === 'undici')).toHaveLength(1)
})
