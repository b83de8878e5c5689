import { expect, it } from 'vitest'
import { isRerun, readEnvironment, runUrlOf, stepNames } from '../../src/runner/environment.ts'

it('inputs and state go by their names, as they were given; a missing one is missing', () => {
  const { inputs, state } = readEnvironment({
    'INPUT_API-KEY': ' k\n',
    INPUT_COMMAND: '',
    'STATE_job-id': 'j1',
  })
  expect([...inputs]).toEqual([
    ['api-key', ' k\n'],
    ['command', ''],
  ])
  expect([...state]).toEqual([['job-id', 'j1']])
})

it('proxies in lower case win over upper case, unless they are empty', () => {
  const env = {
    https_proxy: 'http://a',
    HTTPS_PROXY: 'http://b',
    http_proxy: '',
    HTTP_PROXY: 'http://c',
    NO_PROXY: '*',
  }
  expect(readEnvironment(env).proxy).toEqual({ httpsProxy: 'http://a', httpProxy: 'http://c', noProxy: '*' })
})

it('GitHub is github.com unless the runner says otherwise, and the workspace where the step runs', () => {
  expect(readEnvironment({})).toMatchObject({
    serverUrl: 'https://github.com',
    apiUrl: 'https://api.github.com',
    workspace: process.cwd(),
  })
  const server = {
    GITHUB_SERVER_URL: 'https://git.example',
    GITHUB_API_URL: 'https://git.example/api/v3',
    GITHUB_WORKSPACE: '/w',
  }
  expect(readEnvironment(server)).toMatchObject({
    serverUrl: 'https://git.example',
    apiUrl: 'https://git.example/api/v3',
    workspace: '/w',
  })
})

it.each([
  ['acme/docs/.github/workflows/docs.yml@refs/heads/main', 'docs.yml'],
  ['acme/docs/.github/workflows/sub/docs.yml@refs/heads/a@b', 'sub/docs.yml'],
  ['acme/docs/dynamic/pages@refs/heads/main', 'dynamic/pages'],
  ['', 'Docs'],
])('the workflow of %j is named %s', (workflowRef, workflow) => {
  const names = { workflowRef, workflow: 'Docs', job: 'docs', action: 'agent' }
  expect(stepNames({ ...readEnvironment({}), ...names })).toEqual({ workflow, job: 'docs', step: 'agent' })
})

it('a further attempt is a re-run', () => {
  const again = (attempt: string): boolean => isRerun(readEnvironment({ GITHUB_RUN_ATTEMPT: attempt }))
  expect([again(''), again('1'), again('2'), again('10')]).toEqual([false, false, true, true])
})

it('a run has a page, unless there is no run', () => {
  const env = { GITHUB_REPOSITORY: 'acme/docs', GITHUB_RUN_ID: '7' }
  expect(runUrlOf(readEnvironment(env))).toBe('https://github.com/acme/docs/actions/runs/7')
  expect(runUrlOf(readEnvironment({}))).toBe('')
})
