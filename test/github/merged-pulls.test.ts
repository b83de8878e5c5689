import { expect, it } from 'vitest'
import { GitHub } from '../../src/github/client.ts'
import { readMergedPulls } from '../../src/github/pull-requests.ts'
import { NO_PROXY } from '../lib/http-client.ts'
import { startHarness } from '../support/harness.ts'
import { AGENT, addPull, mergePull, person } from '../support/world.ts'

it('a merged pull request is read with its labels, and with whether a person opened it', async () => {
  const { github, world, clock } = await startHarness()
  const none = (): void => undefined
  const client = new GitHub({
    ...{ clock, random: () => 0.5, cancel: new AbortController().signal },
    ...{
      apiUrl: github.url,
      serverUrl: 'https://github.com',
      repository: 'acme/docs',
      token: github.token,
    },
    ...{
      proxy: NO_PROXY,
      log: { debug: none, info: none, notice: none, warning: none, cost: none },
    },
  })
  const organization = { ...person('acme'), type: 'Organization' } as const
  const opened = [person('octocat'), AGENT, organization].map((user, index) => {
    const pull = addPull(world, { number: index + 7, user, labels: [{ name: 'no-docs' }] })
    mergePull(world, pull, { how: 'squash' })
    return { sha: pull.landed.at(-1) ?? '', message: '' }
  })
  const pulls = [...(await readMergedPulls(opened, {}, client)).values()].flat()
  expect(pulls.map(({ author, labels, title }) => [author, labels, title])).toEqual([
    [{ login: 'octocat', type: 'User' }, ['no-docs'], ''],
    [{ login: 'mintlify', type: 'Bot' }, ['no-docs'], ''],
    [{ login: 'acme', type: 'Organization' }, ['no-docs'], ''],
  ])
})
