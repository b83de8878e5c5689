import { describe, expect, it } from 'vitest'
import { issueComment, person } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { REJECTED, WARNED } from './request.cases.ts'

type Texts = Readonly<Record<string, string>>

/** Runs a dispatch; a created job is over at once. */
async function ask(inputs: Texts, files: Texts = {}) {
  const { run } = await startHarness({ jobTimeMs: 0, pages: 10 })
  return await run({ inputs, files })
}

describe('a request', () => {
  it.each<[string, Texts, string[]]>([
    ['a prompt', { prompt: 'x' }, ['POST /job']],
    ['a job to wait for', { 'job-id': 'j1' }, ['GET /job/j1']],
    ['a visitors report', { 'visitors-summary': 'true' }, ['GET /visitors']],
    ['an export', { 'visitors-export': 'true' }, ['GET /visitors']],
    ['content gaps', { 'content-gaps': 'report' }, ['GET /feedback/by-page']],
    [
      'a prompt and a report',
      { prompt: 'x', 'visitors-summary': 'true' },
      ['GET /visitors', 'POST /job'],
    ],
  ])('may be for %s', async (_what, inputs, calls) => {
    const end = await ask(inputs)
    expect(end.warnings).toEqual([])
    expect([...new Set(end.calls.filter((call) => calls.includes(call)))].toSorted()).toEqual(calls)
    const wantsJob = calls.some((call) => call.includes('/job'))
    expect(end.calls.some((call) => call.includes('/job'))).toBe(wantsJob)
  })
})

describe('a request is rejected', () => {
  it.each(REJECTED)('with $inputs: $says', async ({ inputs, names, title, says }) => {
    const files = { 'a.md': 'A', 'empty.md': ' \n', 'half.md': 'x'.repeat(600 * 1024) }
    const end = await ask(inputs, files)
    const [line = ''] = end.log
    expect([line.startsWith(`error: \`${names}\`: `), end.log.length]).toEqual([true, 1])
    expect(line).toContain(says)
    expect(line).toMatch(/\. Use .*\. Nothing was sent\.$/)
    expect(end.titles[0]).toContain(title ?? `\`${names}\``)
    expect(end).toMatchObject({ hasFailed: true, calls: [], requests: [] })
  })

  it('unless the poll interval is as long as the timeout', async () => {
    const equal = { prompt: 'x', context: 'none', 'poll-interval': '8s', timeout: '8s' }
    const { calls, hasFailed } = await ask(equal)
    expect([calls[0], hasFailed]).toEqual(['POST /job', false])
  })

  it('with all wrong inputs together, in the order of the documentation, each once, without the key', async () => {
    const key = 'mint_us_0123456789'
    const wrong = { timeout: '30', 'api-key': key, 'visitors-days': '0', 'poll-interval': '1ms' }
    const { log, outputs, titles } = await ask({ ...wrong, context: key, 'prompt-file': 'no.md' })
    const named = log.join().match(/^- `[a-z-]+`/gm)
    expect(named?.join(' ')).toBe(
      '- `api-key` - `prompt-file` - `context` - `timeout` - `poll-interval` - `visitors-days`',
    )
    expect([titles, outputs]).toEqual([['6 inputs need to be fixed (docs)'], { result: 'error' }])
    expect(log.join()).not.toContain('0123456789')
  })

  it('with a proxy that can not be used, without its password, unless there is nothing to do', async () => {
    const { run } = await startHarness()
    const env = { HTTP_PROXY: 'socks5://me:pw@127.0.0.1:1' }
    const end = await run({ inputs: { prompt: 'x' }, env })
    expect(end).toMatchObject({ hasFailed: true, calls: [], requests: [] })
    expect(end.log.join()).toMatch(
      /^error: `HTTP_PROXY`: .* isn't the URL of an http or https proxy\. Use `http:\/\/HOST:PORT`/,
    )
    expect(end.printed).not.toContain('pw')
    const event = issueComment({ id: 1, author: person('octocat'), body: 'no command' })
    const { outputs, requests } = await run({ env, event })
    expect([outputs, requests]).toEqual([{ result: 'skipped' }, []])
  })
})

it.each([
  [{ 'visitors-summary': 'true', timeout: '30' }, {}],
  [{ 'visitors-summary': 'yes' }, {}],
  [{}, { result: 'error' }],
  [{ 'visitors-summary': 'true', 'job-id': '.' }, { result: 'error' }],
  [{ 'visitors-summary': 'true', 'prompt-file': 'no.md' }, { result: 'error' }],
])(
  'wrong inputs are a `result` only if a job was requested, or nothing: %j',
  async (inputs, outputs) => {
    expect((await ask(inputs)).outputs).toEqual(outputs)
  },
)

it.each(WARNED)(
  'valid inputs cause the warnings that they deserve, and no others: $inputs',
  async ({ inputs, warnings }) => {
    expect((await ask(inputs, { 'a.md': 'A' })).warnings).toEqual(warnings)
  },
)
