import { expect, it } from 'vitest'
import {
  attemptUrlOf,
  isRerun,
  readEnvironment,
  runUrlOf,
  stepNames,
} from '../../src/runner/run.ts'

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

it('GitHub is github.com unless the runner says otherwise, and the workspace where the step runs', () => {
  const usual = { serverUrl: 'https://github.com', apiUrl: 'https://api.github.com' }
  expect(readEnvironment({})).toMatchObject({ ...usual, workspace: process.cwd() })
  const own = { serverUrl: 'https://git.example', apiUrl: 'https://git.example/api/v3' }
  const env = { GITHUB_SERVER_URL: own.serverUrl, GITHUB_API_URL: own.apiUrl }
  const read = readEnvironment({ ...env, GITHUB_WORKSPACE: '/w' })
  expect(read).toMatchObject({ ...own, workspace: '/w' })
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

it('a further attempt is a re-run, and a run and its attempt have a page, unless there is no run', () => {
  const isAgain = (attempt: string): boolean =>
    isRerun(readEnvironment({ GITHUB_RUN_ATTEMPT: attempt }))
  expect(['', '1', '2', '10'].map(isAgain)).toEqual([false, false, true, true])
  const env = { GITHUB_REPOSITORY: 'acme/docs', GITHUB_RUN_ID: '7' }
  expect(runUrlOf(readEnvironment(env))).toBe('https://github.com/acme/docs/actions/runs/7')
  const again = readEnvironment({ ...env, GITHUB_RUN_ATTEMPT: '2' })
  expect(attemptUrlOf(again)).toBe('https://github.com/acme/docs/actions/runs/7/attempts/2')
  expect([runUrlOf(readEnvironment({})), attemptUrlOf(readEnvironment({}))]).toEqual(['', ''])
})
