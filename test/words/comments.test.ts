import { describe, expect, it } from 'vitest'
import { author, eventOf, J1, type Scene, startScene } from '../stories/scene.ts'
import { commentIn, event } from '../support/events.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive } from '../support/rendered.ts'
import type { Replies } from '../support/scripted-service.ts'
import { addComment, person } from '../support/world.ts'

/** What the action wrote on a thread: each comment with all that it ever said. */
function repliesIn({ world }: Scene, number = 77): string[][] {
  const own = world.comments.filter((one) => one.author.id === world.viewer.id)
  return own.flatMap((one) => (one.number === number ? [one.history] : []))
}

/** The request of a context, as it was sent. */
function promptOf({ bodies }: { readonly bodies: readonly unknown[] }): string {
  return JSON.stringify(bodies[0] ?? '')
}

describe('a command', () => {
  it('gets eyes, and one reply that is edited to its end', async () => {
    const scene = await startScene()
    const end = await scene.command('/docs explain the new flag', 77, J1)
    const [replies = [], ...others] = repliesIn(scene)
    const signs = replies.map((text) => [...(text.split('\n')[1] ?? '')][0])
    expect([signs, others, scene.reactions()]).toEqual([['⏳', '⏳', '✅'], [], ['eyes']])
    for (const text of replies) expect(text).toContain('**octocat** asked: explain the new flag')
    expect(replies.at(-1)).toContain('https://github.com/acme/docs/pull/200')
    expect(end.post.requests).toEqual([])
  })

  it.each<{ what: string; replies: Replies; says: RegExp }>([
    {
      what: 'no pull request',
      replies: { get: ['completed'] },
      says: /`\/docs …`.*`\/docs new …`/,
    },
    {
      what: 'a failed job',
      replies: { get: ['failed'] },
      says: /again with a new job.*`\/docs …`/,
    },
    { what: 'no credits', replies: { post: [{ status: 402 }] }, says: /credits/ },
  ])('with $what is told what to do next', async ({ replies, says }) => {
    const scene = await startScene()
    await scene.command('/docs Explain.', 77, { replies })
    expect(repliesIn(scene)[0]?.at(-1)).toMatch(says)
  })

  it.each([
    { where: 'on an issue', number: 9, kind: 'main', onIssue: true },
    { where: 'on a line', number: 77, kind: 'review', onIssue: false },
  ] as const)('$where is answered and reacted to there', async ({ number, kind, onIssue }) => {
    const scene = await startScene()
    scene.world.issues.add(9)
    const on = commentIn(scene.world, { kind, number, onIssue, author, body: '/docs Do.' })
    await scene.step(on, { ...J1, inputs: {} })
    expect(scene.reactions()).toEqual(['eyes'])
    const [reply] = scene.world.comments.filter((one) => one.author.id === scene.world.viewer.id)
    const rootId = kind === 'review' ? scene.world.comments[0]?.id : undefined
    expect([reply?.kind, reply?.number, reply?.rootId]).toEqual([kind, number, rootId])
  })

  it('in a thread on a line is answered in that thread, and gets the comments of it alone', async () => {
    const scene = await startScene()
    const insider = {
      kind: 'review',
      number: 77,
      author: person('ada'),
      association: 'MEMBER',
    } as const
    const { id: rootId } = addComment(scene.world, { ...insider, body: 'The first.' })
    addComment(scene.world, { ...insider, body: 'Another thread.' })
    const on = commentIn(scene.world, {
      kind: 'review',
      number: 77,
      rootId,
      author,
      body: '/docs Do.',
    })
    const end = await scene.step(on, { ...J1, inputs: {} })
    expect(repliesIn(scene)).toHaveLength(1)
    expect(scene.world.comments.at(3)?.rootId).toBe(rootId)
    const prompt = promptOf(end)
    expect([prompt.includes('The first.'), prompt.includes('Another')]).toEqual([true, false])
  })

  it.each([
    { what: 'that the token may not answer', number: 77, scope: 'pull-requests: write' },
    { what: 'on an issue that it may not answer', number: 9, scope: 'issues: write' },
  ])('$what starts its job all the same, with one notice', async ({ number, scope }) => {
    const { step, world } = await startScene()
    world.issues.add(9)
    for (const one of ['issues: write', 'pull-requests: write']) world.scopes.delete(one)
    for (const one of ['issues: read', 'pull-requests: read']) world.scopes.add(one)
    const onIssue = number === 9
    const on = commentIn(world, { number, onIssue, author, body: '/docs Do.' })
    const { started, titles, post, hasFailed } = await step(on, { ...J1, inputs: {} })
    expect([started, hasFailed]).toEqual([['create'], false])
    const notices = [...titles, ...post.titles].filter((title) => title.includes('permission'))
    expect(notices).toEqual([expect.stringContaining(scope)])
  })

  it.each([{ comment: 'never' }, { 'dry-run': 'true' }])('with %j writes nothing', async (more) => {
    const { command, world } = await startScene()
    const { requests } = await command('/docs Explain.', 77, { ...J1, inputs: more })
    const writes = requests.filter((line) => !/^GET |graphql|\/statuses\//.test(line))
    expect([writes, world.comments.length]).toEqual([[], 1])
    if ('dry-run' in more) expect(world.statuses).toEqual([])
  })

  it('is answered on a GitHub Enterprise Server, and the next one continues its job', async () => {
    const { command } = await startScene({ apiRoot: '/api/v3' })
    const ends = [await command('/docs A.', 77, J1), await command('/docs B.', 77, J1)]
    expect(ends.map(({ started }) => started)).toEqual([['create'], ['message to j1']])
    expect(ends.map(({ outputs }) => outputs['result'])).toEqual(Array(2).fill('pull-request'))
  })
})

describe('the comments before a command', () => {
  const insider = { author: person('ada', 1), number: 77, kind: 'main' } as const

  it('are those that owners, members, and collaborators wrote, without hidden ones', async () => {
    const { command, world } = await startScene()
    for (const association of ['OWNER', 'MEMBER', 'COLLABORATOR', 'CONTRIBUTOR', 'NONE'])
      addComment(world, { ...insider, association, body: `Words of ${association}.` })
    const hidden = addComment(world, { ...insider, association: 'OWNER', body: 'Words hidden.' })
    hidden.isHidden = true
    const end = await command('/docs Explain.', 77, J1)
    const words = promptOf(end).match(/(?<=Words of )\w+/g)
    expect([words, promptOf(end).includes('hidden')]).toEqual([
      ['OWNER', 'MEMBER', 'COLLABORATOR'],
      false,
    ])
    expect(end.log.join()).not.toContain('Words of')
  })

  it('are in the next message those since the last one', async () => {
    const { command, world } = await startScene()
    const say = (body: string) => addComment(world, { ...insider, association: 'MEMBER', body })
    say('Before the first.')
    await command('/docs Explain.', 77, J1)
    say('Before the second.')
    const prompt = promptOf(await command('/docs More.', 77, J1))
    expect([prompt.includes('the first'), prompt.includes('the second')]).toEqual([false, true])
  })
})

describe('with `comment: always`', () => {
  const ALWAYS = { comment: 'always' }

  it('one comment for each pull request and step is edited in place', async () => {
    const scene = await startScene()
    const { code, onPull, inputs } = scene
    const given = { inputs: { ...inputs, ...ALWAYS }, ...J1 }
    await onPull(code, given)
    const target = { ...eventOf(code, 'labeled'), name: 'pull_request_target' }
    await scene.step(target, {
      ...given,
      replies: { get: ['failed'] },
      inputs: { ...given.inputs, 'follow-up': 'false' },
    })
    expect(repliesIn(scene)).toHaveLength(1)
    expect(repliesIn(scene)[0]?.length).toBeGreaterThanOrEqual(3)
    await onPull(code, { ...given, env: { GITHUB_JOB: 'other' } })
    expect(repliesIn(scene)).toHaveLength(2)
  })

  it('a comment of someone else with the same text is not edited', async () => {
    const scene = await startScene()
    const given = { inputs: { ...scene.inputs, ...ALWAYS, 'follow-up': 'false' }, ...J1 }
    await scene.onPull(scene.code, given)
    const at = scene.world.comments.findIndex(({ number }) => number === 77)
    const [own] = scene.world.comments.splice(at, 1)
    const body = own?.history.at(-1) ?? ''
    addComment(scene.world, { kind: 'main', number: 77, author: person('mallory', 9), body })
    scene.world.statuses.splice(0)
    await scene.onPull(scene.code, given)
    const [theirs] = scene.world.comments.filter((one) => one.author.login === 'mallory')
    expect([theirs?.history, repliesIn(scene).length]).toEqual([[body], 1])
  })

  it('a run on another event, and one with `auto`, writes none', async () => {
    const scene = await startScene()
    const { code, inputs, onPull, step } = scene
    await onPull(code, { inputs, ...J1 })
    const review = event('pull_request_review', { pull_request: { number: 77 }, sender: author })
    await step(review, { inputs: { ...inputs, ...ALWAYS, command: '' }, ...J1 })
    expect(repliesIn(scene)).toEqual([])
  })
})

it.each(HOSTILE_TEXTS)('text from outside is inert in comments: %j', async (text) => {
  const { command, inputs, world } = await startScene()
  const shown = { id: text, status: 'completed', prLink: 'https://github.com/acme/docs/pull/200' }
  const replies = { post: [{ body: { id: text } }], get: [{ body: shown }] }
  const given = { ...inputs, matrix: text }
  await command(`/docs ${text} mint_0123456789`, 77, { inputs: given, replies })
  const bodies = world.comments.slice(1).flatMap(({ history }) => history)
  expect(bodies.length).toBeGreaterThan(1)
  expect(bodies.join()).not.toContain('mint_0123456789')
  for (const body of bodies) {
    const written = body.replace(/^<!-- docs-agent \S+ -->\n/, '')
    const { html, mentions, images } = alive(written)
    expect(written).not.toMatch(/^\s*\/docs/)
    expect([html.filter((tag) => !/^<\/?code>/.test(tag)), mentions, images]).toEqual([[], [], []])
  }
})
