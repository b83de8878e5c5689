import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bareEvent, bot, issueComment, person, pushTo, reviewComment } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { addComment, addPull, MAY_WRITE, mergePull } from '../support/world.ts'

const PROMPT = { prompt: 'Document it.', 'follow-up': 'false', 'dry-run': 'true' }
const FILE = 'event.json'
const ODD = 'a field is of another type than GitHub documents'
const NO_JSON = 'the file contains no JSON object'

it.each([
  { event: 'push', text: '\uFEFF{"comment":null,"commits":[],"id":1}', result: 'dry-run' },
  { event: 'push', path: '.', problem: 'EISDIR', result: 'dry-run' },
  { event: 'push', text: '{"commits":[null]}', problem: ODD, result: 'dry-run' },
  { event: 'push', text: '{"ref":7}', problem: ODD, result: 'dry-run' },
  { event: 'schedule', path: 'missing.json', problem: 'ENOENT', result: 'dry-run' },
  { event: 'issue_comment', path: '', problem: 'it is not set', result: 'skipped' },
  { event: 'issue_comment', text: '{"comment":{"body":7}}', problem: ODD, result: 'skipped' },
  {
    event: 'pull_request',
    text: '{"pull_request":{"labels":{}}}',
    problem: ODD,
    result: 'skipped',
  },
  { event: 'workflow_run', text: '{"workflow_run":"x"}', problem: ODD, result: 'skipped' },
  { event: 'watch', text: '{"action":', problem: NO_JSON, result: 'skipped' },
  { event: 'watch', text: '[]', problem: NO_JSON, result: 'skipped' },
])('a payload of $event ($path, $text) is read or warned of: $problem', async (row) => {
  const { event, path = FILE, text = '', problem, result } = row
  const { run, workspace } = await startHarness()
  const env = { GITHUB_EVENT_PATH: path && join(workspace, path) }
  const inputs = { ...PROMPT, context: 'none', command: '' }
  const end = await run({ event: bareEvent(event), inputs, env, files: { [FILE]: text } })
  expect(end).toMatchObject({ hasFailed: false, outputs: { result }, calls: [] })
  expect(end.warnings).toEqual(problem === undefined ? [] : [expect.stringContaining(problem)])
})

it.each([
  { fault: '502', says: /GitHub returned 502/ },
  { fault: 'scope', says: /grant `pull-requests: read`/ },
  { fault: 'no contents', says: /grant `contents: read`/ },
  { fault: { broken: 'associatedPullRequests' }, says: /Something went wrong/ },
  { fault: { broken: 'labels' }, says: /Something went wrong/ },
] as const)('what $fault hides of the pull requests of a push is warned of', async (row) => {
  const { fault, says } = row
  const { run, world, github } = await startHarness()
  mergePull(world, addPull(world, { number: 7, labels: [{ name: 'x' }] }))
  const event = pushTo(world, { message: 'Change 7 (#7)' })
  if (fault === 'scope') world.scopes.delete('pull-requests: write')
  else if (fault === 'no contents') world.scopes.delete('contents: read')
  else github.faults.push({ match: /Merged/, end: fault })
  const end = await run({ event, inputs: PROMPT })
  expect(end.outputs['result']).toBe('dry-run')
  const [warning = ''] = end.warnings.filter((text) => says.test(text))
  expect(warning).toContain("Commits of unknown origin are treated as a person's.")
  expect(end.summary).toMatch(says)
})

it('the agent gets what people wrote who may start a job, and nothing of theirs is logged', async () => {
  const { run, world, github } = await startHarness()
  addPull(world, { number: 5 })
  const read = { permission: 'read', role_name: 'read', id: 2 }
  world.roles
    .set('writer', { ...MAY_WRITE, id: 1 })
    .set('reader', read)
    .set('octocat', MAY_WRITE)
  const octocat = person('octocat')
  const others = [person('writer', 1), person('reader', 2), person('stranger', 3)]
  for (const author of [...others, bot('renovate[bot]'), octocat])
    addComment(world, { kind: 'main', number: 5, author, body: `Words of ${author.login}.` })
  const event = issueComment({ id: 5005, body: '/docs explain it', author: octocat })
  const inputs = { 'allow-bots': 'renovate[bot]', 'dry-run': 'true' }
  const givenIn = (text: string) => [...new Set(text.match(/(?<=Words of )[\w[\]]+/g))]
  const end = await run({ event, inputs })
  expect(givenIn(end.summary)).toEqual(['writer', 'renovate[bot]'])
  expect(end.log.filter((line) => /Skipped|permission/.test(line))).toEqual([])
  github.faults.push({ match: /writer\/permission/, end: '502' })
  const { summary, warnings } = await run({ event, inputs })
  expect(givenIn(summary)).toEqual(['renovate[bot]'])
  expect(warnings).toEqual([
    expect.stringContaining('the permission of writer: GitHub returned 502'),
  ])
})

it('a command that is a reply in a review gets the words of its thread only', async () => {
  const { run, world } = await startHarness()
  const octocat = person('octocat')
  addPull(world, { number: 5 })
  world.roles.set('octocat', MAY_WRITE)
  const say = (body: string, rootId?: number) =>
    addComment(world, {
      kind: 'review',
      number: 5,
      author: octocat,
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
