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
async function load(inputs: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}) {
  await writeAll(workspace, files)
  const scene = await startScene({
    inputs: { 'api-key': 'mint_0123456789', ...inputs },
    env: { GITHUB_WORKSPACE: workspace },
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

/** What each of these inputs comes to; the files a.md, empty.md and half.md are there. */
const REFUSED: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
  [{}, `prompt is missing, and nothing else is requested; ${WAYS}.`],
  [{ 'context-files': 'a.md' }, `prompt is missing: context-files alone request nothing; ${WAYS}.`],
  [
    { 'visitors-days': '3', 'visitors-top': '5', 'site-url': 'https://a.example' },
    'visitors-summary is not set, and without a report nothing uses visitors-days, visitors-top and site-url; accepted: true; or prompt, prompt-file, job-id, visitors-export, reader-signals, a /docs comment.',
  ],
  [
    { prompt: 'x', 'api-key': '' },
    "api-key is missing: is its secret's name spelled as in the settings of this repository, its organization or the job's environment? In a reusable workflow, does the caller pass it with `secrets:`? Accepted: an admin API key (mint_…) from the dashboard's API keys page, alone in its secret: `gh secret set DOCS_API_KEY`.",
  ],
  [
    { prompt: 'x', 'project-id': ' ' },
    "project-id is missing: if it is taken from `vars.DOCS_PROJECT_ID`, is that set, as a variable and not as a secret (`gh variable set DOCS_PROJECT_ID`)? Accepted: the id alone, from the dashboard's API keys page.",
  ],
  [
    { 'prompt-file': 'empty.md' },
    'prompt-file names only empty files; accepted: files with instructions in them.',
  ],
  [
    { prompt: 'x', 'prompt-file': 'no.md\n.' },
    `prompt-file names "no.md", which does not exist in the workspace (check its letter case, and that actions/checkout runs before this step), and ".", which is a directory, not a file; ${NOT_READ}.`,
  ],
  [
    { 'prompt-file': 'half.md', 'context-files': 'half.md' },
    `context-files names "half.md", which is too large: all files of a run may have 1024 KiB together; ${NOT_READ}.`,
  ],
  [
    { prompt: 'x', 'poll-interval': '10s', timeout: '8s' },
    'poll-interval ("10s") is longer than timeout; accepted: a pause that is at most as long as `timeout` (30m if not given).',
  ],
  [
    { 'reader-signals': 'agent' },
    `reader-signals ("agent") needs a prompt, as it is for the job of this run; ${FOR_AGENT}.`,
  ],
  [
    { prompt: 'x', context: 'none', 'reader-signals': 'agent' },
    `reader-signals ("agent") has no effect with \`context: none\`; ${FOR_AGENT}.`,
  ],
]

describe('a request is refused', () => {
  it.each(REFUSED)('with %j: %s', async (inputs, says) => {
    const files = { 'a.md': 'A', 'empty.md': ' \n', 'half.md': 'x'.repeat(600 * 1024) }
    const { problems } = await load(inputs, files)
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
  [
    { prompt: 'x', 'visitors-days': '3', 'visitors-top': '5', 'site-url': 'https://a.example' },
    [
      '`visitors-days`, `visitors-top` and `site-url` have no effect without `visitors-summary` or `visitors-export`.',
    ],
  ],
  [
    { 'visitors-summary': 'true', 'poll-interval': '1s', wait: 'false' },
    ['`poll-interval` has no effect without a job.', '`wait` has no effect without a job.'],
  ],
  [
    { prompt: 'x', 'poll-interval': '1s', wait: 'false' },
    ['`poll-interval` has no effect with `wait: false`.'],
  ],
  [
    { 'job-id': 'j1', 'context-files': 'a.md' },
    ['`context-files` has no effect without a prompt: data alone requests nothing.'],
  ],
])('an input without effect is warned of: %j', async (inputs, warnings) => {
  const { log } = await load(inputs, { 'a.md': 'A' })
  expect(log).toEqual(warnings.map((warning) => `warning: ${warning}`))
})
