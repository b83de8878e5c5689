import { expect, it } from 'vitest'
import { readInputs } from '../../src/inputs/table.ts'
import { pushTo } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'

type Included = {
  readonly paths: string
  readonly yes: readonly string[]
  readonly no?: readonly string[]
}

const PATHS: readonly Included[] = [
  { paths: '*', yes: ['README.md', '.gitignore'], no: ['docs/a.md'] },
  { paths: '**', yes: ['README.md', 'docs/.vale/a.md'] },
  { paths: '**/*.js', yes: ['index.js', '.js/app.js'], no: ['app.js.map'] },
  { paths: 'docs/*', yes: ['docs/README.md', 'docs/.vale'], no: ['docs/a/b.md', 'docsx'] },
  { paths: 'docs/**/*.md', yes: ['docs/a.md', 'docs/b/c/a.md'], no: ['docs/a.txt', 'docs.md'] },
  { paths: 'Octoc?t', yes: ['Octocat'], no: ['Octoct', 'Octocaat', 'octocat'] },
  { paths: '*.{ts,tsx}', yes: ['a.ts', 'a.tsx'], no: ['a.js', 'src/a.ts'] },
  { paths: '*.md\n!README.md\nREADME*', yes: ['a.md', 'README.md'], no: ['docs/a.md'] },
  { paths: 'src\n!src/gen/', yes: ['src', 'src/a.ts'], no: ['src/gen/b.ts', 'srcx', 'a/src/b'] },
  { paths: '!docs/**', yes: ['src/a.ts'], no: ['docs/a.md'] },
  { paths: '!src/gen/**\nsrc/**', yes: ['src/gen/a.ts'], no: ['lib/a.ts'] },
  { paths: 'src/**.ts', yes: ['src/a.ts', 'src/b/c.ts'], no: ['src/a.js'] },
  { paths: ' ./src/** \r\n\r\n /lib/**', yes: ['src/a', 'lib/b'], no: ['bin/c'] },
  { paths: 'app/[slug]/**', yes: ['app/[slug]/page.tsx'], no: ['app/s/page.tsx'] },
  { paths: 'apis/c++/(a)|b', yes: ['apis/c++/(a)|b'], no: ['apis/cc/a'] },
  // A longer path isn't judged.
  { paths: '!x*', yes: ['x'.repeat(1001)], no: ['x'.repeat(1000)] },
]

it.each(PATHS)('$paths includes $yes and excludes $no', ({ paths, yes, no = [] }) => {
  const { inputs, problems } = readInputs(new Map([['paths', paths]]), String)
  expect(problems).toEqual([])
  expect([...yes, ...no].filter((path) => inputs.paths?.(path))).toEqual(yes)
})

it('no globs include no path and exclude none, and an empty one is rejected', () => {
  expect(readInputs(new Map([['paths', ' ']]), String).inputs.paths).toBeUndefined()
  const { problems } = readInputs(new Map([['paths', 'src\n!/']]), String)
  expect(problems).toMatchObject([{ input: 'paths', problem: "`!/` isn't a glob." }])
})

it('a renamed file is judged by both of its paths', async () => {
  const { run, world } = await startHarness({ replies: {} })
  const renamed = {
    filename: 'lib/a.ts',
    previous_filename: 'src/a.ts',
    status: 'renamed',
  } as const
  const event = pushTo(world, { files: [renamed] })
  const inputs = { prompt: 'x', wait: 'false', 'follow-up': 'false', 'dry-run': 'true' }
  for (const [paths, result] of [
    ['src', 'dry-run'],
    ['lib', 'dry-run'],
    ['docs', 'skipped'],
  ] as const)
    expect((await run({ event, inputs: { ...inputs, paths } })).outputs['result']).toBe(result)
})
