import { describe, expect, it } from 'vitest'
import { commentIn, docsReview, type Event } from '../support/events.ts'
import { octocat as author } from '../support/scene.ts'
import { addReview, type World } from '../support/world.ts'
import { comment, PREVIEW, PULL, runWorkflow } from './run-workflow.ts'

describe.concurrent('docs-command', () => {
  it.each([
    ['a command', ''],
    ['a command below a quote', '> Should this be documented?\r\n\r\n'],
    ['a command after a comment in HTML', '<!-- from a template -->'],
  ])('answers %s and has it done', async (_case, before) => {
    const event = comment(`${before}/DOCS Explain the new pets call.`)
    const run = await runWorkflow('docs-command', { event })
    expect(run.outputs).toMatchObject([{ result: 'pull-request', 'pr-link': PULL }])
    expect(run.prompts[0]).toMatch(/^Explain the new pets call\./)
    const { requests } = run.github
    const asked = requests.indexOf('GET /collaborators/octocat/permission')
    expect(asked).toBeGreaterThanOrEqual(0)
    expect(requests.findIndex((line) => line.endsWith('/reactions eyes'))).toBeGreaterThan(asked)
    expect(run.reactions).toEqual(['eyes'])
    const answers = run.world.comments.filter(
      ({ number, author: { login } }) => number === 5 && login !== 'octocat',
    )
    expect(answers.map(({ history }) => history.at(-1))).toEqual([expect.stringContaining(PREVIEW)])
  })

  it('answers a command on a line of a pull request in its thread', async () => {
    const event = (world: World) =>
      commentIn(world, { kind: 'review', author, body: '/docs Explain this.' })
    const run = await runWorkflow('docs-command', { event })
    expect(run.results).toEqual(['pull-request'])
    const replies = run.github.requests.filter((line) =>
      /^POST \/pulls\/5\/comments\/\d+\/replies$/.test(line),
    )
    expect(replies).toHaveLength(1)
  })

  it('hears a review that requests changes, and skips one of a pull request that is not its own', async () => {
    const event = (world: World) =>
      docsReview(addReview(world, { number: 5, author, body: 'Why?' }))
    const run = await runWorkflow('docs-command', { event })
    expect(run.results).toEqual(['skipped'])
    expect(run.world.comments.filter(({ number }) => number === 5)).toEqual([])
    expect(run.asked.filter((line) => line.startsWith('POST'))).toEqual([])
  })

  it.each<[string, (world: World) => Event, string[]]>([
    [
      'starts no runner for an approval',
      (world) => docsReview(addReview(world, { number: 5, author, state: 'APPROVED' })),
      [],
    ],
    [
      'starts no runner for the command on a later line',
      comment('Write\n/docs and what to do.'),
      [],
    ],
    ['skips a link below a quote', comment('> Where?\n\nhttps://example.com/docs'), ['skipped']],
  ])('%s, and makes no request', async (_case, event, results) => {
    const run = await runWorkflow('docs-command', { event })
    expect(run.results).toEqual(results)
    expect(run.sent).toEqual([])
  })
})
