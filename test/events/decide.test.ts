import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { mayAsk } from '../../src/events/authorize.ts'
import { decide, readTrigger } from '../../src/events/decide.ts'
import { eventRow, readEvent } from '../../src/events/event-table.ts'
import { ownAuthors } from '../../src/events/loop-guard.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { sceneStarter } from '../support/decisions.ts'
import { bareEvent, bot, type Event, person, pushBy, pushOf } from '../support/events.ts'
import { AFTER, addCommit, BEFORE } from '../support/world.ts'

const it = test.extend('scene', sceneStarter())
const PROMPT = { prompt: 'Document it.' }

describe('a cancelled run', () => {
  it('asks for no pull requests once it is cancelled', async ({ scene }) => {
    const start = { event: pushBy('octocat'), inputs: PROMPT, cancel: AbortSignal.abort() }
    expect(await scene.decide(start)).toMatchObject({ isCancelled: true, requests: [] })
  })

  it('that is cancelled while it asks for pull requests does not go on', async ({ scene }) => {
    const cancel = new AbortController()
    const start = { event: pushBy('octocat'), inputs: PROMPT, cancel: cancel.signal }
    const { run, trigger } = scene.newRun(start)
    if ('kind' in trigger) throw new Error(trigger.reason)
    const send = run.github.graphql.bind(run.github)
    vi.spyOn(run.github, 'graphql').mockImplementation((query, variables) => {
      cancel.abort()
      return send(query, variables)
    })
    expect(await decide(trigger, run)).toEqual({ kind: 'cancelled' })
  })
})

describe('the payload of an event', () => {
  const folder = mkdtempSync(join(tmpdir(), 'payload-'))

  it.for([
    ['{"action":"opened"}', { payload: { action: 'opened' } }],
    ['\uFEFF{"action":"opened"}', { payload: { action: 'opened' } }],
    ['', { payloadProblem: 'the file contains no JSON object' }],
    ['{"action":', { payloadProblem: 'the file contains no JSON object' }],
    ['[]', { payloadProblem: 'the file contains no JSON object' }],
  ] as const)('is read from a file that contains %j: %j', ([text, event]) => {
    const path = join(folder, 'event.json')
    writeFileSync(path, text)
    const read = readEvent(readEnvironment({ GITHUB_EVENT_NAME: 'issues', GITHUB_EVENT_PATH: path }))
    expect(read).toEqual({ name: 'issues', row: eventRow('issues'), payload: {}, ...event })
  })

  it.for<[string | undefined, string | undefined, RegExp]>([
    ['push', folder, /^EISDIR/],
    ['push', join(folder, 'missing.json'), /^ENOENT/],
    ['push', undefined, /^it is not set$/],
    [undefined, undefined, /^undefined$/],
  ])('of %j can not be read from %j: %s', ([name, path, problem]) => {
    const { payloadProblem, payload } = readEvent(
      readEnvironment({ GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: path }),
    )
    expect(String(payloadProblem)).toMatch(problem)
    expect(payload).toEqual({})
  })

  it.for([
    ['push', 'trigger'],
    ['schedule', 'trigger'],
    ['issue_comment', 'skip'],
    ['pull_request', 'skip'],
    ['workflow_run', 'skip'],
    ['watch', 'skip'],
  ])('that can not be read on %s: %s', ([name = '', kind], { scene }) => {
    const { run } = scene.newRun({ event: bareEvent('push'), inputs: { ...PROMPT, command: '' } })
    const event = { name, row: eventRow(name), payload: {}, payloadProblem: 'no JSON' }
    const asked = readTrigger(event, run.inputs, run.environment)
    const reason = "Skipped: the event's payload could not be read, so it is not known who caused it."
    expect(asked).toMatchObject(kind === 'skip' ? { kind, reason, level: 'notice' } : { kind })
  })
})

describe('the merged pull requests of a push', () => {
  const ASKED = ['POST /graphql MergedPulls']
  const push = (change: object): Event => {
    const { name, payload } = pushBy('octocat')
    return { name, payload: { ...payload, ...change } }
  }
  const none = { ...PROMPT, context: 'none' }
  const tag = { ref: 'refs/tags/v1', created: true }

  it.for<[string, Event, Readonly<Record<string, string>>, string[]]>([
    ['for the loop guard', push({}), none, ASKED],
    ['for the context', push({}), { ...PROMPT, 'ignore-authors': '' }, ASKED],
    ['for the context of a tag', push(tag), PROMPT, ASKED],
    ['for the report alone, to guard it', push({}), { 'visitors-summary': 'true' }, ASKED],
    ['not for a tag without context', push(tag), none, []],
    ['not for commits without a SHA', push({ commits: [{ id: '") { x', message: 'x (#1)' }] }), PROMPT, []],
    ['not on a schedule', bareEvent('schedule'), PROMPT, []],
  ])('are asked for in one request %s', async ([_what, event, inputs, requests], { scene }) => {
    expect(await scene.decide({ event, inputs })).toMatchObject({ result: 'goes on', requests })
  })

  it('are those of its 20 newest commits', async ({ scene }) => {
    const shas = Array.from({ length: 25 }, () => addCommit(scene.world).sha)
    const { mergedPulls } = await scene.decide({ event: pushOf(scene.world, BEFORE), inputs: PROMPT })
    expect(new Set(mergedPulls?.keys())).toEqual(new Set(shas.slice(-20)))
  })

  const BROKEN = { broken: 'associatedPullRequests' }
  const PULLS = "Failed to read the commits' pull requests: GitHub returned"
  const FORBIDDEN = `${PULLS} "Resource not accessible by integration". The job's \`github-token\` needs the permission \`pull-requests: read\` for this.`
  const LACKS = 'The agent is not told which pull requests the commits came in.'
  const GUARD = "A commit of unknown origin counts as a person's (`ignore-authors`)."
  const unguarded = { ...PROMPT, 'ignore-authors': '' }
  it.for([
    ['502', PROMPT, `warning: ${PULLS} 502 ("Server Error"). ${GUARD} ${LACKS}`],
    ['502', unguarded, `warning: ${PULLS} 502 ("Server Error"). ${LACKS}`],
    ['scope', PROMPT, `warning: ${FORBIDDEN} ${GUARD} ${LACKS}`],
    ['scope', unguarded, `notice: ${FORBIDDEN} ${LACKS}`],
    ['no contents', none, `warning: ${FORBIDDEN.replace('pull-requests', 'contents')} ${GUARD}`],
    ['partial', none, `warning: ${PULLS} "Something went wrong while executing your query.". ${GUARD}`],
  ] as const)('that can not be read (%s, %j) are said', async ([fault, inputs, line], { scene }) => {
    if (fault === 'scope') scene.world.scopes.delete('pull-requests: write')
    else if (fault === 'no contents') scene.world.scopes.delete('contents: read')
    else scene.github.faults.push({ match: /graphql/, end: fault === 'partial' ? BROKEN : fault })
    const decision = await scene.decide({ event: pushBy('octocat'), inputs })
    expect(decision).toMatchObject({ result: 'goes on', logged: [line] })
  })
})

it('an account may ask as the inputs say, without a line in the log', async ({ scene }) => {
  const { world, newRun, logged, github } = scene
  world.roles.set('reader', { permission: 'read', role_name: 'read' })
  world.roles.set('writer', { permission: 'write', role_name: 'write' })
  const { run } = newRun({ event: bareEvent('push'), inputs: { 'allow-bots': 'renovate[bot]' } })
  const accounts = [person('writer'), person('reader'), person('stranger'), bot('renovate[bot]'), null]
  const answers = []
  for (const account of accounts) answers.push(await mayAsk(account, run))
  expect(answers).toEqual([true, false, false, true, false].map((value) => ({ known: true, value })))
  github.faults.push({ match: /permission$/, end: '502' })
  expect(await mayAsk(person('writer'), run)).toMatchObject({ known: false })
  expect(logged()).toEqual([])
})

it.for<[string, object[], string[] | undefined]>([
  ['no commits', [], undefined],
  [
    'a login and an address',
    [{ login: 'Mintlify' }, { email: '1+other[bot]@users.noreply.github.com' }],
    ['mintlify[bot]', 'other'],
  ],
  ['a person beside the agent', [{ login: 'mintlify' }, { login: 'octocat' }], undefined],
  [
    "a person's commit in the agent's merged pull request",
    [{ sha: AFTER, login: 'octocat' }],
    ['mintlify[bot]'],
  ],
])('of %s the own authors are told', ([_what, commits, authors], { scene }) => {
  const inputs = { 'ignore-authors': 'mintlify[bot], other' }
  const { run } = scene.newRun({ event: bareEvent('schedule'), inputs })
  const pull = { number: 7, url: '', author: 'mintlify', title: '', labels: [], body: '' }
  const origins = commits.map((one) => ({ sha: '', message: '', login: null, email: null, ...one }))
  expect(ownAuthors(origins, new Map([[AFTER, [pull]]]), run.inputs)).toEqual(authors)
})
