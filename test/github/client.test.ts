import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { type GitHub, openGitHub } from '../../src/github/github.ts'
import { type Clock, openSystemClock } from '../../src/lib/clock.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { openLog } from '../../src/runner/log.ts'
import { TestServers } from '../lib/http-servers.ts'
import { VirtualClock } from '../lib/virtual-clock.ts'

const servers = new TestServers()
afterEach(() => servers.close())

type ClientOptions = { readonly clock?: Clock; readonly cancel?: AbortSignal }

function clientOf(origin: string, { clock = openSystemClock(), cancel }: ClientOptions = {}): GitHub {
  const github = openGitHub({
    environment: readEnvironment({ GITHUB_REPOSITORY: 'acme/docs', GITHUB_API_URL: origin }),
    token: 'token',
    log: openLog((text) => text, 'Docs agent'),
    clock,
    random: Math.random,
    cancel: cancel ?? new AbortController().signal,
  })
  onTestFinished(() => github.close())
  return github
}

it('GitHub is asked side by side: a call that hangs holds no other up', async () => {
  const { origin } = await servers.start((incoming, response) => {
    if (incoming.url === '/works')
      response.writeHead(200, { 'content-type': 'application/json' }).end('"it does"')
  })
  const github = clientOf(origin)
  const hanging = github.request((octokit) => octokit.request('GET /hangs'))
  const { data } = await github.request((octokit) => octokit.request('GET /works'))
  expect(data).toBe('it does')
  github.close()
  await expect(hanging).rejects.toThrow()
})

describe('a GitHub that hangs', () => {
  /** A GitHub that answers nothing, and what is told when a request is there. */
  async function startHanging() {
    let arrive = (): void => undefined
    const server = await servers.start(() => arrive())
    const arrived = (): Promise<void> =>
      new Promise((resolve) => {
        arrive = resolve
      })
    return { ...server, arrived }
  }

  it('is given 10 s, and then asked nothing for a minute', async () => {
    const { origin, requests, arrived } = await startHanging()
    const clock = new VirtualClock()
    const startMs = clock.now()
    const github = clientOf(origin, { clock })
    const request = (): Promise<unknown> => github.request((octokit) => octokit.request('GET /hangs'))
    const first = arrived()
    const hanging = expect(request()).rejects.toThrow('the request timed out after 10 s')
    await first
    clock.jump()
    await hanging
    expect(clock.now() - startMs).toBe(10_000)
    await clock.sleep(59_999)
    await expect(request()).rejects.toThrow('the last request timed out a moment ago')
    expect(requests).toEqual(['GET /hangs'])
    await clock.sleep(1)
    const second = arrived()
    const again = expect(request()).rejects.toThrow()
    await second
    clock.jump()
    await again
    expect(requests).toEqual(['GET /hangs', 'GET /hangs'])
  })

  it.each([
    ['GET', 0],
    ['POST', 4000],
  ] as const)('has a %s in flight dropped %i ms after a cancel', async (method, afterMs) => {
    const { origin, arrived } = await startHanging()
    const clock = new VirtualClock()
    const cancel = new AbortController()
    const github = clientOf(origin, { clock, cancel: cancel.signal })
    const first = arrived()
    const hanging = expect(github.request((octokit) => octokit.request(`${method} /hangs`))).rejects.toThrow()
    await first
    const startMs = clock.now()
    cancel.abort()
    if (afterMs > 0) clock.jump()
    await hanging
    expect(clock.now() - startMs).toBe(afterMs)
  })
})
