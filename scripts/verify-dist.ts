import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/**
 * Compares the files of `dist/`, byte for byte, with those of the commit that is checked out.
 *
 * @returns the paths that differ, are missing, or are there without being in the commit
 */
function differences(): string[] {
  const committed = new Map(
    git('ls-tree', '-r', '-z', '--format=%(objectname) %(path)', 'HEAD', 'dist')
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]),
  )
  const found = new Map(
    readdirSync(join(ROOT, 'dist'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(ROOT.length + 1)
          .replaceAll('\\', '/'),
      )
      // Without filters: no line ending is turned into another before the bytes are looked at.
      .map((path) => [path, git('hash-object', '--no-filters', path).trim()]),
  )
  return [...new Set([...committed.keys(), ...found.keys()])]
    .filter((path) => committed.get(path) !== found.get(path))
    .sort()
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' })
}

const different = differences()
if (different.length > 0) {
  console.error(
    `dist/ is not what is committed: ${different.join(', ')}. Run npm run build and commit dist/.`,
  )
  process.exitCode = 1
} else {
  console.log('dist/ is byte for byte what is committed.')
}
