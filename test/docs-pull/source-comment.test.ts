import { expect, it } from 'vitest'
import { author, docsLink, J1, startScene } from '../stories/scene.ts'
import { pushOf, pushTo } from '../support/events.ts'
import { addComment, addCommit, addPull, mergePull, person } from '../support/world.ts'

/** A scene, and the source comments on the docs pull request, line by line. */
async function startSources() {
  const scene = await startScene()
  const { comments } = scene.world
  const sources = () =>
    comments.flatMap(({ number, history }) => {
      const text = history.at(-1) ?? ''
      return number === 200 && text.includes('💬') ? [text.split('\n')] : []
    })
  const lines = () => (sources()[0] ?? []).filter((line) => line.startsWith('- '))
  return { ...scene, sources, lines }
}

it('is one comment whose newest 20 lines stay, the newest at the top', async () => {
  const { push, sources, lines } = await startSources()
  for (let runId = 1; runId <= 22; runId++) await push({ ...J1, runId })
  expect(sources()).toHaveLength(1)
  const runs = lines().map((line) => Number(/runs\/(\d+)\)/.exec(line)?.[1]))
  expect(runs).toEqual(Array.from({ length: 20 }, (_, at) => 22 - at))
})

it('gets no line of a re-run, or of a run that only waits', async () => {
  const { step, world, lines } = await startSources()
  const on = pushTo(world, { author, files: ['src/a.ts'] })
  for (const attempt of [1, 2]) await step(on, { ...J1, runId: 9, attempt })
  await step(on, { ...J1, inputs: { 'job-id': 'j1' }, runId: 10 })
  expect(lines()).toHaveLength(1)
})

it('says what a run was about: merged pull requests, else the pull request, commits, issue, or command', async () => {
  const { code, command, step, onPull, world, lines } = await startSources()
  world.issues.add(9)
  await onPull(code, J1)
  const before = world.branches.get('main') ?? ''
  for (let number = 301; number <= 306; number++)
    mergePull(
      world,
      addPull(world, { number, title: `Change @ada #${number}`, files: ['src/b.ts'] }),
    )
  await step(pushOf(world, before), J1)
  await step(pushTo(world, { author, message: 'Add **a** flag', files: ['src/a.ts'] }), J1)
  addCommit(world, { files: ['src/c.ts'] })
  await command('/docs Say why.', 200, J1)
  const [ofCommand = '', ofCommit = '', ofMerged = '', ofPull = ''] = lines()
  expect(ofCommand).toMatch(/\[command\]\(.*\) by \*\*octocat\*\*: Say why\./)
  expect(ofCommit).toMatch(/commit\/[0-9a-f]{40}\) by \*\*octocat\*\*/)
  expect(ofMerged.match(/https:\/\/github\.com\/acme\/docs\/pull\/\d+ /g)).toHaveLength(5)
  expect(ofMerged).toContain('and 1 more')
  expect(ofMerged).not.toMatch(/[^`\u200b]@ada|[^\u200b]#30\d/)
  expect(ofPull).toContain('https://github.com/acme/docs/pull/77 ')
})

it('ends with how to ask for changes if a command can work there', async () => {
  for (const [isHeard, more] of [
    [true, {}],
    [false, { command: '' }],
    [false, { 'follow-up': 'false' }],
  ] as const) {
    const { push, inputs, sources } = await startSources()
    await push({ ...J1, inputs: { ...inputs, ...more } })
    expect(sources()[0]?.join().includes('/docs …')).toBe(isHeard)
  }
})

it('is never a comment of someone else, whatever that says', async () => {
  const { push, world, sources } = await startSources()
  await push(J1)
  const [own] = world.comments
  const body = own?.history.at(-1) ?? ''
  world.comments.splice(0)
  addComment(world, { kind: 'main', number: 200, author: person('mallory', 9), body })
  await push(J1)
  expect(sources()).toHaveLength(2)
  expect(world.comments[0]?.history).toEqual([body])
})

it('is found among hundreds of comments', async () => {
  const { push, world, sources, lines } = await startSources()
  await push(J1)
  for (let count = 0; count < 120; count++)
    addComment(world, { kind: 'main', number: 200, author, body: `Comment ${count}` })
  await push(J1)
  expect([sources().length, lines().length]).toEqual([1, 2])
})

it('that cannot be written is a line in the log alone', async () => {
  const { push, github } = await startSources()
  github.faults.push({ match: /^POST \/issues\/200\/comments/, end: '403' })
  const { hasFailed, outputs, titles, summary } = await push(J1)
  expect([hasFailed, outputs['pr-link'], titles.length]).toEqual([false, docsLink(200), 1])
  expect(summary.split('\n')[0]).toContain('✅')
})
