import { expect, it } from 'vitest'
import { isIncluded } from '../../src/inputs/paths.ts'
import { readInputs } from '../../src/inputs/table.ts'
import { MAX_TITLE_LENGTH } from '../../src/lib/text.ts'

function readPaths(text: string) {
  return readInputs(new Map([['paths', text]]), (value) => value)
}

type Included = {
  readonly paths: string
  readonly yes?: readonly string[]
  readonly no?: readonly string[]
}

/** From GitHub's "Filter pattern cheat sheet", and from workflows of public repositories. */
const PATTERNS: readonly Included[] = [
  { paths: '', yes: ['README.md', '.github/x.yml'] },
  { paths: '*', yes: ['README.md', 'server.rb', '.gitignore'], no: ['docs/a.md'] },
  { paths: '*.jsx?', yes: ['page.js', 'page.jsx'], no: ['page.jsxx', 'app/page.js', 'page.jsy'] },
  { paths: '**.js', yes: ['index.js', 'js/index.js', 'src/js/app.js'], no: ['app.js.map'] },
  { paths: 'docs/*', yes: ['docs/README.md', 'docs/.vale'], no: ['docs/a/b.md', 'docs', 'docsx'] },
  { paths: 'docs/**', yes: ['docs/README.md', 'docs/mona/octocat.txt'], no: ['docs', 'a/docs/b'] },
  {
    paths: 'docs/**/*.md',
    yes: ['docs/README.md', 'docs/mona/hello-world.md', 'docs/a/markdown/file.md'],
    no: ['docs/a.txt', 'docsa.md', 'docs.md'],
  },
  {
    paths: '**/docs/**',
    yes: ['docs/hello.md', 'dir/docs/my-file.txt', 'space/docs/plan/space.doc'],
    no: ['mydocs/a', 'docs'],
  },
  {
    paths: '**/*src/**',
    yes: ['a/src/app.js', 'my-src/code/js/app.js', 'src/app.js'],
    no: ['src-old/app.js', 'src'],
  },
  { paths: '*.md\n!README.md', yes: ['hello.md'], no: ['README.md', 'docs/hello.md'] },
  { paths: '*.md\n!README.md\nREADME*', yes: ['hello.md', 'README.md', 'README.doc'] },
  { paths: 'Octoc?t', yes: ['Octoct', 'Octot'], no: ['Octocat', 'Octocct'] },
  { paths: '[CB]at', yes: ['Cat', 'Bat'], no: ['cat', 'CBat', 'at'] },
  { paths: '[1-2]00', yes: ['100', '200'], no: ['300', '1-200'] },
  {
    paths: 'v[12].[0-9]+.[0-9]+/**',
    yes: ['v1.10.1/a', 'v2.0.0/b/c'],
    no: ['v3.0.0/a', 'v1.0./a'],
  },
  { paths: 'a[0-9]?.md', yes: ['a.md', 'a7.md'], no: ['a77.md'] },
  { paths: 'apis/c\\+\\+/**', yes: ['apis/c++/node/lib.rs'], no: ['apis/c/x', 'apis/cc/x'] },
  { paths: 'fo+.txt', yes: ['fo.txt', 'fooo.txt'], no: ['f.txt'] },
  { paths: '.github/workflows/check-*.ya?ml', yes: ['.github/workflows/check-md.yml'] },
  { paths: 'a**/b', yes: ['a/b', 'ax/y/b'], no: ['ab', 'a'] },
  { paths: 'packages/*/', yes: ['packages/ui/src/a.ts'], no: ['packages/README.md'] },
  { paths: 'docs', yes: ['docs', 'docs/a', 'docs/a/b.md'], no: ['docsx', 'a/docs/b', 'doc'] },
  { paths: 'docs/', yes: ['docs/a', 'docs/a/b.md'], no: ['docs', 'docsx/a'] },
  { paths: 'src\n!src/gen', yes: ['src/a.ts'], no: ['src/gen/b.ts', 'src/gen'] },
  { paths: '!src/gen/**\nsrc/**', yes: ['src/a.ts', 'src/gen/b.ts'] },
  {
    paths: '**\n!**.md\n!docs/**\ndocs/api/**',
    yes: ['a', 'docs/api/a.md'],
    no: ['a.md', 'docs/a'],
  },
  { paths: ' src/** \r\n\r\n lib/**', yes: ['src/a', 'lib/b'], no: ['bin/c'] },
  { paths: 'app/\\[slug\\]/**', yes: ['app/[slug]/page.tsx'], no: ['app/s/page.tsx'] },
  { paths: 'app/[id]/*', yes: ['app/i/x', 'app/d/x'], no: ['app/[id]/x'] },
  { paths: '\\!important.md', yes: ['!important.md'], no: ['important.md'] },
  { paths: 'a\\\\b', yes: ['a\\b'], no: ['a/b', 'ab'] },
  { paths: '{{cookiecutter.name}}/**', yes: ['{{cookiecutter.name}}/setup.py'] },
  { paths: 'ü?.md', yes: ['.md', 'ü.md'], no: ['üü.md'] },
  { paths: '🚀+.md', yes: ['🚀🚀.md'], no: ['.md'] },
  { paths: 'a.b(c)|^$', yes: ['a.b(c)|^$'], no: ['axb(c)|^$'] },
]

it.each(PATTERNS)('$paths includes $yes and excludes $no', ({ paths, yes = [], no = [] }) => {
  const { inputs, problems } = readPaths(paths)
  expect(problems).toEqual([])
  const included = [...yes, ...no].filter((path) => isIncluded(inputs.paths, path))
  expect(included).toEqual(yes)
})

it.each([
  { paths: 'src/[abc', quoted: 'src/[abc', use: '`\\[`' },
  { paths: '[!_]*.py', quoted: '[!_]*.py', use: '`\\[`' },
  { paths: 'app/[...slug]/**', quoted: 'app/[...slug]/**', use: '`\\[`' },
  { paths: '[z-a]', quoted: '[z-a]', use: '`\\[`' },
  { paths: 'apis/c++/**', quoted: 'apis/c++/**', use: '`\\+`' },
  { paths: '?.md', quoted: '?.md', use: '`\\?`' },
  { paths: '!+x\na', quoted: '!+x', use: '`\\+`' },
  { paths: '*.{ts,tsx}', quoted: '*.{ts,tsx}', use: 'one line for each' },
  { paths: 'src/**, docs/**', quoted: 'src/**, docs/**', use: 'one line for each' },
  { paths: "'src/**'", quoted: "'src/**'", use: 'without quotes' },
  { paths: '# Is this code?\nsrc/**', quoted: '# Is this code?', use: 'patterns only' },
  { paths: `src/**\n\${{ x }}`, quoted: `\${{ x }}`, use: '`with:`' },
  { paths: './src/**', quoted: './src/**', use: '`src/**`' },
  { paths: '../src', quoted: '../src', use: '`src/**`' },
  { paths: 'src\\app\\**', quoted: 'src\\app\\**', use: '`/` between folders' },
  { paths: '!', quoted: '!', use: 'a pattern after `!`' },
  { paths: '!docs/**\n!*.md', quoted: '!docs/** !*.md', use: '`**` as the first line' },
  { paths: '- src/**\n- docs/**', quoted: '- src/** - docs/**', use: 'one per line' },
  { paths: '["src/**", "docs/**"]', quoted: '["src/**", "docs/**"]', use: 'one per line' },
])('the wrong pattern $quoted is rejected by name', ({ paths, quoted, use }) => {
  const { problems } = readPaths(paths)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatchObject({ input: 'paths', use: expect.stringContaining(use) })
  expect(problems[0]?.problem).toContain(`\`${quoted}\` `)
  expect(problems[0]?.title?.length).toBeLessThanOrEqual(MAX_TITLE_LENGTH)
})

it('the work for a hostile path grows with its length alone', () => {
  const { paths } = readPaths(`${'**a'.repeat(10)}b`).inputs
  const looksAt = (length: number): number => {
    let looks = 0
    const watched = paths.map((pattern) => {
      const get = (steps: typeof pattern.steps, name: string | symbol): unknown => {
        looks += 1
        return Reflect.get(steps, name)
      }
      return { ...pattern, steps: new Proxy(pattern.steps, { get }) }
    })
    expect(isIncluded(watched, 'a'.repeat(length))).toBe(false)
    return looks
  }
  expect(looksAt(1000)).toBeLessThan(2.1 * looksAt(500))
})

it('a path of more than 1,000 characters is included', () => {
  const { paths } = readPaths('src/**').inputs
  expect(isIncluded(paths, `lib/${'a'.repeat(996)}`)).toBe(false)
  expect(isIncluded(paths, `lib/${'a'.repeat(997)}`)).toBe(true)
})
