import { describe, expect, it } from 'vitest'
import { docsStarter } from './docs.ts'
import { runAction } from './run-action.ts'

const startDocs = docsStarter()

describe('a dry run', () => {
  it('shows the prompt and sends the service nothing, without a key', async () => {
    const { docs, inputs } = await startDocs()
    const files = { 'extra.md': 'Keep the tone.', 'api.diff': '+ GET /pets ```' }
    const run = await runAction({
      inputs: {
        ...inputs,
        'api-key': '',
        'dry-run': 'true',
        'prompt-file': 'extra.md',
        'context-files': 'api.diff',
      },
      files,
    })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'dry-run' } })
    for (const text of ['Explain the new flag.', 'Keep the tone.', 'api.diff', '+ GET /pets ```']) {
      expect(run.summary).toContain(text)
    }
    expect(docs.requests).toEqual([])
  })
})

describe('a run without secrets', () => {
  const fork = { head: { repo: { full_name: 'stranger/docs' } }, user: { login: 'stranger' } }

  it.each([
    ['a pull request from a fork', { name: 'pull_request', payload: { pull_request: fork } }, 'stranger'],
    [
      'a deleted fork',
      { name: 'pull_request', payload: { pull_request: { head: { repo: null } } } },
      'stranger',
    ],
    ['Dependabot', { name: 'push', payload: {} }, 'dependabot[bot]'],
  ])('for %s is skipped with a notice', async (_case, event, actor) => {
    const { docs, inputs } = await startDocs()
    const run = await runAction({ inputs: { ...inputs, 'api-key': '' }, event, env: { GITHUB_ACTOR: actor } })
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'skipped' } })
    expect(run.log).toContain('::notice')
    expect(docs.requests).toEqual([])
  })

  it.each([
    ['a dispatch', { name: 'workflow_dispatch', payload: {} }],
    [
      'pull_request_target from a fork, which has secrets',
      { name: 'pull_request_target', payload: { pull_request: fork } },
    ],
  ])('on %s is an error that names the key', async (_case, event) => {
    const { docs, inputs } = await startDocs()
    const run = await runAction({ inputs: { ...inputs, 'api-key': '' }, event })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error' } })
    expect(run.log).toContain('api-key is missing')
    expect(docs.requests).toEqual([])
  })
})
