import { describe, expect, test } from 'vitest'
import { bareEvent, bot, type Event, person, pullRequest, push } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { addComment } from '../support/world.ts'
import {
  ACTORS,
  body,
  closed,
  comment,
  fromFork,
  issue,
  PROMPT,
  reader,
  reviewed,
  target,
  WHO_MAY_ASK,
  writer,
} from './who-may-ask.cases.ts'

const it = test.extend('scene', sceneOfActors)

const read = { permission: 'read', role_name: 'read' }
const write = { permission: 'write', role_name: 'write' }

/** A scene in which the actors have their roles, and whatever is reacted to exists. */
async function sceneOfActors() {
  const scene = await startHarness()
  scene.world.roles.set('reader', read).set('writer', write).set('renamed', write)
  for (const kind of ['main', 'review'] as const) {
    addComment(scene.world, { kind, number: 5, author: person('octocat'), body })
  }
  return scene
}

it.each(WHO_MAY_ASK)('who may start a job: %s', async (_what, made, inputs, outcomes) => {
  const decided: Record<string, readonly string[]> = {}
  const { run, github } = await sceneOfActors()
  // The fake knows the comments by other ids.
  github.faults.push({ match: /\/reactions /, end: { status: 201, body: { id: 1, content: '-1' } } })
  for (const [who, actor] of Object.entries(ACTORS)) {
    const allowed = 'Docs-Helper[bot], renovate, renovate[bot'
    const given = { 'allow-bots': allowed, 'follow-up': 'false', context: 'none', wait: 'false', ...inputs }
    const end = await run({ event: made(actor), inputs: given })
    const isSkipped = end.outputs['result'] === 'skipped'
    if (isSkipped) expect([end.hasFailed, end.calls]).toEqual([false, []])
    const level = end.titles.length > 0 ? 'skipped: notice' : 'skipped'
    decided[who] = [
      isSkipped ? level : 'starts',
      ...end.requests.filter((line) => isSkipped || line.endsWith('/permission')),
    ]
  }
  expect(decided).toEqual(outcomes)
})

const NEEDS = 'needs `write` (`required-permission`)'
const NOBODY = `the event does not say who caused it, and a job for this \`pull_request_target\` event ${NEEDS}`
const NO_BOT = 'renovate[bot] is a bot that `allow-bots` does not list'
const TEXT = 'the inputs request nothing, and commands stand in comments on issues and pull requests alone'

it.for([
  [NOBODY, target(undefined)],
  ['the comment does not start with /docs as plain text', comment({ body: 'Yes.' })(reader)],
  ['the comment is not new (`edited`)', comment({ action: 'edited' })(reader)],
  [TEXT, issue(reader)],
  ['this pull request was closed without a merge', closed(reader)],
  [NO_BOT, comment()(bot('renovate[bot]'))],
  ['this push deletes `refs/tags/v1`', push({ ref: 'refs/tags/v1', deleted: true })],
] as const)('a run says why it is skipped: %s', async ([reason, made], { scene: { run } }) => {
  const end = await run({ event: made, inputs: reason === NOBODY ? PROMPT : {} })
  expect(end.log).toEqual([expect.stringMatching(/^(?:notice: )?Skipped: /)])
  expect(end.log[0]).toContain(`Skipped: ${reason}.`)
})

describe('a command without instructions', () => {
  it.for<[string, Readonly<Record<string, string>>, boolean]>([
    ['/docs', {}, true],
    ['/docs new', {}, true],
    ['/docs <!-- nothing to see -->', {}, true],
    ['/docs', { prompt: 'Document it.' }, false],
    ['/docs', { 'prompt-file': 'prompt.md' }, false],
    ['/docs', { 'job-id': 'job_1' }, false],
  ])(
    'a command of the words %j, with %j, is told how to ask: %j',
    async ([text, inputs, isTold], { scene: { run, said } }) => {
      const files = { 'prompt.md': 'Document it.' }
      const end = await run({ event: comment({ body: text })(writer), inputs, files })
      const line = 'notice: Skipped: /docs comes without instructions, and there is no `prompt`.'
      expect(end.log.includes(line)).toBe(isTold)
      expect(said().flat().join().includes('What should the docs agent do?')).toBe(isTold)
      expect(end.calls.length > 0).toBe(!isTold)
    },
  )

  it('how to ask is explained to nobody who may not ask', async ({ scene: { run, said } }) => {
    const end = await run({ event: comment({ body: '/docs' })(reader) })
    expect(end.log).toEqual([expect.stringContaining('needs `write` (`required-permission`)')])
    expect(said()).toEqual([])
  })
})

describe('a run without secrets', () => {
  const fork = pullRequest(fromFork)
  const deleted: Event = { name: 'pull_request', payload: { pull_request: { head: { repo: null } } } }
  const { name, payload } = reviewed(writer)
  const ofFork = { name, payload: { ...payload, pull_request: fork.payload.pull_request } }
  const inFork = push({ repository: { full_name: 'octocat/docs', fork: true } })

  const FORKS = 'runs of forks'
  const BOT = 'Dependabot, which has secrets of its own: set one,'
  it.for<[string, Event, string, Readonly<Record<string, string>>]>([
    ['a pull request from a fork', fork, `${FORKS}:`, {}],
    ['a pull request from a fork that was deleted', deleted, `${FORKS}:`, {}],
    ['a review of a pull request from a fork', ofFork, `${FORKS}:`, {}],
    ['a push in a fork', inFork, `${FORKS}:`, {}],
    ['a push of Dependabot', push({ sender: bot('dependabot[bot]') }), BOT, {}],
    ['a run that Dependabot started', push(), BOT, { GITHUB_ACTOR: 'dependabot[bot]' }],
  ])(
    'a run without a key is skipped, and told what works, where GitHub gives no secrets: %s',
    async ([_what, made, whom, env], { scene: { run } }) => {
      const why = `notice: Skipped: \`api-key\` is empty, as GitHub gives no secrets to ${whom}`
      const ask = async (command: string) =>
        await run({ event: made, inputs: { ...PROMPT, 'api-key': '', command }, env })
      const log = [`${why} comment with /docs in the main thread, or start the job after the merge.`]
      const end = await ask('/docs')
      expect(end).toMatchObject({ outputs: { result: 'skipped' }, log, requests: [], calls: [] })
      expect((await ask('')).log).toEqual([`${why} start the job after the merge.`])
    },
  )

  it.for<[string, Event, object]>([
    ['with a key', fork, { 'api-key': 'mint_1' }],
    ['in a dry run', inFork, { 'dry-run': 'true' }],
    ['on pull_request_target', { ...fork, name: 'pull_request_target' }, {}],
    ['on a push in the repository itself', push(), {}],
    ['on a schedule', bareEvent('schedule'), {}],
    ['on a pull request from a branch', pullRequest({ action: 'synchronize' }), {}],
  ])(
    'a run that lacks no secrets is judged like any other: %s',
    async ([_what, made, inputs], { scene: { run } }) => {
      const end = await run({ event: made, inputs: { ...PROMPT, 'api-key': '', ...inputs } })
      expect(end.printed).not.toContain('gives no secrets')
    },
  )

  it('the missing key of a command in a fork is said to be that of a fork', async ({ scene: { run } }) => {
    const { name, payload } = comment()(writer)
    const event = { name, payload: { ...payload, repository: { full_name: 'octocat/docs', fork: true } } }
    const { log } = await run({ event, inputs: { 'api-key': '' } })
    expect(log[0]).toContain(
      'api-key is missing: this repository is a fork, which has no secrets of the original',
    )
  })
})
