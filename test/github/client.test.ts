import { afterEach, expect, it, onTestFinished } from 'vitest'
import { openGitHub } from '../../src/github/github.ts'
import { openSystemClock } from '../../src/lib/clock.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { openLog } from '../../src/runner/log.ts'
import { TestServers } from '../lib/http-servers.ts'

const servers = new TestServers()
afterEach(() => servers.close())

it('GitHub is asked side by side: a call that hangs holds no other up', async () => {
  const { origin } = await servers.start((incoming, response) => {
    if (incoming.url === '/works')
      response.writeHead(200, { 'content-type': 'application/json' }).end('"it does"')
  })
  const github = openGitHub({
    environment: readEnvironment({ GITHUB_REPOSITORY: 'acme/docs', GITHUB_API_URL: origin }),
    token: 'token',
    log: openLog((text) => text, 'Docs agent'),
    clock: openSystemClock(),
    random: Math.random,
    cancel: new AbortController().signal,
  })
  onTestFinished(() => github.close())
  const hanging = github.ask((octokit) => octokit.request('GET /hangs'))
  const { data } = await github.ask((octokit) => octokit.request('GET /works'))
  expect(data).toBe('it does')
  github.close()
  await expect(hanging).rejects.toThrow()
})
