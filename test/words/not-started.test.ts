import { expect, it } from 'vitest'
import { pushTo } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'

/** A run that fails at GitHub, with its only annotation. */
async function runInto(
  inputs: Readonly<Record<string, string>>,
  break_: (scene: Awaited<ReturnType<typeof startHarness>>) => void,
) {
  const scene = await startHarness({ replies: {} })
  const event = pushTo(scene.world, { files: ['src/cli.ts'] })
  break_(scene)
  const end = await scene.run({ event, inputs: { prompt: 'Document it.', ...inputs } })
  const titles = [...end.titles, ...end.post.titles]
  const error = end.log.findIndex((line) => line.startsWith('error: '))
  expect([titles.length, end.calls, end.outputs['result']]).toEqual([1, [], 'error'])
  return { title: titles[0], error: end.log.slice(error).join('\n'), summary: end.summary }
}

it.each([{ inputs: {} }, { inputs: { comment: 'never', context: 'none' } }])(
  'without permissions, a push with $inputs is one error with the block to paste',
  async ({ inputs }) => {
    const { title, error, summary } = await runInto(inputs, ({ world }) => world.scopes.clear())
    expect(title).toMatch(/^Missing permission: `[a-z-]+: (?:read|write)`$/)
    for (const text of [error, summary])
      expect(text).toContain(
        '\npermissions:\n  contents: read\n  issues: write\n  pull-requests: write\n  statuses: write',
      )
  },
)

it.each([
  { end: '502', title: 'GitHub is unavailable (502)' },
  { end: 'html', title: 'GitHub returned 200 without a readable body' },
  { end: '401', title: '`github-token` is invalid or expired' },
  { end: '422', title: 'GitHub rejected a request (422)' },
] as const)('with a GitHub that answers $end, a push is one error that names it', async (given) => {
  const { title, error } = await runInto({}, ({ github }) =>
    github.faults.push({ match: /./, end: given.end }),
  )
  expect(title).toBe(given.title)
  expect(error).toMatch(/^error: Could not .*\. Nothing was started/)
})
