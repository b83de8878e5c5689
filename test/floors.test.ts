import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const SRC = join(import.meta.dirname, '../src')
/** From the top down: a file may import from its own floor and those below. */
const FLOORS = ['index.ts', 'story', 'edges', 'report', 'work', 'service', 'machinery']

type Import = { readonly file: string; readonly specifier: string; readonly target: string }

const files = globSync('**/*.ts', { cwd: SRC, exclude: ['**/*.d.ts'] })
const imports: Import[] = files.flatMap((file) => {
  const code = readFileSync(join(SRC, file), 'utf8')
  return [...code.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, specifier = '']) => ({
    file,
    specifier,
    target: specifier.startsWith('.') ? relative(SRC, join(SRC, dirname(file), specifier)) : '',
  }))
})

function floorOf(file: string): number {
  return FLOORS.indexOf(file.split('/')[0] ?? '')
}

/** Whether an import leads to a file of the source: not to a package, by name or by path. */
function isOurs(target: string): boolean {
  return target !== '' && !target.includes('node_modules')
}

function filesThatMatch(pattern: RegExp): string[] {
  return files.filter((file) => pattern.test(readFileSync(join(SRC, file), 'utf8')))
}

describe('the floors of the source', () => {
  it('are all known', () => {
    expect(files.filter((file) => floorOf(file) < 0)).toEqual([])
  })

  it('are only imported from above', () => {
    const upward = imports.filter(({ file, target }) => isOurs(target) && floorOf(target) < floorOf(file))
    expect(upward).toEqual([])
  })

  it('have no circles', () => {
    const next = Map.groupBy(
      imports.filter(({ target }) => target !== ''),
      ({ file }) => file,
    )
    const visit = (file: string, way: readonly string[]): string[][] => {
      if (way.includes(file)) return [[...way.slice(way.indexOf(file)), file]]
      return (next.get(file) ?? []).flatMap(({ target }) => visit(target, [...way, file]))
    }
    expect(visit('index.ts', [])).toEqual([])
  })
})

describe('what comes from outside', () => {
  it('@actions is known to the edges alone', () => {
    const others = imports.filter(
      ({ file, specifier }) => specifier.includes('@actions/') && !file.startsWith('edges/'),
    )
    expect(others).toEqual([])
  })

  it('undici is known to one file', () => {
    const users = new Set(
      imports.filter(({ specifier }) => /\bundici\b/.test(specifier)).map(({ file }) => file),
    )
    expect([...users]).toEqual(['machinery/http-way.ts'])
  })

  it('the environment and the clock are read in one place each', () => {
    expect(filesThatMatch(/process\.env/)).toEqual(['story/run.ts'])
    expect(filesThatMatch(/Date\.now|new Date\(\)|performance\./)).toEqual(['machinery/clock.ts'])
  })

  it('no file ends the process or is longer than 200 lines', () => {
    expect(filesThatMatch(/process\.exit\b/)).toEqual([])
    const long = files.filter((file) => readFileSync(join(SRC, file), 'utf8').split('\n').length > 201)
    expect(long).toEqual([])
  })
})
