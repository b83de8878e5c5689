import { expect, it } from 'vitest'
import { eventRow } from '../../src/events/event-table.ts'
import { pullRequestThread } from '../../src/github/comments.ts'
import { codePullRequest } from '../../src/memory/announced-job.ts'
import { hashProject, type Marker, Markers } from '../../src/memory/marker.ts'
import { bareEvent, pullRequest, push } from '../support/events.ts'
import { type RunOptions, startHarness } from '../support/harness.ts'
import { ACTIONS, AGENT, addComment, addPull, BEFORE } from '../support/world.ts'
import { type Announced, FOUND, HEADS } from './announced-job.cases.ts'
import { continues, NEW } from './recall.cases.ts'

const KEY = 'mint_harness_key'

/** A harness with open pull requests from 21 on, each newer than the one before and with its comments; and 5 and 6. */
async function startAnnounced(pulls: readonly (readonly Announced[])[]) {
  const scene = await startHarness({ replies: {} })
  const { world, serviceUrl } = scene
  const project = hashProject({ 'base-url': new URL(serviceUrl), 'project-id': 'docs' })
  for (const number of [5, 6])
    addPull(world, { number, head: { ref: `flag-${number}`, sha: HEADS[number] ?? '' } })
  for (const [index, comments] of pulls.entries()) {
    const number = 21 + index
    const [{ opener = AGENT } = {}] = comments
    addPull(world, { number, user: opener })
    for (const { author = ACTIONS, key = KEY, body, ...change } of comments) {
      const marker: Marker = {
        kind: 'announcement',
        state: 'success',
        job: `job_${number}`,
        pull: `https://github.com/acme/docs/pull/${number}`,
        project,
        step: 'docs.yml/docs/agent',
        run: '900',
        source: '',
        namedAt: 1,
        ...change.marker,
      }
      const signed = new Markers(key, 'acme/docs').render(marker, pullRequestThread(number), (text) => text)
      addComment(world, { kind: 'main', number, author, body: body ?? `${signed.source}\nText` })
    }
  }
  const usual = { prompt: 'Document it.', context: 'none', wait: 'false', 'api-key': KEY }
  const run = ({ inputs, ...options }: RunOptions = {}) =>
    scene.run({ event: bareEvent('schedule'), sha: BEFORE, ...options, inputs: { ...usual, ...inputs } })
  return { ...scene, run }
}

it.each([
  ['an open pull request', pullRequest({ action: 'synchronize', pull: { number: 5 } }), 'pull/5'],
  [
    'a merged one, whose docs are those of the branch',
    pullRequest({ pull: { number: 5, merged: true } }),
    '',
  ],
  ['a push', push(), ''],
])('an announcement is for %s', (_what, { name, payload }, source) => {
  const event = { name, row: eventRow(name), payload }
  expect(codePullRequest({ event, command: undefined })).toBe(source)
})

it.each(FOUND)('%s', async (_name, pulls, options, id, says) => {
  const { run } = await startAnnounced(pulls)
  const { calls, log } = await run(options)
  expect(calls).toEqual(id === undefined ? NEW : continues(id))
  expect(log.filter((line) => line.includes('another API key'))).toEqual(
    says === undefined ? [] : [expect.stringMatching(says)],
  )
})

it('of the open pull requests of the agent the newest 20 are looked at', async () => {
  const later = Array.from({ length: 19 }, () => [{ body: 'Hello.' }])
  const others = Array.from({ length: 30 }, () => [{ opener: ACTIONS, body: 'Hello.' }])
  const found = await startAnnounced([[{}], ...later, ...others])
  expect((await found.run()).calls).toEqual(continues('job_21'))
  const passed = await startAnnounced([[{}], ...later, [{ body: 'Hello.' }]])
  expect((await passed.run()).calls).toEqual(NEW)
})

it.each([{ repository: null }, { repository: { pullRequests: null } }])(
  'an answer without pull requests is unknown, and not none: %j',
  async (data) => {
    const { github, run } = await startAnnounced([[{}]])
    github.faults.push({ match: /Announcements/, end: { status: 200, body: { data } } })
    const { calls, log } = await run()
    expect(calls).toEqual(NEW)
    expect(log.join('\n')).toContain('Failed to look for an earlier job: GitHub returned no pull requests')
  },
)

it('a pull request or comment of a deleted account is passed over', async () => {
  const { github, run } = await startAnnounced([])
  const comments = { nodes: [null, { body: null, author: null }] }
  const nodes = [
    null,
    { number: 30, author: null, comments },
    { number: 31, author: { login: 'mintlify' }, comments },
  ]
  const body = { data: { repository: { pullRequests: { nodes } } } }
  github.faults.push({ match: /Announcements/, end: { status: 200, body } })
  const { calls, log } = await run()
  expect([calls, log.filter((line) => line.includes('Failed'))]).toEqual([NEW, []])
})

it('without the key of a dry run nothing is looked for', async () => {
  const { run } = await startAnnounced([[{}]])
  const { requests } = await run({ inputs: { 'api-key': '', 'dry-run': 'true' } })
  expect(requests.filter((line) => line.includes('Announcements'))).toEqual([])
  expect((await run()).requests.filter((line) => line.includes('Announcements'))).toHaveLength(1)
})
