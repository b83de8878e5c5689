import { describe, expect, it } from 'vitest'
import { type Event, newIssue, review, reviewComment } from '../support/events.ts'
import { octocat as author, writtenComment } from '../support/scene.ts'
import type { World } from '../support/world.ts'
import { comment, PREVIEW, PULL, runWorkflow } from './run-workflow.ts'

describe.concurrent('docs-command', () => {
  it.each([
    ['a command', '/docs Explain the new pets call.'],
    ['a command in capitals', '/DOCS Explain the new pets call.'],
    ['a command below a quote', '> Should this be documented?\r\n\r\n/docs Explain the new pets call.'],
    ['a command after a comment in HTML', '<!-- from a template -->/docs Explain the new pets call.'],
  ])('answers %s and has it done', async (_case, body) => {
    const run = await runWorkflow('docs-command', { event: comment(body) })
    expect(run.outputs).toMatchObject([{ result: 'pull-request', 'pr-link': PULL }])
    expect(run.prompts[0]).toMatch(/^Explain the new pets call\./)
    const { requests } = run.github
    const asked = requests.indexOf('GET /collaborators/octocat/permission')
    expect(asked).toBeGreaterThanOrEqual(0)
    expect(requests.findIndex((line) => line.endsWith('/reactions eyes'))).toBeGreaterThan(asked)
    expect(run.reactions).toEqual(['rocket'])
    const answer = run.world.comments.find(({ id }) => `${id}` === run.outputs[0]?.['comment-id'])
    expect(answer).toMatchObject({ number: 5 })
    expect(answer?.history.at(-1)).toContain(PREVIEW)
  })

  const body = '/docs Explain this.'
  it.each<[string, (world: World) => Event, RegExp]>([
    [
      'on a line of a pull request',
      (world) =>
        reviewComment({ id: writtenComment(world, { kind: 'review', author, body }).id, body, author }),
      /^POST \/pulls\/5\/comments\/\d+\/replies$/,
    ],
    ['in a review', () => review({ id: 4713, body, author }), /^POST \/issues\/5\/comments$/],
    ['in a new issue', () => newIssue({ body, author, number: 8 }), /^POST \/issues\/8\/comments$/],
  ])('answers a command %s', async (_case, event, reply) => {
    const run = await runWorkflow('docs-command', { event })
    expect(run.outputs).toMatchObject([{ result: 'pull-request' }])
    expect(run.github.requests.filter((line) => reply.test(line))).toHaveLength(1)
  })

  it.each<[string, (world: World) => Event, string[]]>([
    ['starts no runner for a comment', comment('Looks good to me.'), []],
    ['starts no runner for a review without text', () => review({ id: 4713, body: null, author }), []],
    ['starts no runner for a link', comment('See https://example.com/docs'), []],
    ['starts no runner for the command on a later line', comment('Write\n/docs and what to do.'), []],
    ['skips a link below a quote', comment('> Where?\n\nhttps://example.com/docs'), ['skipped']],
  ])('%s, and makes no request', async (_case, event, results) => {
    const run = await runWorkflow('docs-command', { event })
    expect(run.outputs.map(({ result }) => result)).toEqual(results)
    expect([...run.asked, ...run.github.requests]).toEqual([])
  })

  it('refuses a command of somebody who has only read permission', async () => {
    const run = await runWorkflow('docs-command', {
      event: comment('/docs Explain it.'),
      before: ({ world }) => world.roles.set('octocat', { permission: 'read', role_name: 'read' }),
    })
    expect(run.outputs).toMatchObject([{ result: 'skipped' }])
    expect(run.reactions).toEqual(['-1'])
    expect(run.asked).toEqual([])
  })
})
