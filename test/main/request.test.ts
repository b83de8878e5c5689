import { describe, expect, it } from 'vitest'
import { startHarness } from '../support/harness.ts'

type Texts = Readonly<Record<string, string>>

const FILES = { 'a.md': 'A', 'empty.md': ' \n', 'half.md': 'x'.repeat(600 * 1024) }

/** Runs a dispatch; a created job is over at once. */
async function ask(inputs: Texts) {
  const { run } = await startHarness({ jobTimeMs: 0, pages: 10 })
  return await run({ inputs, files: FILES })
}

it.each<{ inputs: Texts; calls: readonly string[] }>([
  { inputs: { prompt: 'x' }, calls: ['POST /job'] },
  { inputs: { 'prompt-file': 'a.md' }, calls: ['POST /job'] },
  { inputs: { 'job-id': 'j1' }, calls: ['GET /job/j1'] },
  { inputs: { 'visitors-summary': 'true' }, calls: ['GET /visitors'] },
  { inputs: { 'content-gaps': 'report' }, calls: ['GET /feedback/by-page'] },
  { inputs: { prompt: 'x', 'visitors-summary': 'true' }, calls: ['GET /visitors', 'POST /job'] },
])('$inputs request $calls', async ({ inputs, calls }) => {
  const end = await ask(inputs)
  expect(end.warnings).toEqual([])
  expect([...new Set(end.calls)]).toEqual(expect.arrayContaining([...calls]))
  const isOfJob = (call: string) => call.includes('/job')
  expect(end.calls.some(isOfJob)).toBe(calls.some(isOfJob))
})

type Rejected = {
  readonly inputs: Texts
  /** The input that is wrong; `prompt` if none requests anything. */
  readonly names?: string
  /** A fact in the message. */
  readonly says: string
}

describe('a request is rejected', () => {
  it.each<Rejected>([
    { inputs: {}, says: 'or a `/docs` comment to start a job' },
    { inputs: { prompts: 'x' }, says: '`Unexpected input(s)`' },
    {
      inputs: { 'context-files': 'a.md', command: '' },
      says: '`prompt` or `prompt-file` to start',
    },
    { inputs: { prompt: 'x', 'api-key': '' }, names: 'api-key', says: 'The secret may be missing' },
    { inputs: { prompt: 'x', 'project-id': ' ' }, names: 'project-id', says: 'and not a secret' },
    { inputs: { 'prompt-file': 'empty.md' }, names: 'prompt-file', says: 'The files are empty.' },
    {
      inputs: { prompt: 'x', 'prompt-file': '.\nno.md' },
      names: 'prompt-file',
      says: "`.` is a directory. `no.md` doesn't exist",
    },
    {
      inputs: { 'prompt-file': 'half.md', 'context-files': 'half.md' },
      names: 'context-files',
      says: '`half.md` is too large',
    },
    ...[{ prompt: '' }, { prompt: 'x', context: 'none' }].map((inputs) => ({
      inputs: { ...inputs, 'content-gaps': 'agent' },
      names: 'content-gaps',
      says: '`agent` needs a `prompt`, and a `context` other than `none`.',
    })),
  ])('with $inputs: $says', async ({ inputs, names = 'prompt', says }) => {
    const end = await ask(inputs)
    const [line = ''] = end.log
    expect([line.startsWith(`error: \`${names}\`: `), end.log.length]).toEqual([true, 1])
    expect(line).toContain(says)
    expect(line).toMatch(/\. Use .*\. Nothing was sent\.$/)
    expect(end).toMatchObject({ hasFailed: true, calls: [], requests: [] })
  })

  it('with all wrong inputs together, in the order of the documentation, each once, without the key', async () => {
    const key = 'mint_us_0123456789'
    const wrong = { timeout: '30', 'api-key': key, 'visitors-days': '0', 'poll-interval': '1ms' }
    const end = await ask({ ...wrong, context: key, 'prompt-file': 'no.md', visitors_days: '7' })
    expect(end.log.join().match(/^- `[\w-]+`/gm)).toEqual(
      ['api-key', 'prompt-file', 'context', 'timeout', 'poll-interval', 'visitors-days']
        .concat('visitors_days')
        .map((name) => `- \`${name}\``),
    )
    expect(end.outputs).toEqual({ result: 'error' })
    expect(end.log.join()).not.toContain('0123456789')
  })
})

it.each([
  { inputs: { 'visitors-summary': 'true', timeout: '30' }, outputs: {} },
  { inputs: { 'visitors-summary': 'yes' }, outputs: {} },
  { inputs: { 'visitors-summary': 'true', 'job-id': '.' }, outputs: { result: 'error' } },
  { inputs: { 'visitors-summary': 'true', 'prompt-file': 'no.md' }, outputs: { result: 'error' } },
])('wrong inputs are a result only if a job was requested: $inputs', async (given) => {
  expect((await ask(given.inputs)).outputs).toEqual(given.outputs)
})
