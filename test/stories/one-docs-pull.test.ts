import { expect, it } from 'vitest'
import { commentIn, docsReview, pushOf } from '../support/events.ts'
import { addComment, addReview, endPull, mergePull, pushToPull } from '../support/world.ts'
import { author, docsLink, eventOf, J1, opening, startScene } from './scene.ts'

it('everything on one pull request goes to one docs pull request, also after its merge', async () => {
  const { code, command, onPull, push, step, world } = await startScene()
  const first = await onPull(code, J1, 'opened')
  expect(first.started).toEqual(['create'])
  const asked = await command('/docs Say why.', 77, J1)
  expect(asked.started).toEqual(['message to j1'])
  const onDocs = await command('/docs Shorter.', 200, J1)
  expect(onDocs.started).toEqual(['message to j1'])
  const before = world.branches.get('main') ?? ''
  mergePull(world, code)
  const merged = await step(pushOf(world, before), J1)
  expect(merged.started).toEqual(['message to j1'])
  const later = await push(J1)
  expect(later.started).toEqual(['message to j1'])
  const afterMerge = await command('/docs And the default.', 77, J1)
  expect(afterMerge.started).toEqual(['message to j1'])
})

it('the job of a command is continued by a run on the pull request, but not by a matrix job', async () => {
  const { code, command, onPull, inputs, step, world } = await startScene()
  await command('/docs Explain.', 77, J1)
  const before = world.branches.get('main') ?? ''
  const matrix = { ...inputs, matrix: '{"lang":"de"}' }
  const ofMatrix = await onPull(code, { inputs: matrix, replies: opening('j2', 201) })
  expect(ofMatrix.started).toEqual(['create'])
  const again = await command('/docs More.', 77, { replies: opening('j2', 201) })
  expect(again.started).toEqual(['message to j2'])
  mergePull(world, code)
  const french = { ...inputs, matrix: '{"lang":"fr"}' }
  const ofBranch = { inputs: french, replies: opening('j3', 201) }
  expect((await step(pushOf(world, before), ofBranch)).started).toEqual(['create'])
})

it('a second step on a pull request shares its job, but not the verdict that nothing is new', async () => {
  const { code, onPull } = await startScene()
  await onPull(code, J1)
  const other = await onPull(code, { env: { GITHUB_ACTION: 'other' }, replies: opening('j1', 200) })
  expect(other.started).toEqual(['message to j1'])
  const same = await onPull(code, J1)
  expect([same.calls, same.outputs['result']]).toEqual([[], 'skipped'])
})

it('commands in two threads of a pull request go on with one job', async () => {
  const { command, step, world } = await startScene()
  await command('/docs Explain.', 77, J1)
  const line = { kind: 'review', number: 77, author, body: '/docs This line.' } as const
  const inReview = await step(commentIn(world, line), { inputs: {}, replies: opening('j1', 200) })
  expect(inReview.started).toEqual(['message to j1'])
})

it('`/docs new` and a closed docs pull request lead to a new job that names the one before', async () => {
  const { command, push, world } = await startScene()
  await command('/docs Explain.', 77, J1)
  const fresh = await command('/docs new Other.', 77, { replies: opening('j2', 201) })
  expect(fresh.started).toEqual(['create'])
  await push({ replies: opening('j3', 200) })
  const docs = world.pulls.get(200)
  if (docs) endPull(world, docs)
  const next = await push({ replies: opening('j4', 201) })
  expect(next.started).toEqual(['create'])
  expect(JSON.stringify(next.bodies[0])).toContain(`${docsLink(200)} (closed)`)
})

it('a command on a docs pull request brings the open review comments', async () => {
  const { command, push, step, world } = await startScene()
  await push(J1)
  const comments = [
    { body: 'Name the default.', path: 'docs/flag.mdx', startLine: 10, line: 12 },
    { body: 'This is resolved.', path: 'docs/flag.mdx', line: 3 },
  ]
  const made = addReview(world, { number: 200, author, body: '/docs', comments })
  const [open, resolved] = world.comments.filter(({ reviewId }) => reviewId === made.id)
  Object.assign(open ?? {}, { association: 'MEMBER' })
  Object.assign(resolved ?? {}, { isResolved: true, association: 'MEMBER' })
  const review = await step(docsReview(made), { inputs: {}, replies: opening('j1', 200) })
  expect(review.started).toEqual(['message to j1'])
  const [{ prompt } = { prompt: '' }] = review.bodies as { prompt: string }[]
  expect(prompt).toContain('docs/flag.mdx, lines 10 to 12')
  expect(prompt).toContain('Name the default.')
  expect(prompt).not.toContain('This is resolved.')
  addComment(world, {
    kind: 'main',
    number: 200,
    author,
    association: 'MEMBER',
    body: 'By the way.',
  })
  const plain = await command('/docs', 200, {
    inputs: { context: 'none' },
    replies: opening('j1', 200),
  })
  const [{ prompt: ofPlain } = { prompt: '' }] = plain.bodies as { prompt: string }[]
  expect(ofPlain).toContain('Name the default.')
  expect(ofPlain).not.toContain('By the way.')
})

it('"Update branch" and a rebase of a pull request are nothing new; another line is', async () => {
  const { code, onPull, world } = await startScene()
  const patch = '@@ -1,2 +1,3 @@\n a\n+b\n c'
  code.files = [
    { filename: 'src/flag.ts', status: 'modified', additions: 1, patch, sha: 'e'.repeat(40) },
  ]
  await onPull(code, J1)
  pushToPull(world, code, { message: "Merge branch 'main'" })
  code.files = [
    {
      filename: 'src/flag.ts',
      status: 'modified',
      additions: 1,
      patch: '@@ -9,2 +9,3 @@\n x\n+b\n y',
    },
  ]
  const updated = await onPull(code)
  expect([updated.calls, updated.outputs['result']]).toEqual([[], 'skipped'])
  pushToPull(world, code, { message: 'Add another' })
  code.files = [
    {
      filename: 'src/flag.ts',
      status: 'modified',
      additions: 2,
      patch: '@@ -9,2 +9,4 @@\n x\n+b\n+d\n y',
    },
  ]
  expect((await onPull(code, J1)).started).toEqual(['message to j1'])
})

it('a pull request whose docs pull request a person closed gets no other one, but for a command', async () => {
  const { code, command, onPull, step, world } = await startScene()
  await onPull(code, J1)
  const docs = world.pulls.get(200)
  if (docs) endPull(world, docs)
  pushToPull(world, code)
  code.files = [{ filename: 'src/other.ts', status: 'modified', patch: '@@ -1 +1 @@\n+z' }]
  const closed = await onPull(code)
  expect([closed.calls, closed.outputs['result']]).toEqual([[], 'skipped'])
  const asked = await command('/docs Try again.', 77, { replies: opening('j2', 201) })
  expect(asked.started).toEqual(['create'])
  mergePull(world, code)
  const merged = await step(eventOf(code, 'closed'), { replies: opening('j2', 201) })
  expect(merged.started).toEqual(['message to j2'])
})

it('a pull request whose docs pull request a bot closed gets another one', async () => {
  const { code, onPull, world } = await startScene()
  await onPull(code, J1)
  const docs = world.pulls.get(200)
  if (docs) endPull(world, Object.assign(docs, { isClosedByBot: true }))
  pushToPull(world, code)
  code.files = [{ filename: 'src/other.ts', status: 'modified', patch: '@@ -1 +1 @@\n+z' }]
  expect((await onPull(code, { replies: opening('j2', 201) })).started).toEqual(['create'])
})

it('a command continues a job that completed without a docs pull request', async () => {
  const { command } = await startScene()
  await command('/docs Explain.', 77, { replies: { get: ['completed'] } })
  const again = await command('/docs More.', 77, { replies: { get: ['completed', 'active'] } })
  expect(again.started).toEqual(['message to j1'])
})

it('a job that opened another docs pull request is not continued by a command on this one', async () => {
  const { command, push } = await startScene()
  await push(J1)
  const { post = [], get = [] } = opening('j2', 200)
  const done = { body: { status: 'completed', prLink: docsLink(201) } }
  const asked = await command('/docs Shorter.', 200, { replies: { post, get: [done, ...get] } })
  expect(asked.started).toEqual(['create'])
})
