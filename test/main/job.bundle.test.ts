import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { push } from '../support/events.ts'
import { startScene } from '../support/scene.ts'
import { countOf, QUIET } from './quiet.ts'

describe('a new job', () => {
  it('ends with a pull request that exists in the repository', async () => {
    const { run: act, docs, asked } = await startScene({ agent: 'git' })
    const run = await act({ inputs: QUIET })
    expect(run).toMatchObject({
      exitCode: 0,
      outputs: { result: 'pull-request', status: 'completed' },
    })
    const [job] = docs.jobs
    const link = run.outputs['pr-link'] ?? ''
    expect(run.outputs).toMatchObject({
      'job-id': job?.id,
      'pr-link': expect.stringMatching(/\/acme\/docs\/pull\/1$/),
      'pr-number': '1',
    })
    const shown = JSON.parse(run.outputs['job'] ?? '')
    expect(shown).toMatchObject({ id: job?.id, status: 'completed' })
    expect(asked().slice(0, 2)).toEqual(['POST /job', `GET /job/${job?.id}`])
    expect(docs.requests[0]?.body).toEqual({ prompt: 'Explain the new flag.' })
    expect(run.log).toContain(
      `::notice title=Docs agent (docs)::Pull request ready for review (job ${job?.id}): ${link}`,
    )
    expect(run.summary).toMatch(
      /^## ✅ Pull request \[.*\]\(http.*\/acme\/docs\/pull\/1\) is ready for review\n/,
    )
    const git = ['-C', docs.repository, 'rev-parse', '--verify', shown.source.ref]
    expect(execFileSync('git', git, { encoding: 'utf8' })).toMatch(/^[0-9a-f]{40}/)
  })

  it.each([
    ['no-change', {}, 0, 'no-pull-request', /^::notice .*::Changed nothing on `main`/m],
    [
      'no-change',
      { 'fail-on': 'no-pull-request' },
      1,
      'no-pull-request',
      /^::error .* `fail-on` names `no/m,
    ],
    ['fail', {}, 1, 'failed', /^::error .*::The agent's job failed .*GitHub App.*credits/m],
    ['never', { timeout: '200ms' }, 1, 'timed-out', /^::error .*::Not finished within 200ms\. /m],
    [
      'never',
      { wait: 'false' },
      0,
      'submitted',
      /^::notice .*::Job started; not waiting for it\./m,
    ],
  ])(
    'whose agent has %j, with %j, ends with exit code %d as %s',
    async (agent, inputs, exitCode, result, says) => {
      const { run: act, docs } = await startScene()
      const run = await act({ inputs: { ...QUIET, prompt: `Do it. [agent: ${agent}]`, ...inputs } })
      expect(run).toMatchObject({ exitCode, outputs: { result, 'job-id': docs.jobs[0]?.id } })
      expect(run.log).toMatch(says)
      expect(run.log + run.summary).not.toMatch(/nothing changed/i)
    },
  )

  it('is created over a connection of its own and looked at over one that is kept; the post step is silent then', async () => {
    const { run: act, docs } = await startScene({ jobTimeMs: 600 })
    const { state } = await act({ inputs: QUIET })
    expect(countOf(docs, 'GET')).toBeGreaterThan(2)
    expect(docs.connections).toBe(2)
    expect(state).toMatchObject({ finished: 'true' })
    const post = await act({ inputs: QUIET, state })
    expect(post).toMatchObject({ exitCode: 0, summary: '', outputs: {} })
    expect(post.log.replace(/^::add-mask::.*\n/gm, '')).toBe('')
  })

  it('has its id in outputs and state before the first look, and the post step names it', async () => {
    const { start, run: act, docs } = await startScene({ jobTimeMs: 60_000 })
    const inputs = { ...QUIET, 'poll-interval': '20m' }
    const started = await start({ inputs })
    await started.logged(' is active ')
    started.child.kill('SIGKILL')
    const { outputs, state } = await started.ended
    const id = docs.jobs[0]?.id
    expect([outputs, state]).toMatchObject([{ 'job-id': id, result: 'error' }, { 'job-id': id }])
    const post = await act({ inputs, state })
    expect(post).toMatchObject({ exitCode: 0, outputs: {} })
    expect(post.log).toContain(`job-id: ${id}`)
    expect(post.summary).toMatch(/^## 🛑 Docs agent\n/)
    expect(countOf(docs, 'GET')).toBe(0)
  })
})

it('the post step of a main step that was killed before it saved anything starts no job', async () => {
  const { run: act, docs } = await startScene()
  const post = await act({ inputs: QUIET, state: {} })
  expect(post).toMatchObject({ exitCode: 0, outputs: {}, state: {} })
  expect(post.log).toContain('look for it in the dashboard before you start the workflow anew.')
  expect(docs.requests).toEqual([])
})

describe('an existing job', () => {
  it('is looked at once or waited for, and none is created', async () => {
    const { run: act, asked } = await startScene({ jobTimeMs: 60_000 })
    const id = (await act({ inputs: { ...QUIET, wait: 'false' } })).outputs['job-id'] ?? ''
    const inputs = { ...QUIET, prompt: '', 'job-id': id }
    const look = await act({ inputs: { ...inputs, wait: 'false' } })
    expect(look).toMatchObject({ exitCode: 0, outputs: { result: 'submitted', 'job-id': id } })
    expect(look.summary).toMatch(/^## ⏳ The job is still running\n/)
    const waited = await act({ inputs: { ...inputs, timeout: '100ms' } })
    expect(waited).toMatchObject({ exitCode: 1, outputs: { result: 'timed-out', 'job-id': id } })
    expect(new Set(asked())).toEqual(new Set(['POST /job', `GET /job/${id}`]))
  })
})

describe('a run', () => {
  it('that is dry shows the prompt and calls the docs service for nothing, without a key', async () => {
    const { run: act, docs } = await startScene()
    const files = { 'extra.md': 'Keep the tone.', 'api.diff': '+ GET /pets ```' }
    const more = { 'prompt-file': 'extra.md', 'context-files': 'api.diff', 'dry-run': 'true' }
    // A token that is a word is masked, but not cut out of texts.
    const odd = { 'api-key': '', 'github-token': 'none', prompt: 'There is none, nonetheless.' }
    const run = await act({ inputs: { ...QUIET, ...more, ...odd }, files })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'dry-run' } })
    for (const text of [
      'There is none, nonetheless.',
      'Keep the tone.',
      'api.diff',
      '+ GET /pets ```',
    ]) {
      expect(run.summary).toContain(text)
      expect(run.log).toContain(text)
    }
    expect(run.log).toContain('::add-mask::none')
    expect(docs.requests).toEqual([])
  })

  it('that is skipped says why in its summary', async () => {
    const { run: act } = await startScene()
    const event = push({ deleted: true, ref: 'refs/heads/old', after: '0'.repeat(40) })
    const run = await act({ inputs: QUIET, event })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'skipped' } })
    expect(run.summary).toMatch(
      /^## ⏭️ Docs agent\n\nSkipped: this push deletes `refs\/heads\/old`\.\n/,
    )
  })

  it('with wrong inputs reports them all before any request, and shows no key', async () => {
    const { run: act, docs } = await startScene()
    const key = 'mint_us_0123456789'
    const wrong = {
      'api-key': key,
      'project-id': '..',
      'base-url': 'https://user:secret@docs.example',
      'prompt-file': 'missing.md',
      'context-files': '.',
      wait: 'yes',
      timeout: '30',
      'poll-interval': '50ms',
      'fail-on': 'none, failed',
      context: key,
      'dry-run': '1',
    }
    const run = await act({ inputs: { ...QUIET, ...wrong } })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
    const named = [...run.log.matchAll(/%0A- ([a-z-]+) /g)].map(([, name]) => name)
    expect(named.toSorted()).toEqual(Object.keys(wrong).toSorted())
    expect(run.summary).toMatch(/^## ❌ Docs agent: wrong inputs\n/)
    expect(run.log.replace(`::add-mask::${key}`, '') + run.summary).not.toMatch(
      /0123456789|secret@/,
    )
    expect(docs.requests).toEqual([])
  })
})
