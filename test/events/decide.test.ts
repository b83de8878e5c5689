import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bareEvent, bot, issueComment, person, pushBy } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { addComment, addPull } from '../support/world.ts'

const PROMPT = { prompt: 'Document it.', 'follow-up': 'false', 'dry-run': 'true' }
const FILE = 'event.json'
const ODD = 'a field is of another type than GitHub documents'
const NO_JSON = 'the file contains no JSON object'

it.each<[string, string, string, string, string]>([
  ['push', FILE, '\uFEFF{"comment":null,"commits":[],"id":1}', '', 'dry-run'],
  ['push', '.', '', 'EISDIR', 'dry-run'],
  ['push', FILE, '{"commits":[null]}', ODD, 'dry-run'],
  ['push', FILE, '{"ref":7}', ODD, 'dry-run'],
  ['schedule', 'missing.json', '', 'ENOENT', 'dry-run'],
  ['issue_comment', '', '', 'it is not set', 'skipped'],
  ['issue_comment', FILE, '{"comment":{"body":7}}', ODD, 'skipped'],
  ['pull_request', FILE, '{"pull_request":{"labels":{}}}', ODD, 'skipped'],
  ['workflow_run', FILE, '{"workflow_run":"x"}', ODD, 'skipped'],
  ['watch', FILE, '{"action":', NO_JSON, 'skipped'],
  ['watch', FILE, '[]', NO_JSON, 'skipped'],
])(
  'the payload of %s in "%s", %j, is read or warned of with "%s": %s',
  async (name, path, text, problem, result) => {
    const { run, workspace } = await startHarness()
    const env = { GITHUB_EVENT_PATH: path && join(workspace, path) }
    const inputs = { ...PROMPT, context: 'none', command: '' }
    const end = await run({ event: bareEvent(name), inputs, env, files: { [FILE]: text } })
    expect(end).toMatchObject({ hasFailed: false, outputs: { result }, calls: [] })
    expect(end.warnings).toEqual(problem === '' ? [] : [expect.stringContaining(problem)])
    const reason =
      "Skipped: the event's payload could not be read, so it is not known who caused it."
    expect(end.log.includes(`notice: ${reason}`)).toBe(result === 'skipped')
  },
)

const BROKEN = { broken: 'associatedPullRequests' }
const COST = ', so the agent is not told which pull requests the commits came in.'
const PULLS = "Failed to read the commits' pull requests: GitHub returned"
const FORBIDDEN = `\`pull-requests: read\` is missing in \`permissions:\`${COST} ${PULLS} "Resource not accessible by integration".`
it.each([
  ['502', `${PULLS} 502 ("Server Error")${COST}`],
  ['scope', FORBIDDEN],
  ['no contents', FORBIDDEN.replace('pull-requests', 'contents')],
  ['partial', `${PULLS} "Something went wrong while executing your query."${COST}`],
] as const)(
  'the pull requests of a push that can not be read (%s) are warned of, in the summary, too, and the run goes on',
  async (fault, text) => {
    const { run, world, github } = await startHarness()
    if (fault === 'scope') world.scopes.delete('pull-requests: write')
    else if (fault === 'no contents') world.scopes.delete('contents: read')
    else github.faults.push({ match: /Merged/, end: fault === 'partial' ? BROKEN : fault })
    const end = await run({ event: pushBy('octocat'), inputs: PROMPT })
    expect(end.outputs['result']).toBe('dry-run')
    const warning = `${text} Commits of unknown origin count as a person's.`
    expect(end.warnings).toContain(warning)
    expect(end.summary).toContain(COST)
  },
)

it('a command is handed what those wrote who may ask, of whom nothing else is logged', async () => {
  const { run, world, github } = await startHarness()
  addPull(world, { number: 5 })
  const write = { permission: 'write', role_name: 'write' }
  const read = { permission: 'read', role_name: 'read', id: 2 }
  world.roles
    .set('writer', { ...write, id: 1 })
    .set('reader', read)
    .set('octocat', write)
  const octocat = person('octocat')
  const others = [person('writer', 1), person('reader', 2), person('stranger', 3)]
  for (const author of [...others, bot('renovate[bot]'), octocat])
    addComment(world, { kind: 'main', number: 5, author, body: `Words of ${author.login}.` })
  const event = issueComment({ id: 5005, body: '/docs explain it', author: octocat })
  const inputs = { 'allow-bots': 'renovate[bot]', 'dry-run': 'true' }
  const toldIn = (text: string) => [...new Set(text.match(/(?<=Words of )[\w[\]]+/g))]
  const end = await run({ event, inputs })
  expect(toldIn(end.summary)).toEqual(['writer', 'renovate[bot]'])
  expect(end.log.filter((line) => /Skipped|permission/.test(line))).toEqual([])
  github.faults.push({ match: /writer\/permission/, end: '502' })
  const { summary, warnings } = await run({ event, inputs })
  expect(toldIn(summary)).toEqual(['renovate[bot]'])
  const cause = 'Failed to read the permission of writer: GitHub returned 502 ("Server Error").'
  expect(warnings).toEqual([`${cause} The agent is not told what this account wrote.`])
})
