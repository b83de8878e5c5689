import { describe, expect, it } from 'vitest'
import { readExample } from '../../scripts/recipes.ts'
import { docsReview, event } from '../support/events.ts'
import { octocat as author } from '../support/scene.ts'
import { addReview, type World } from '../support/world.ts'
import { comment, EARLIER, expression, PULL, runWorkflow } from './run-workflow.ts'

const WORKFLOW = readExample('docs')
const dispatch = (inputs: object) => () =>
  event('workflow_dispatch', { inputs, ref: 'refs/heads/main' })

describe.concurrent('the workflow of the quick start', () => {
  it('opens a docs pull request for a push, records its job, and lists the changes', async () => {
    const run = await runWorkflow(WORKFLOW)
    expect(run.outputs).toMatchObject([{ result: 'pull-request', 'pr-link': PULL }])
    expect(run.summary).toContain(PULL)
    expect(run.prompts).toEqual([
      expect.stringMatching(/^Bring the docs up to date[\s\S]+change nothing\.\n[\s\S]+pets\.ts/),
    ])
    expect(run.docs.requests[0]?.headers.host).toBe('api.mintlify.com')
    expect(run.statuses).toContain('success Docs agent: docs (docs.yml, docs, docs)')
    expect(run.github.requests).toContain('POST /issues/1/comments')
    expect(run.asked.filter((line) => line.includes('analytics'))).toEqual([])
  })

  it('updates the docs pull request of an earlier push', async () => {
    const run = await runWorkflow(WORKFLOW, EARLIER)
    expect(run.outputs).toMatchObject([{ result: 'pull-request', 'pr-operation': 'updated' }])
    expect(run.asked).toContain(`POST /v2/agent/docs/job/${run.docs.jobs[0]?.id}/message`)
    expect(run.prompts).toHaveLength(1)
  })

  it('reports visitors on a schedule, next to the job', async () => {
    const run = await runWorkflow(WORKFLOW, { event: 'schedule' })
    expect(run.results).toEqual(['pull-request'])
    expect(run.summary).toContain('mermaid')
  })

  it.each([
    ['a command', '/docs Explain pets.', 'main'],
    ['a command on a line', '/DOCS Explain pets.', 'review'],
    ['a command below a quote', '> Should this be documented?\r\n\r\n/docs Explain pets.', 'main'],
  ] as const)('answers %s', async (_case, body, kind) => {
    const run = await runWorkflow(WORKFLOW, { event: comment(body, kind) })
    expect(run.results).toEqual(['pull-request'])
    expect(run.prompts[0]).toMatch(/change nothing\.\n\nExplain pets\.\n/)
    expect(run.world.reactions.map(({ content }) => content)).toEqual(['eyes'])
    const replies = run.world.comments.filter(
      ({ number, author: { login } }) => number === 5 && login !== 'octocat',
    )
    expect(replies.map(({ history }) => history.at(-1))).toEqual([expect.stringContaining(PULL)])
  })

  it('answers a review whose summary is a command', async () => {
    const event = (world: World) =>
      docsReview(addReview(world, { number: 5, author, body: '/docs Explain pets.' }), {
        user: author,
      })
    const run = await runWorkflow(WORKFLOW, { event })
    expect(run.results).toEqual(['pull-request'])
  })

  it.each([
    ['a comment', comment('Nice!')],
    [
      'an approval',
      (world: World) =>
        docsReview(addReview(world, { number: 5, author, state: 'APPROVED', body: '' })),
    ],
  ])("doesn't start a runner for %s", async (_case, event) => {
    const run = await runWorkflow(WORKFLOW, { event })
    expect(run.results).toEqual([])
    expect(run.sent).toEqual([])
  })

  it('skips a comment that only mentions the command, and makes no request', async () => {
    const run = await runWorkflow(WORKFLOW, { event: comment('Write\n/docs and a request.') })
    expect(run.results).toEqual(['skipped'])
    expect(run.sent).toEqual([])
  })

  it('shows the prompt if it is started by hand, and sends it only with dry-run=false', async () => {
    const dry = await runWorkflow(WORKFLOW, { event: dispatch({ 'dry-run': 'true' }) })
    expect(dry.results).toEqual(['dry-run'])
    expect(dry.summary).toContain('Bring the docs up to date')
    expect(dry.asked).toEqual([])
    const run = await runWorkflow(WORKFLOW, { event: dispatch({ 'dry-run': 'false' }) })
    expect(run.results).toEqual(['pull-request'])
  })

  it('reaches the local docs service if a variable has its address', async () => {
    const url = `base-url: ${expression('vars.DOCS_BASE_URL')}`
    const run = await runWorkflow(WORKFLOW.replace(/^( +)project-id:/m, `$1${url}\n$&`), {
      variables: (docs) => ({ DOCS_BASE_URL: docs.url }),
    })
    expect(run.docs.requests[0]?.headers.host).toBe(new URL(run.docs.url).host)
  })
})
