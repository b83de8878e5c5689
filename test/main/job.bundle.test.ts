import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { startScene } from '../support/scene.ts'
import { countOf, QUIET } from './quiet.ts'

it('a new job ends with a pull request that exists in the repository, and the post step is silent then', async () => {
  const { run: act, docs } = await startScene({ agent: 'git' })
  const run = await act({ inputs: QUIET })
  const [job] = docs.jobs
  const link = run.outputs['pr-link'] ?? ''
  const outputs = {
    result: 'pull-request',
    status: 'completed',
    'job-id': job?.id,
    'pr-number': '1',
  }
  expect(run).toMatchObject({ exitCode: 0, outputs, state: { finished: 'true' } })
  expect(link).toMatch(/\/acme\/docs\/pull\/1$/)
  expect(docs.requests[0]?.body).toEqual({ prompt: 'Explain the new flag.' })
  expect(run.log).toContain(`::Docs pull request ready for review: ${link}`)
  expect(run.summary).toMatch(
    /^## ✅ Docs pull request ready for review: \[.*\]\(http.*\/acme\/docs\/pull\/1\)\n/,
  )
  const { source } = JSON.parse(run.outputs['job'] ?? '')
  const git = ['-C', docs.repository, 'rev-parse', '--verify', source.ref]
  expect(execFileSync('git', git, { encoding: 'utf8' })).toMatch(/^[0-9a-f]{40}/)
  const post = await act({ inputs: QUIET, state: run.state })
  expect(post).toMatchObject({ exitCode: 0, summary: '', outputs: {} })
  expect(post.log.replace(/^::add-mask::.*\n/gm, '')).toBe('')
})

it('a new job has its ID in outputs and state before the first poll, and the post step of a killed run reports it', async () => {
  const { start, run: act, docs } = await startScene({ jobTimeMs: 60_000 })
  const inputs = { ...QUIET, 'poll-interval': '20m' }
  const started = await start({ inputs })
  await started.logged(' is active')
  started.child.kill('SIGKILL')
  const { outputs, state } = await started.ended
  const id = docs.jobs[0]?.id
  expect([outputs, state]).toMatchObject([{ 'job-id': id, result: 'error' }, { 'job-id': id }])
  for (const [saved, says] of [
    [state, `job-id: ${id}`],
    [{ requested: 'true' }, 'Check the dashboard before you start a new run.'],
  ] as const) {
    const post = await act({ inputs, state: saved })
    expect(post).toMatchObject({ exitCode: 0, outputs: {}, state: {} })
    expect(post.log).toContain(says)
    expect(post.summary).toMatch(/^## 🛑 Interrupted: /)
  }
  expect([countOf(docs, 'POST'), countOf(docs, 'GET')]).toEqual([1, 0])
})

it('a dry run without a key shows the prompt, and never calls Mintlify', async () => {
  const { run: act, docs } = await startScene()
  const files = { 'extra.md': 'Keep the tone.', 'api.diff': '+ GET /pets ```' }
  const more = { 'prompt-file': 'extra.md', 'context-files': 'api.diff', 'dry-run': 'true' }
  // A token that is a word is masked, but not cut out of texts.
  const odd = { 'api-key': '', 'github-token': 'none', prompt: 'There is none, nonetheless.' }
  // Such an event needs nothing of GitHub.
  const event = { name: 'create', payload: { ref: 'v1', ref_type: 'tag' } }
  const run = await act({ event, inputs: { ...QUIET, ...more, ...odd }, files })
  expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'dry-run' } })
  for (const text of [odd.prompt, 'api.diff', ...Object.values(files)])
    for (const shown of [run.summary, run.log]) expect(shown).toContain(text)
  expect(docs.requests).toEqual([])
})
