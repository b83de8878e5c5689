import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventRow } from '../../src/events/event-table.ts'
import { InputsError } from '../../src/inputs/read.ts'
import { loadRequest } from '../../src/request.ts'
import { jobSceneStarter } from '../job/scene.ts'
import { writeAll } from '../support/run-action.ts'

const startScene = jobSceneStarter()
let workspace = ''
beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'request-'))
})
afterEach(() => rm(workspace, { recursive: true }))

/** Loads the request of a dispatch with a key; wrong inputs are told one a line. */
async function load(
  inputs: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
  proxies: Readonly<Record<string, string>> = {},
) {
  await writeAll(workspace, files)
  const scene = await startScene({
    inputs: { 'api-key': 'mint_0123456789', ...inputs },
    env: { GITHUB_WORKSPACE: workspace, ...proxies },
  })
  const event = { name: 'workflow_dispatch', row: eventRow('workflow_dispatch'), payload: {} }
  const trigger = { event, command: undefined }
  try {
    return { request: await loadRequest(trigger, scene.run), problems: '', log: scene.log }
  } catch (error) {
    if (!(error instanceof InputsError)) throw error
    return { request: undefined, problems: error.message, log: scene.log }
  }
}

describe('what is asked for', () => {
  it.each([
    ['a prompt', { prompt: 'x' }, true, false],
    ['a job to wait for', { 'job-id': 'j1' }, true, false],
    ['a visitors report', { 'visitors-summary': 'true' }, false, true],
    ['an export', { 'visitors-export': 'a.csv' }, false, true],
    ['what readers missed', { 'reader-signals': 'report' }, false, true],
    ['a prompt that is told what readers missed', { prompt: 'x', 'reader-signals': 'agent' }, true, true],
  ])('may be %s', async (_what, inputs, wantsJob, wantsReaders) => {
    const { request, problems } = await load(inputs)
    expect(problems).toBe('')
    expect([request?.wantsJob, request?.readers !== undefined]).toEqual([wantsJob, wantsReaders])
  })

  it('may stand in files, as may the data for it', async () => {
    const inputs = { 'prompt-file': 'a.md\n\n docs/b.md ', 'context-files': 'api.diff' }
    const { request } = await load(inputs, { 'a.md': 'A', 'docs/b.md': 'B', 'api.diff': '+' })
    expect(request).toMatchObject({
      wantsJob: true,
      promptFiles: [
        { name: 'a.md', text: 'A' },
        { name: 'docs/b.md', text: 'B' },
      ],
      contextFiles: [{ name: 'api.diff', text: '+' }],
    })
  })

  it('needs no key in a dry run', async () => {
    expect((await load({ prompt: 'x', 'api-key': '', 'dry-run': 'true' })).problems).toBe('')
  })
})

const WAYS =
  'accepted: an instruction, here or in prompt-file; job-id, to wait for a job; visitors-summary, visitors-export or reader-signals, for a report alone; or a comment that starts with the command (/docs)'
const NOT_READ = 'accepted: text files of the workspace, one per line (no commas), with / between folders'
const FOR_AGENT = 'accepted: report; or agent with a prompt and `context: diff` or `files`'

/** What inputs come to; the files a.md, empty.md and half.md are there. */
const REFUSED = [
  `{} => prompt is missing, and nothing else is requested; ${WAYS}.`,
  `{"context-files": "a.md"} => prompt is missing: context-files alone request nothing; ${WAYS}.`,
  `{"prompt": "x", "api-key": ""} => api-key is missing: is its secret's name spelled as in the settings of this repository, its organization or the job's environment? In a reusable workflow, does the caller pass it with \`secrets:\`? Accepted: an admin API key (mint_…) from the dashboard's API keys page, alone in its secret: \`gh secret set DOCS_API_KEY\`.`,
  `{"prompt": "x", "project-id": " "} => project-id is missing: if it is taken from \`vars.DOCS_PROJECT_ID\`, is that set, as a variable and not as a secret (\`gh variable set DOCS_PROJECT_ID\`)? Accepted: the id alone, from the dashboard's API keys page.`,
  `{"prompt": "x", "project-id": "mint_98765"} => project-id is an API key (it starts with mint_), which belongs in api-key; accepted: the id alone, from the dashboard's API keys page.`,
  `{"prompt-file": "empty.md"} => prompt-file names only empty files; accepted: files with instructions in them.`,
  `{"prompt": "x", "prompt-file": "no.md\\n."} => prompt-file names "no.md", which does not exist in the workspace (check its letter case, and that actions/checkout runs before this step), and ".", which is a directory, not a file; ${NOT_READ}.`,
  `{"prompt-file": "half.md", "context-files": "half.md"} => context-files names "half.md", which is too large: all files of a run may have 1024 KiB together; ${NOT_READ}.`,
  `{"prompt": "x", "poll-interval": "10m", "timeout": " 5m"} => poll-interval ("10m") is longer than timeout ("5m"); accepted: at most 5m, or a longer timeout.`,
  `{"prompt": "x", "poll-interval": "31m"} => poll-interval ("31m") is longer than timeout ("30m"); accepted: at most 30m, or a longer timeout.`,
  `{"reader-signals": "agent"} => reader-signals ("agent") needs a prompt, as it is for the job of this run; ${FOR_AGENT}.`,
  `{"prompt": "x", "context": "none", "reader-signals": "agent"} => reader-signals ("agent") has no effect with \`context: none\`; ${FOR_AGENT}.`,
]

describe('a request is refused', () => {
  it.each([
    ['docs', 'mint_9876543210'],
    ['ghp_1', ' "mint_9876543210"'],
  ])('where key and project are swapped, and says so of both: %s and %s', async (key, project) => {
    const { problems, log } = await load({ prompt: 'x', 'api-key': key, 'project-id': project })
    const [, ofKey, ofProject, ...more] = problems.split('\n')
    const starts = 'starts with mint_, as API keys do; accepted: '
    expect(ofKey).toContain(`- api-key is swapped with project-id, which ${starts}`)
    expect(ofProject).toContain(`- project-id is swapped with api-key: it ${starts}`)
    expect([more, log, /98765/.test(problems)]).toEqual([[], [], false])
  })

  it('where a proxy can not be used, though every host is exempt, without its password', async () => {
    const proxies = { https_proxy: 'socks5://me:pw@h', HTTP_PROXY: 'http://me:50%@h', NO_PROXY: '*' }
    const accepted =
      'accepted: the URL of an http or https proxy, such as http://proxy.example:8080, or nothing.'
    expect((await load({ prompt: 'x', wait: 'on' }, {}, proxies)).problems.split('\n')).toEqual([
      '3 inputs are wrong, so nothing was sent:',
      '- wait ("on") is not a boolean; accepted: true or false.',
      `- HTTPS_PROXY (environment variable, or https_proxy) names a SOCKS proxy, which is not supported; ${accepted}`,
      `- HTTP_PROXY (environment variable, or http_proxy) has a % in its user name or password that is not written as %25; ${accepted}`,
    ])
  })

  it.each(REFUSED)('with %s', async (line) => {
    const [, inputs = '', says] = /^(.*?) => (.*)$/.exec(line) ?? []
    const files = { 'a.md': 'A', 'empty.md': ' \n', 'half.md': 'x'.repeat(600 * 1024) }
    const { problems } = await load(JSON.parse(inputs), files)
    expect(problems).toBe(`${says} Nothing was sent.`)
  })

  it('for all that is wrong at once, in the order of the documentation, each input once', async () => {
    const wrong = { timeout: '30', 'api-key': '', 'visitors-from': '2026-01-01', 'poll-interval': '1ms' }
    const { problems } = await load({ ...wrong, 'prompt-file': 'no.md' })
    const named = problems.match(/^\d+ inputs are|^- [a-z-]+/gm)?.join(' ')
    expect(named).toBe('5 inputs are - api-key - prompt-file - timeout - poll-interval - visitors-to')
  })
})

it.each([
  '{"visitors-days": "3", "visitors-top": "5", "site-url": "https://a.example"} => `visitors-days` and `visitors-top` have no effect without `visitors-summary` or `visitors-export`. `site-url` has no effect without `visitors-summary` or `reader-signals`.',
  '{"prompt": "", "visitors-summary": "true", "poll-interval": "1s", "wait": "false"} => `poll-interval` has no effect without a job. `wait` has no effect without a job.',
  '{"poll-interval": "1s", "wait-for-preview": "true", "wait": "false"} => `poll-interval` has no effect with `wait: false`. `wait-for-preview` has no effect with `wait: false`.',
  '{"poll-interval": "1s", "wait-for-preview": "true", "command": ""} => ',
  '{"prompt": "", "job-id": "j1", "context-files": "a.md"} => `context-files` has no effect without a prompt: data alone requests nothing.',
  '{"command": "édocs"} => `command: édocs` starts with a letter or digit, so any comment may start with it by chance. Put a character such as / before it: `/édocs`.',
  '{"command": "7"} => `command: 7` starts with a letter or digit, so any comment may start with it by chance. Put a character such as / before it: `/7`.',
])('an input without the effect that was meant is warned of: %s', async (line) => {
  const [, inputs = '', warnings] = /^(.*?) => (.*)$/.exec(line) ?? []
  const { log } = await load({ prompt: 'x', ...JSON.parse(inputs) }, { 'a.md': 'A' })
  expect(log.map((entry) => entry.replace('warning: ', '')).join(' ')).toBe(warnings)
})
