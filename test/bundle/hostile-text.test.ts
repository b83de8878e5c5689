import { describe, expect, it } from 'vitest'
import { HOSTILE_TEXTS } from '../hostile-texts.ts'
import { alive, commandsIn } from '../rendered.ts'
import { docsStarter } from './docs.ts'
import { runAction } from './run-action.ts'

const startDocs = docsStarter()

/** Commands that the action itself means. */
const OURS =
  /^::(?:add-mask::mint_demo|(?:notice(?: title=Docs agent)?|warning|error)::|group::The prompt|endgroup::)/
const OUR_TAGS = ['<details><summary>Prompt</summary>', '</details>', '<code>', '</code>']

function expectInert(log: string, summary: string): void {
  expect(commandsIn(log).filter((line) => !OURS.test(line))).toEqual([])
  const seen = alive(summary)
  expect(seen.html.filter((tag) => !OUR_TAGS.includes(tag))).toEqual([])
  expect(seen.mentions).toEqual([])
  expect(seen.images).toEqual([])
  for (const link of seen.links) expect(link).toMatch(/^https:\/\/[^@]+$/)
  expect(new Set(seen.cells)).toEqual(new Set(seen.cells.length === 0 ? [] : [2]))
}

describe.each(HOSTILE_TEXTS.filter((text) => text.trim() !== '').map((text) => [text]))('with %j', (text) => {
  it('in every field of the job and in the prompt, nothing comes alive', async () => {
    const { docs, inputs } = await startDocs()
    const job = {
      id: `job ${text}`,
      status: 'completed',
      source: { repository: text, ref: text },
      model: text,
      prLink: text,
      createdAt: text,
      archivedAt: text,
      [text]: text,
    }
    docs.faults.add({ kind: 'body', body: job, match: { path: 'create' } })
    const run = await runAction({
      inputs: { ...inputs, prompt: `Do it. ${text.replaceAll('\0', '')}`, 'fail-on': 'none' },
    })
    expectInert(run.log, run.summary)
    if (text.isWellFormed()) {
      expect(run.outputs).toMatchObject({ model: text.trim() === '' ? '' : text, result: 'pull-request' })
      expect(JSON.parse(run.outputs['job'] ?? '')).toEqual(job)
    }
  })

  it('as an unknown status and then in an error, nothing comes alive', async () => {
    const { docs, inputs } = await startDocs()
    docs.faults.add({ kind: 'body', body: { id: 'j1', status: text }, match: { path: 'create' } })
    docs.faults.add({ kind: 'status', status: 500, body: { error: text }, match: { path: 'look' } })
    docs.faults.add({
      kind: 'status',
      status: 403,
      body: { error: text },
      match: { path: 'look' },
      times: 'always',
    })
    const run = await runAction({ inputs })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error', 'job-id': 'j1' } })
    expectInert(run.log, run.summary)
  })
})
