import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bareEvent, bot, type Event, issueComment, person, pushBy } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { addComment, addPull } from '../support/world.ts'

const PROMPT = { prompt: 'Document it.', 'follow-up': 'false', 'dry-run': 'true' }
const folder = mkdtempSync(join(tmpdir(), 'payload-'))
const file = join(folder, 'event.json')
const ODD = 'a field is of another type than GitHub documents'
const NO_JSON = 'the file contains no JSON object'

it.each<[string, string, string, string, string]>([
  ['push', file, '\uFEFF{"comment":null,"commits":[],"id":1}', '', 'dry-run'],
  ['push', folder, '', 'EISDIR', 'dry-run'],
  ['push', file, '{"commits":[null]}', ODD, 'dry-run'],
  ['push', file, '{"ref":7}', ODD, 'dry-run'],
  ['schedule', join(folder, 'missing.json'), '', 'ENOENT', 'dry-run'],
  ['issue_comment', '', '', 'it is not set', 'skipped'],
  ['issue_comment', file, '{"comment":{"body":7}}', ODD, 'skipped'],
  ['pull_request', file, '{"pull_request":{"labels":{}}}', ODD, 'skipped'],
  ['workflow_run', file, '{"workflow_run":"x"}', ODD, 'skipped'],
  ['watch', file, '{"action":', NO_JSON, 'skipped'],
  ['watch', file, '[]', NO_JSON, 'skipped'],
])(
  'the payload of %s in "%s", %j, is read or warned of with "%s": %s',
  async (name, path, text, problem, result) => {
    writeFileSync(file, text)
    const { run } = await startHarness()
    const inputs = { ...PROMPT, context: 'none', command: '' }
    const end = await run({ event: bareEvent(name), inputs, env: { GITHUB_EVENT_PATH: path } })
    expect(end).toMatchObject({ hasFailed: false, outputs: { result }, calls: [] })
    expect(end.warnings).toEqual(problem === '' ? [] : [expect.stringContaining(problem)])
    const reason =
      "Skipped: the event's payload could not be read, so it is not known who caused it."
    expect(end.log.includes(`notice: ${reason}`)).toBe(result === 'skipped')
  },
)

describe('the merged pull requests of a push', () => {
  const push = (change: object): Event => {
    const { name, payload } = pushBy('octocat')
    return { name, payload: { ...payload, ...change } }
  }
  const none = { ...PROMPT, context: 'none' }
  const tag = { ref: 'refs/tags/v1', created: true }
  const report = { 'visitors-summary': 'true', 'dry-run': 'true' }

  it.each<[string, Event, Readonly<Record<string, string>>, boolean]>([
    ['for the loop guard', push({}), none, true],
    ['for the context of a tag', push(tag), PROMPT, true],
    ['for the report alone, to guard it', push({}), report, true],
    ['for the note of a tag, without context', push(tag), none, true],
    [
      'not for commits without a SHA',
      push({ commits: [{ id: '") { x', message: 'x (#1)' }] }),
      none,
      false,
    ],
    ['not on a schedule', bareEvent('schedule'), PROMPT, false],
  ])('are requested once at most: %s', async (_what, event, inputs, isAsked) => {
    const { run } = await startHarness()
    const end = await run({ event, inputs })
    expect(end.hasFailed).toBe(false)
    const asked = end.requests.filter((line) => line.endsWith('MergedPulls'))
    expect(asked).toHaveLength(isAsked ? 1 : 0)
  })

  const BROKEN = { broken: 'associatedPullRequests' }
  const PULLS = "Failed to read the commits' pull requests: GitHub returned"
  const FORBIDDEN = `\`pull-requests: read\` is missing in \`permissions:\`. ${PULLS} "Resource not accessible by integration".`
  it.each([
    ['502', `${PULLS} 502 ("Server Error").`],
    ['scope', FORBIDDEN],
    ['no contents', FORBIDDEN.replace('pull-requests', 'contents')],
    ['partial', `${PULLS} "Something went wrong while executing your query.".`],
  ] as const)(
    'that can not be read (%s) are warned of, and the run goes on',
    async (fault, text) => {
      const { run, world, github } = await startHarness()
      if (fault === 'scope') world.scopes.delete('pull-requests: write')
      else if (fault === 'no contents') world.scopes.delete('contents: read')
      else github.faults.push({ match: /graphql/, end: fault === 'partial' ? BROKEN : fault })
      const end = await run({ event: pushBy('octocat'), inputs: none })
      const consequence = "Commits of unknown origin count as a person's."
      expect(end.outputs).toMatchObject({ result: 'dry-run' })
      expect(end.log).toContain(`warning: ${text} ${consequence}`)
    },
  )

  it('that can not be read are a line of the summary where the agent would be told them', async () => {
    const { run, github } = await startHarness()
    github.faults.push({ match: /graphql/, end: '502' })
    const end = await run({ event: pushBy('octocat'), inputs: PROMPT })
    expect(end.summary).toContain('so the agent is not told their pull requests.')
  })
})

it('a command is handed what those wrote who may ask, of whom nothing else is logged', async () => {
  const { run, world } = await startHarness()
  addPull(world, { number: 5 })
  for (const [login, permission, id] of [
    ['writer', 'write', 1],
    ['reader', 'read', 2],
    ['octocat', 'write', 7001],
  ] as const)
    world.roles.set(login, { permission, role_name: permission, id })
  const authors = [
    person('writer', 1),
    person('reader', 2),
    person('stranger', 3),
    bot('renovate[bot]'),
  ]
  for (const author of authors)
    addComment(world, { kind: 'main', number: 5, author, body: `Words of ${author.login}.` })
  const author = person('octocat')
  const { id } = addComment(world, { kind: 'main', number: 5, author, body: '/docs explain it' })
  const event = issueComment({ id, body: '/docs explain it', author })
  const end = await run({ event, inputs: { 'allow-bots': 'renovate[bot]', 'dry-run': 'true' } })
  const words = [...new Set(end.summary.match(/Words of [\w[\]]+/g))]
  expect(words).toEqual(['Words of writer', 'Words of renovate[bot]'])
  expect(end.log.filter((line) => /Skipped|permission/.test(line))).toEqual([])
})
