import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bareEvent, commentIn, person, pushTo, reviewComment } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { addComment, addPull, MAY_WRITE, mergePull } from '../support/world.ts'

const PROMPT = { prompt: 'Document it.', 'follow-up': 'false', 'dry-run': 'true' }
const FILE = 'event.json'
const NO_JSON = 'the file contains no JSON object'

it.each([
  {
    event: 'workflow_dispatch',
    text: '\uFEFF{"comment":null,"inputs":{},"id":1}',
    result: 'dry-run',
  },
  { event: 'push', path: '.', problem: 'EISDIR', result: 'error' },
  { event: 'schedule', path: 'missing.json', problem: 'ENOENT', result: 'error' },
  { event: 'issue_comment', path: '', result: 'skipped' },
  { event: 'issue_comment', text: '{"comment":{"body":7}}', result: 'skipped' },
  { event: 'workflow_run', text: '{"workflow_run":"x"}', result: 'skipped' },
  { event: 'watch', text: '{"action":', result: 'skipped' },
  { event: 'pull_request', text: '[]', result: 'skipped' },
  { event: 'push', text: '[]', problem: NO_JSON, result: 'error' },
])('a payload of $event ($path, $text) leads to $result', async (row) => {
  const { event, path = FILE, text = '', problem, result } = row
  const { run, workspace } = await startHarness()
  const env = { GITHUB_EVENT_PATH: path && join(workspace, path) }
  const inputs = { ...PROMPT, context: 'none', command: '' }
  const end = await run({ event: bareEvent(event), inputs, env, files: { [FILE]: text } })
  const hasFailed = result === 'error'
  expect(end).toMatchObject({ hasFailed, outputs: { result }, calls: [], warnings: [] })
  if (problem)
    expect(end.log.join()).toMatch(new RegExp(`error: The event.*${problem}.*Nothing was started`))
})

it.each([
  { fault: '502', says: /GitHub returned 502/ },
  { fault: 'scope', says: /^ {2}pull-requests: write/m },
  { fault: 'no contents', says: /^ {2}contents: read/m },
  { fault: { broken: 'labels' }, says: /Something went wrong/ },
] as const)('if $fault hides the pull requests of a push, nothing is started', async (row) => {
  const { fault, says } = row
  const { run, world, github } = await startHarness()
  mergePull(world, addPull(world, { number: 7, labels: [{ name: 'x' }] }))
  const event = pushTo(world, { message: 'Change 7 (#7)' })
  if (fault === 'scope') world.scopes.delete('pull-requests: write')
  else if (fault === 'no contents') world.scopes.delete('contents: read')
  else github.faults.push({ match: /Merged/, end: fault })
  const end = await run({ event, inputs: { prompt: 'Document it.' } })
  expect(end).toMatchObject({ hasFailed: true, outputs: { result: 'error' }, calls: [] })
  expect(world.statuses).toEqual([])
  expect(end.log.join('\n')).toMatch(says)
})

it('a command brings the comments of insiders before it, counts the others, and logs none of them', async () => {
  const { run, world } = await startHarness()
  addPull(world, { number: 5 })
  const octocat = person('octocat')
  world.roles.set('octocat', MAY_WRITE)
  const associations = ['OWNER', 'MEMBER', 'COLLABORATOR', 'CONTRIBUTOR', 'NONE']
  const add = (association: string, isHidden = false) =>
    Object.assign(
      addComment(world, {
        ...{ kind: 'main', number: 5, association },
        author: person(association, 1),
        body: `Words of ${association}${isHidden ? ', hidden' : ''}.`,
      }),
      { isHidden },
    )
  for (const association of associations) add(association)
  add('OWNER', true)
  const { history } = add('NONE')
  // Nothing of it is read, not even to find out that it shows no text.
  history[0] = '<!-- hidden -->'
  const event = commentIn(world, { author: octocat, body: '/docs explain it' })
  const end = await run({ event, inputs: { wait: 'false' } })
  const [{ prompt = '' } = {}] = end.bodies as { prompt?: string }[]
  expect(prompt.match(/(?<=Words of ).*(?=\.)/g)).toEqual(associations.slice(0, 3))
  expect(prompt).toContain('4 by others')
  expect(end.log.join()).not.toContain('Words of')
})

it('a command that is a reply in a review gets only the comments of its thread', async () => {
  const { run, world } = await startHarness()
  const octocat = person('octocat')
  addPull(world, { number: 5 })
  world.roles.set('octocat', MAY_WRITE)
  const say = (body: string, rootId?: number) =>
    addComment(world, {
      kind: 'review',
      number: 5,
      author: octocat,
      association: 'MEMBER',
      body,
      ...(rootId && { rootId }),
    })
  const { id: replyTo } = say('The first.')
  say('Another thread.')
  say('The second.', replyTo)
  const body = '/docs explain it'
  const event = reviewComment({ id: say(body, replyTo).id, body, author: octocat, replyTo })
  const end = await run({ event, inputs: { wait: 'false' } })
  const [{ prompt = '' } = {}] = end.bodies as { prompt?: string }[]
  expect(prompt.match(/The first|Another thread|The second/g)).toEqual(['The first', 'The second'])
  expect(end.requests).toContain(`POST /pulls/5/comments/${replyTo}/replies`)
})
