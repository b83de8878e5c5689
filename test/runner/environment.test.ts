import { expect, it } from 'vitest'
import { readEnvironment, stepNames } from '../../src/runner/run.ts'

it('inputs and state go by their names, as they were given; a missing one is missing', () => {
  const env = { 'INPUT_API-KEY': ' k\n', INPUT_COMMAND: '', 'STATE_job-id': 'j1' }
  const inputs = new Map(Object.entries({ 'api-key': ' k\n', command: '' }))
  expect(readEnvironment(env)).toMatchObject({ inputs, state: new Map([['job-id', 'j1']]) })
})

it('proxies in lower case win, even empty ones, and need no scheme', () => {
  const https = { https_proxy: 'me:pw@a:8080', HTTPS_PROXY: 'http://b' }
  const env = { ...https, http_proxy: '', HTTP_PROXY: 'http://c', NO_PROXY: '*' }
  const proxy = { httpsProxy: 'http://me:pw@a:8080', httpProxy: '', noProxy: '*' }
  expect(readEnvironment(env)).toMatchObject({ proxy })
})

it.each([
  { ref: 'acme/docs/.github/workflows/docs.yml@refs/heads/main', workflow: 'docs.yml' },
  { ref: 'acme/docs/.github/workflows/sub/docs.yml@refs/heads/a@b', workflow: 'sub/docs.yml' },
  { ref: '', workflow: 'Docs' },
])('the workflow of $ref is named $workflow', ({ ref, workflow }) => {
  const env = { GITHUB_WORKFLOW_REF: ref, GITHUB_WORKFLOW: 'Docs', GITHUB_ACTION: 'agent' }
  expect(stepNames(readEnvironment(env))).toEqual({ workflow, job: '', step: 'agent' })
})
