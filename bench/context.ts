import { basename, dirname } from 'node:path'
import type { ChangedFile } from '../src/context/ranking.ts'
import { MAX_BYTES, renderContext } from '../src/context/render.ts'
import { type Change, isPage, isTranslation, readChanges } from './context-history.ts'

const USAGE = `Measures how much of a change the agent is told, on changes of people who changed code and documentation together.

  node bench/context.ts <git directory>:<folder of its documentation>[,<folder>] …

told of 100     of the identifiers that the documentation then used for the first time, those that the agent is told
                that is shown the rest of the change, where that does not fit into the block; their mean by change
noise of 100    bytes that show tests, lock files and translations, of those that show any file, in all changes`

const NOISE =
  /(?:^|\/)(?:tests?|__tests__|__e2e__|e2e|spec|fixtures?|testdata|__snapshots__|testing|integration)\/|[._-](?:test|spec)s?\.|_test\.\w+$|(?:^|\/)test_\w+\.py$|\.snap$|(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|go\.sum|[\w.-]+\.lock)$/

/** Of each large change the identifiers, and those told; of all changes the bytes that show files, and noise. */
type Figures = { readonly large: { facts: number; told: number }[]; bytes: number; noise: number }

function measure({ files, messages, facts }: Change, docs: readonly string[], figures: Figures): void {
  const code = files.filter(({ path }) => !isPage(path, { docs }))
  const size = code.reduce((sum, { patch = '' }) => sum + Buffer.byteLength(patch), 0)
  if (size > MAX_BYTES.diff) {
    const text = tell(code, messages)
    figures.large.push({ facts: facts.length, told: facts.filter((name) => hasWord(text, name)).length })
  }
  const [, shown = ''] = tell(files, messages).split(/^Changed files.*\n/m)
  let isNoise = false
  for (const line of shown.split('\n')) {
    const [, path] = /^[a-z]+ (?:\S+ to )?(\S+?)(?::? |$)/.exec(line) ?? []
    if (path !== undefined) isNoise = NOISE.test(path) || isTranslation(path)
    figures.bytes += Buffer.byteLength(line) + 1
    figures.noise += isNoise ? Buffer.byteLength(line) + 1 : 0
  }
}

function tell(files: readonly ChangedFile[], messages: readonly string[]): string {
  const commits = messages.map((message) => ({ sha: '0'.repeat(40), message }))
  const list = { files, total: files.length, problem: '', url: 'https://github.com/acme/ship/compare/a...b' }
  return renderContext(
    { facts: [], texts: [], commits: { commits, total: commits.length }, files: list },
    'diff',
  )
}

function hasWord(text: string, name: string): boolean {
  const at = text.indexOf(name)
  if (at === -1) return false
  const isWhole = !/[\w-]/.test(text[at - 1] ?? '') && !/[\w-]/.test(text[at + name.length] ?? '')
  return isWhole || hasWord(text.slice(at + 1), name)
}

function rowOf(repository: string, { large, bytes, noise }: Figures) {
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
  const facts = sum(large.map((change) => change.facts))
  return {
    repository,
    'changes that do not fit': large.length,
    identifiers: facts,
    'told of 100': rounded((100 * sum(large.map(({ told }) => told))) / facts),
    'mean by change': rounded((100 * sum(large.map((change) => change.told / change.facts))) / large.length),
    'noise of 100': rounded((100 * noise) / bytes),
  }
}

function rounded(figure: number): number {
  return Math.round(figure * 10) / 10
}

const given = process.argv.slice(2)
if (given.length === 0) console.log(USAGE)
else {
  const all: Figures = { large: [], bytes: 0, noise: 0 }
  const rows = given.map((word) => {
    const [gitDirectory = '', folders = ''] = word.split(':')
    const docs = folders.split(',')
    const own: Figures = { large: [], bytes: 0, noise: 0 }
    for (const change of readChanges({ gitDirectory, docs })) {
      measure(change, docs, own)
      measure(change, docs, all)
    }
    return rowOf(basename(gitDirectory) === 'repo' ? basename(dirname(gitDirectory)) : gitDirectory, own)
  })
  console.table([...rows, rowOf('all', all)])
}
