import { expect, it } from 'vitest'
import { readEnvironment, stepNames } from '../../src/runner/run.ts'

it('inputs and state go by their names, as they were given; a missing one is missing', () => {
  const env = { 'INPUT_API-KEY': ' k\n', INPUT_COMMAND: '', 'STATE_job-id': 'j1' }
  const inputs = new Map(Object.entries({ 'api-key': ' k\n', command: '' }))
  expect(readEnvironment(env)).toMatchObject({ inputs, state: new Map([['job-id', 'j1']]) })
})

it('a proxy may be HOST:PORT without a scheme', () => {
  const proxies = { HTTPS_PROXY: 'me:pw@proxy.example:8080', HTTP_PROXY: 'socks5://a' }
  const expected = { httpsProxy: 'http://me:pw@proxy.example:8080', httpProxy: 'socks5://a' }
  expect(readEnvironment(proxies).proxy).toMatchObject(expected)
})

it('proxies in lower case win over upper case, though they are empty, as undici reads them', () => {
  const https = { https_proxy: 'http://a', HTTPS_PROXY: 'http://b' }
  const env = { ...https, http_proxy: '', HTTP_PROXY: 'http://c', NO_PROXY: '*' }
  expect(readEnvironment(env).proxy).toEqual({
    httpsProxy: 'http://a',
    httpProxy: '',
    noProxy: '*',
  })
})

it.each([
  ['acme/docs/.github/workflows/docs.yml@refs/heads/main', 'docs.yml'],
  ['acme/docs/.github/workflows/sub/docs.yml@refs/heads/a@b', 'sub/docs.yml'],
  ['acme/docs/dynamic/pages@refs/heads/main', 'dynamic/pages'],
  ['', 'Docs'],
])('the workflow of %j is named %s', (workflowRef, workflow) => {
  const names = { workflowRef, workflow: 'Docs', job: 'docs', action: 'agent' }
  const environment = { ...readEnvironment({}), ...names }
  const expected = { workflow, job: 'docs', step: 'agent' }
  expect(stepNames(environment)).toEqual(expected)
})
