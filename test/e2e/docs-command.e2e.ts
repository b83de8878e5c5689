import { describe, expect, it } from 'vitest'
import { type Event, newIssue, review, reviewComment } from '../support/events.ts'
import { addComment, addPull, type World } from '../support/world.ts'
import { octocat as author, comment, FILES, PULL, runWorkflow } from './run-workflow.ts'

describe.concurrent('docs-command', () => {
  const comments: [string, string][] = [
    ['a command', '/docs Explain the new pets call.'],
    ['a command in capitals after spaces', '  /DOCS Explain the new pets call.'],
    ['a command below a quote', '> Should this be documented?\r\n\r\n/docs Explain the new pets call.'],
    ['a command after a comment in HTML', '<!-- from a template -->/docs Explain the new pets call.'],
    ['a command after a byte order mark', '\uFEFF/docs Explain the new pets call.'],
  ]
  it.each(comments)('answers %s and has it done', async (_case, body) => {
    const run = await runWorkflow('docs-command', { event: comment(body) })
    const { outputs } = run.job('command')
    expect(outputs['docs-command']).toMatchObject({ result: 'pull-request', 'pr-link': PULL })
    expect(run.prompts[0]).toMatch(/^Explain the new pets call\./)
    const { requests } = run.github
    const asked = requests.indexOf('GET /collaborators/octocat/permission')
    expect(asked).toBeGreaterThanOrEqual(0)
    expect(requests.findIndex((line) => line.endsWith('/reactions eyes'))).toBeGreaterThan(asked)
    expect(run.world.reactions.map(({ content }) => content)).toEqual(['rocket'])
    expect(
      run.world.comments.find(({ id }) => `${id}` === outputs['docs-command']?.['comment-id']),
    ).toMatchObject({
      number: 5,
    })
  })

  const others: [string, (world: World) => Event, RegExp][] = [
    [
      'on a line of a pull request',
      (world) => {
        addPull(world, { number: 5, title: 'Add pets', files: FILES })
        const { id } = addComment(world, { kind: 'review', number: 5, author, body: '/docs Explain this.' })
        return reviewComment({ id, body: '/docs Explain this.', author })
      },
      /^POST \/pulls\/5\/comments\/\d+\/replies$/,
    ],
    [
      'in a review',
      () => review({ id: 4713, body: '/docs Explain this.', author }),
      /^POST \/issues\/5\/comments$/,
    ],
    [
      'in a new issue',
      () => newIssue({ body: '/docs Explain this.', author }),
      /^POST \/issues\/5\/comments$/,
    ],
  ]
  it.each(others)('answers a command %s', async (_case, event, reply) => {
    const run = await runWorkflow('docs-command', { event })
    expect(run.job('command').outputs['docs-command']).toMatchObject({ result: 'pull-request' })
    expect(run.github.requests.filter((line) => reply.test(line))).toHaveLength(1)
  })

  const without: [string, (world: World) => Event, string[]][] = [
    ['starts no runner for a comment', comment('Looks good to me.'), []],
    ['starts no runner for a review without text', () => review({ id: 4713, body: null, author }), []],
    ['skips a URL', comment('See https://example.com/docs'), ['skipped']],
    ['skips the command on a later line', comment('Write\n/docs and what to do.'), ['skipped']],
  ]
  it.each(without)('%s, and makes no request', async (_case, event, results) => {
    const run = await runWorkflow('docs-command', { event })
    const outputs = run.jobs.flatMap((job) => Object.values(job.outputs))
    expect(outputs.map(({ result }) => result)).toEqual(results)
    expect([...run.asked, ...run.github.requests]).toEqual([])
  })

  it('refuses a command of somebody who has only read permission', async () => {
    const run = await runWorkflow('docs-command', {
      event: comment('/docs Explain it.'),
      before: ({ world }) => void world.roles.set('octocat', { permission: 'read', role_name: 'read' }),
    })
    expect(run.job('command').outputs['docs-command']).toMatchObject({ result: 'skipped' })
    expect(run.world.reactions.map(({ content }) => content)).toEqual(['-1'])
    expect(run.asked).toEqual([])
  })
})
