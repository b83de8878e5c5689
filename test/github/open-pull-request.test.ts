import { describe, expect, it } from 'vitest'
import { type Event, issueComment, otherEvent, person, pullRequest, push } from './events.ts'
import { type Scene, sceneStarter, writtenComment } from './scene.ts'
import { ACTIONS, addComment } from './world.ts'

const newScene = sceneStarter()
const inputs = { prompt: 'Document it.', context: 'none' }
const WORKFLOW_REF = 'acme/docs/.github/workflows/docs.yml@refs/heads/main'

const pushed = push({ ref: 'refs/heads/main', created: false, commits: [], head_commit: null })

type Change = {
  readonly event?: Event
  readonly runId?: number
  readonly attempt?: number
  readonly inputs?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
}

function run(scene: Scene, { event = pushed, runId = 1001, attempt = 1, ...change }: Change = {}) {
  return scene.run({
    event,
    inputs: { ...inputs, ...change.inputs },
    env: {
      GITHUB_SHA: '0123456789abcdef',
      GITHUB_WORKFLOW_REF: WORKFLOW_REF,
      GITHUB_RUN_ID: `${runId}`,
      GITHUB_RUN_ATTEMPT: `${attempt}`,
      ...change.env,
    },
  })
}

/** octocat, who may, writes a comment on a pull request. */
function command(scene: Scene, body: string, change: Change & { readonly number?: number } = {}) {
  const { number = 1 } = change
  scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
  const author = person('octocat')
  const { id } = writtenComment(scene.world, { author, body, number })
  return run(scene, { ...change, event: issueComment({ id, body, author, number }) })
}

/** The announcement on the agent's first pull request, as it is now. */
function announcement({ world }: Scene): string[] {
  const found = world.comments.filter((one) => one.history[0]?.includes('💬') && one.number === 1)
  expect(found).toHaveLength(1)
  return found[0]?.history.at(-1)?.split('\n').slice(1).join('\n').split('\n\n') ?? []
}

const named = (name: string): Event => ({ name, payload: {} })

describe("a run while the step's pull request is open", () => {
  it('goes on with its job on a push, a schedule, a dispatch and a release, found in one request', async () => {
    const scene = await newScene()
    await run(scene)
    const events = [
      pushed,
      named('schedule'),
      named('workflow_dispatch'),
      named('repository_dispatch'),
      otherEvent('release'),
    ]
    const sent: string[] = []
    for (const [index, event] of events.entries()) {
      const before = scene.github.requests.length
      const prompt = `Document the ${event.name}.`
      const further = await run(scene, { event, runId: 1002 + index, inputs: { prompt } })
      expect(further.outputs, event.name).toMatchObject({ result: 'pull-request', 'pr-number': '1' })
      sent.push(prompt)
      expect(scene.docs.jobs, event.name).toMatchObject([{ prompt: 'Document it.', messages: sent }])
      const requests = scene.github.requests.slice(before)
      expect(requests.slice(0, 2), event.name).toEqual(['POST /graphql', expect.any(String)])
      expect(requests[1], event.name).not.toBe('POST /graphql')
    }
  })

  const OWN_JOB: readonly (readonly [string, Change])[] = [
    ['on a pull request', { event: pullRequest() }],
    ['with `follow-up: false`', { inputs: { 'follow-up': 'false' } }],
    ['with `comment: never`', { inputs: { comment: 'never' } }],
    [
      'of another workflow file',
      { env: { GITHUB_WORKFLOW_REF: WORKFLOW_REF.replace('docs.yml', 'other.yml') } },
    ],
    ['of another job', { env: { GITHUB_JOB: 'other' } }],
    ['of another step', { env: { GITHUB_ACTION: 'other' } }],
    ['for another project', { inputs: { 'project-id': 'other' } }],
  ]

  it('starts a job of its own on other events, with other settings, and for another step', async () => {
    const scene = await newScene({ projects: ['docs', 'other'] })
    await run(scene)
    for (const [index, [what, change]] of OWN_JOB.entries()) {
      await run(scene, { runId: 1002 + index, ...change })
      expect(scene.docs.jobs, what).toHaveLength(2 + index)
    }
    expect(scene.docs.jobs.flatMap(({ messages }) => messages)).toEqual([])
  })

  it.each(['merge', 'close'])('starts a job of its own after its %s', async (end) => {
    const scene = await newScene()
    await run(scene)
    if (end === 'merge') await scene.docs.mergePull(1)
    else scene.docs.closePull(1)
    await run(scene, { runId: 1002 })
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }, { messages: [] }])
    await run(scene, { runId: 1003 })
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }, { messages: ['Document it.'] }])
  })

  it('goes on with it after the workflow was given another name', async () => {
    const scene = await newScene()
    await run(scene)
    await run(scene, { runId: 1002, env: { GITHUB_WORKFLOW: 'Better docs' } })
    expect(scene.docs.jobs).toMatchObject([{ messages: ['Document it.'] }])
  })

  it('goes on with the newest of several', async () => {
    const scene = await newScene()
    await run(scene)
    await run(scene, { runId: 1002, inputs: { 'follow-up': 'false' } })
    await run(scene, { runId: 1003 })
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }, { messages: ['Document it.'] }])
  })

  it('says in a dry run what it would do', async () => {
    const scene = await newScene()
    await run(scene)
    const before = scene.github.requests.length
    const dry = await run(scene, { runId: 1002, inputs: { 'dry-run': 'true' } })
    expect(dry.log).toContain("this run would send this message to the conversation's earlier job")
    expect(scene.github.requests.slice(before)).toEqual(['POST /graphql'])
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }])
  })

  it('is not led astray by an announcement that somebody copied', async () => {
    const scene = await newScene()
    await run(scene)
    const copied = scene.world.comments[0]?.history.at(-1) ?? ''
    scene.world.pulls.set(9, { state: 'open' })
    await scene.docs.mergePull(1)
    addComment(scene.world, { kind: 'main', number: 9, author: ACTIONS, body: copied })
    addComment(scene.world, { kind: 'main', number: 9, author: person('mallory', 666), body: copied })
    await run(scene, { runId: 1002 })
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }, { messages: [] }])
  })

  it('starts a new job where the open pull requests can not be listed, with a notice', async () => {
    const scene = await newScene()
    await run(scene)
    scene.world.scopes.clear()
    const second = await run(scene, { runId: 1002 })
    expect(second.outputs['result']).toBe('pull-request')
    expect(scene.docs.jobs).toHaveLength(2)
    expect(second.log).toMatch(
      /::notice [^:]*::GitHub could not be asked to list the open pull requests: .*`pull-requests: read`.* starts a new job\./,
    )
    expect(second.log).not.toContain('::warning')
  })

  it('says what it costs where the token may not comment', async () => {
    const scene = await newScene()
    scene.world.scopes.delete('issues: write')
    scene.world.scopes.delete('pull-requests: write')
    scene.world.scopes.add('pull-requests: read')
    const first = await run(scene)
    expect(first.exitCode).toBe(0)
    expect(first.log).toMatch(
      /::notice [^:]*::GitHub could not be asked to write a comment: .*`pull-requests: write`.*it opens another one\./,
    )
    await run(scene, { runId: 1002 })
    expect(scene.docs.jobs).toHaveLength(2)
  })
})

describe("an announcement on the agent's pull request", () => {
  it('says what it came from and how to go on, and later how often it was asked and for what', async () => {
    const scene = await newScene()
    await run(scene)
    const commit = `[commit 0123456](${scene.docs.url}/acme/docs/commit/0123456789abcdef)`
    const first = `💬 The docs agent opened this pull request for a push by **octocat**: ${commit}.`
    const goOn = 'To have it changed, comment `/docs …` here, such as `/docs shorter, and add an example`.'
    expect(announcement(scene)).toEqual([first, goOn])
    await run(scene, { runId: 1002, event: named('schedule') })
    const runUrl = `${scene.docs.url}/acme/docs/actions/runs/1002`
    expect(announcement(scene)).toEqual([
      first,
      `It has been asked 2 times by now; the last time for [a workflow run](${runUrl}) (\`schedule\`).`,
      goOn,
    ])
    const commented = await command(scene, '/docs shorter', { runId: 1003, env: { GITHUB_JOB: 'commands' } })
    expect(commented.outputs['result']).toBe('pull-request')
    expect(announcement(scene)[1]).toBe(
      'It has been asked 3 times by now; the last time for [a comment](https://github.com/acme/docs/pull/1#issuecomment-5002) by **octocat**: shorter',
    )
    // It is still that of the step that wrote it first.
    await run(scene, { runId: 1004 })
    expect(scene.docs.jobs).toMatchObject([{ messages: ['Document it.', 'shorter', 'Document it.'] }])
    expect(announcement(scene)[1]).toMatch(/^It has been asked 4 times by now; the last time for a push/)
  })

  it.each([{ command: '' }, { 'follow-up': 'false' }])(
    'says what it came from, but not how to go on, where nothing does: %j',
    async (change) => {
      const scene = await newScene()
      await run(scene, { inputs: change })
      expect(announcement(scene)).toEqual([expect.stringContaining('for a push by **octocat**')])
    },
  )

  it('does not count a further attempt, which reports the job of the first again', async () => {
    const scene = await newScene()
    await run(scene)
    const again = await run(scene, { attempt: 2 })
    expect(again.outputs['result']).toBe('pull-request')
    expect(again.log).not.toContain('This is attempt 2')
    expect(scene.docs.jobs).toMatchObject([{ messages: [] }])
    expect(announcement(scene)).toHaveLength(2)
  })

  it('is the only output of a run that writes nothing else', async () => {
    const scene = await newScene()
    const first = await run(scene)
    expect(first.outputs).toMatchObject({
      'comment-id': '5001',
      'comment-url': 'https://github.com/acme/docs/pull/1#issuecomment-5001',
    })
  })

  it('is not written on a pull request of another repository, with `never`, or in a dry run', async () => {
    const scene = await newScene()
    await run(scene, { inputs: { comment: 'never' } })
    await run(scene, { inputs: { 'dry-run': 'true' } })
    await run(scene, { env: { GITHUB_SERVER_URL: 'https://github.com' } })
    expect(scene.world.comments).toEqual([])
  })
})

describe('a further attempt', () => {
  it('of a run that wrote nothing says that the first may have started a job', async () => {
    const scene = await newScene()
    const again = await run(scene, { attempt: 2, inputs: { prompt: 'Document it. [agent: no-change]' } })
    expect(again.log).toMatch(
      /::notice [^:]*::This is attempt 2 of the run\. An earlier attempt may have started a job/,
    )
  })
})
