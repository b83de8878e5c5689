import { describe, expect, it } from 'vitest'
import { HOSTILE_TEXTS } from '../hostile-texts.ts'
import { alive, commandsIn } from '../rendered.ts'
import { docsStarter } from './docs.ts'
import { type ActionRun, runAction } from './run-action.ts'

const startDocs = docsStarter()

/** Commands that the action itself means. */
const OURS =
  /^::(?:add-mask::mint_demo|(?:notice|warning|error) title=Docs agent%3A docs::|group::The prompt|endgroup::)/
const OUR_TAGS =
  /^<(?:\/?(?:details|code|sub|summary)|details><summary>(?:Job and prompt|Job|Prompt)<\/summary)>$/

/** Each as it stands at the beginning of a line, many to a process. */
const TEXTS = HOSTILE_TEXTS.filter((text) => text.trim() !== '' && text.isWellFormed())
const CHUNKS = Array.from({ length: Math.ceil(TEXTS.length / 10) }, (_, index) =>
  TEXTS.slice(10 * index, 10 * index + 10)
    // What closes what comes before it must not hide what comes after it.
    .map((text) => text.slice(0, 300))
    .join('\n'),
)

function expectInert({ log, summary }: ActionRun): void {
  expect(commandsIn(log).filter((line) => !OURS.test(line))).toEqual([])
  const seen = alive(summary)
  expect(seen.html.filter((tag) => !OUR_TAGS.test(tag))).toEqual([])
  expect(seen.mentions).toEqual([])
  expect(seen.images).toEqual([])
  for (const link of seen.links) expect(link).toMatch(/^(?:https:\/\/|http:\/\/127\.0\.0\.1:)[^@]+$/)
}

describe('nothing comes alive of hostile texts', () => {
  it('in the prompt', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 0 })
    const prompt = TEXTS.join('\n').replaceAll('\0', '')
    expectInert(await runAction({ inputs: { ...inputs, prompt, 'dry-run': 'true' } }))
    expectInert(await runAction({ inputs: { ...inputs, prompt } }))
    expect(docs.requests).toHaveLength(1)
  })

  it('as unknown statuses, and in errors', async () => {
    const { docs, inputs } = await startDocs({ jobTimeMs: 60_000 })
    for (const [index, error] of CHUNKS.entries()) {
      const match = { path: 'look', nth: 2 * index + 1 } as const
      docs.faults.add({ kind: 'status', status: 500, body: { error }, match })
    }
    docs.faults.add({
      kind: 'body',
      body: { id: 'j1', status: CHUNKS[0] },
      match: { path: 'create' },
    })
    for (const [index, status] of CHUNKS.entries()) {
      const match = { path: 'look', nth: 2 * index + 2 } as const
      docs.faults.add({ kind: 'body', body: { id: 'j1', status }, handled: false, match })
    }
    const last = { path: 'look', nth: 2 * CHUNKS.length + 1 } as const
    docs.faults.add({ kind: 'status', status: 403, body: { error: CHUNKS.join('\n') }, match: last })
    const run = await runAction({ inputs })
    expect(run).toMatchObject({ exitCode: 1, outputs: { result: 'error', 'job-id': 'j1' } })
    expect(run.log.match(/^::warning .* has a status that this version does not know/gm)).toHaveLength(
      CHUNKS.length,
    )
    expect(run.log.match(/^Polling job j1 failed\./gm)).toHaveLength(CHUNKS.length)
    expectInert(run)
  })

  it.each(CHUNKS.map((chunk, index) => [index, chunk]))(
    'in every field of a job (%d)',
    async (_index, text) => {
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
      const run = await runAction({ inputs })
      expectInert(run)
      expect(run.outputs).toMatchObject({
        model: text,
        ref: text,
        'job-id': `job ${text}`,
        result: 'pull-request',
      })
      expect(JSON.parse(run.outputs['job'] ?? '')).toEqual(job)
    },
  )
})
