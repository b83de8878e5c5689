import { expect, it } from 'vitest'
import { describeEvent } from '../../src/context/gather.ts'
import { eventRow } from '../../src/events/event-table.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import type { Event } from '../support/events.ts'
import { type Harness, startHarness } from '../support/harness.ts'
import { environmentOf } from '../support/run-action.ts'
import { AFTER, addCommit, addPull, BEFORE, mergePull, person } from '../support/world.ts'

const web = 'https://github.com/acme/docs'
const octocat = { login: 'octocat', isPerson: true }

/** Where a block comes from: the sources of the job that an event leads to. */
async function sourcesOf({ github, clock, workspace }: Harness, { name, payload }: Event) {
  const inputs = { 'github-token': github.token, 'ignore-authors': 'Release-Robot' }
  const env = { GITHUB_API_URL: github.url, GITHUB_SHA: AFTER }
  const environment = readEnvironment(environmentOf({ inputs, env }, workspace, workspace))
  const cancel = new AbortController().signal
  const run = new Run(environment, { clock, random: () => 0.5, cancel })
  const trigger = { event: { name, payload, row: eventRow(name) }, command: undefined }
  const [lastJob, mergedPulls] = [{ known: true, value: undefined } as const, new Map()]
  const known = { lastJob, mergedPulls, signals: [], conversation: undefined, promptBytes: 0 }
  return (await describeEvent(trigger, known, run)).sources
}

it('the sources of a push are the pull requests that are told and the commits that came in none', async () => {
  const scene = await startHarness()
  const merge = (number: number, login: string, labels: readonly string[] = []) => {
    const user = { ...person(login), type: login.endsWith('[bot]') ? 'Bot' : 'User' }
    const fields = {
      number,
      title: `Change ${number}`,
      user,
      labels: labels.map((name) => ({ name })),
    }
    mergePull(scene.world, addPull(scene.world, fields), { how: 'squash' })
  }
  merge(7, 'octocat', ['feature'])
  merge(8, 'skipped', ['no-docs'])
  merge(9, 'renovate[bot]')
  merge(10, 'release-robot')
  const noAccount = addCommit(scene.world, { author: undefined, message: 'Fix\n\nIt.' })
  addCommit(scene.world, { sha: AFTER, message: 'Direct' })
  const payload = { ref: 'refs/heads/main', before: BEFORE, after: AFTER, commits: [] }
  const commit = (sha: string) => `${web}/commit/${sha}`
  const pull = (number: number) => {
    return { number, title: `Change ${number}`, url: `${web}/pull/${number}`, labels: [] }
  }
  expect(await sourcesOf(scene, { name: 'push', payload })).toEqual({
    pulls: [
      { ...pull(10), author: { login: 'release-robot', isPerson: false } },
      { ...pull(9), author: { login: 'renovate', isPerson: false } },
      { ...pull(7), author: octocat, labels: ['feature'] },
    ],
    commits: [
      { sha: AFTER, subject: 'Direct', url: commit(AFTER), author: octocat },
      { sha: noAccount.sha, subject: 'Fix', url: commit(noAccount.sha), author: undefined },
    ],
  })
})

it('the source of an event about a pull request is that pull request, without its commits', async () => {
  const scene = await startHarness()
  addPull(scene.world, { number: 5, title: 'Add a flag' })
  const url = `${web}/pull/5`
  const pull_request = {
    number: 5,
    title: 'Add a flag',
    html_url: url,
    user: { ...person('octocat'), type: 'User' },
  }
  const sources = await sourcesOf(scene, { name: 'pull_request', payload: { pull_request } })
  const pull = { number: 5, title: 'Add a flag', url, author: octocat, labels: [] }
  expect(sources).toMatchObject({ pulls: [], commits: [], pull })
})

it('the source of a release is that release beside its commits', async () => {
  const scene = await startHarness()
  const release = { tag_name: 'v1.0.0', name: 'Ship', html_url: `${web}/releases/tag/v1.0.0` }
  const sources = await sourcesOf(scene, { name: 'release', payload: { release } })
  const told = { tag: 'v1.0.0', name: 'Ship', url: release.html_url }
  expect(sources).toEqual({ pulls: [], commits: [], release: told })
})
