import { expect, it } from 'vitest'
import { readEnvironment } from '../../src/runner/environment.ts'

it('inputs go by their names, without the white space around them; a missing one is missing', () => {
  const { inputs } = readEnvironment({ 'INPUT_API-KEY': ' k\n', INPUT_COMMAND: '' })
  expect(inputs.get('api-key')).toBe('k')
  expect(inputs.get('command')).toBe('')
  expect(inputs.has('prompt')).toBe(false)
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

it('GitHub is github.com unless the runner says otherwise', () => {
  expect(readEnvironment({})).toMatchObject({
    serverUrl: 'https://github.com',
    apiUrl: 'https://api.github.com',
  })
  const server = { GITHUB_SERVER_URL: 'https://git.example', GITHUB_API_URL: 'https://git.example/api/v3' }
  expect(readEnvironment(server)).toMatchObject({
    serverUrl: 'https://git.example',
    apiUrl: 'https://git.example/api/v3',
  })
})
