import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** Lengths of hostile texts: 4 times as long takes a linear pattern 4 times as long, a quadratic one 16 times. */
const LENGTHS = { short: 2 * 1024, long: 8 * 1024 }
const MAX_GROWTH = 9
/** Shorter times of a short text are mostly noise, and no linear pattern takes the longer one. */
const MIN_MS = 0.2
const MAX_MS = 5
const TRIES = Array.from({ length: 6 })
/** What repeats without a bound: a pattern without it takes no longer for each character of a longer text. */
const UNBOUNDED = /(?<!\\)[*+]|\{\d+,\}/

/**
 * Files with patterns that are quadratic on hostile texts, and how many each has. Their input has a bound, or is not from
 * outside; a number may only become smaller.
 */
const QUADRATIC: Readonly<Record<string, number>> = {
  // Addresses and paths from the workflow.
  'src/act/source-comment.ts': 1,
  'src/inputs/formats.ts': 1,
  'src/mintlify/mintlify-client.ts': 1,
  // Mintlify's words, of which a few hundred characters are kept.
  'src/mintlify/mintlify-errors.ts': 2,
  // A tag, of at most 255 characters.
  'src/look/tags.ts': 1,
  // An input, of which 200 characters are judged.
  'src/inputs/table.ts': 1,
}

type Pattern = { readonly file: string; readonly pattern: RegExp }

/** Finds the patterns of a file, also those that are put together of constants of the same file. */
function patternsOf(file: string): Pattern[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const constants = new Map<string, string>()
  const found: Pattern[] = []
  const textOf = (node: ts.Node): string | undefined => {
    if (ts.isStringLiteralLike(node)) return node.text
    if (ts.isIdentifier(node)) return constants.get(node.text)
    if (!ts.isTemplateExpression(node)) return undefined
    const parts = node.templateSpans.map(({ expression, literal }) => {
      const value = textOf(expression)
      return value === undefined ? undefined : `${value}${literal.text}`
    })
    return parts.includes(undefined) ? undefined : [node.head.text, ...parts].join('')
  }
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      const value = textOf(node.initializer)
      if (value !== undefined) constants.set(node.name.text, value)
    }
    if (ts.isRegularExpressionLiteral(node)) {
      const [, body = '', flags = ''] = /^\/(.*)\/(\w*)$/s.exec(node.text) ?? []
      found.push({ file, pattern: new RegExp(body, flags) })
    }
    const isMade = ts.isNewExpression(node) || ts.isCallExpression(node)
    if (isMade && node.expression.getText() === 'RegExp') {
      const [body, flags] = (node.arguments ?? []).map(textOf)
      if (body !== undefined) found.push({ file, pattern: new RegExp(body, flags ?? '') })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const KINDS = [' ', 'a', '0', '/', '@', '"', '-', '.', '\n', '`', '<!--', '0.']

/** Pieces of text that a pattern takes in: its words, its marks, and one of each kind of characters. */
function piecesOf({ source, ignoreCase }: RegExp): string[] {
  const plain = source
    .replace(/\\[pP]\{\w+\}|\(\?[<!=:]*|\\[wWdDsSbB]/g, ' ')
    .replace(/\\n/g, '\n')
    .replace(/\\(.)/g, '$1')
  const words = plain.match(/[\p{L}\d_]+/gu) ?? []
  const phrases = plain.match(/[\p{L}\d_ -]{3,}/gu) ?? []
  const marks = plain.match(/[^\p{L}\d_|?*+{}[\]()^$]/gu) ?? []
  const all = [...KINDS, ...words, ...phrases, ...marks].filter((piece) => piece.length < 40)
  return [...new Set(ignoreCase ? all.map((piece) => piece.toLowerCase()) : all)]
}

/** Texts that go on and on and then end as the pattern can't want it, each by its beginning and what is repeated. */
function* hostileTexts(pattern: RegExp): Generator<(length: number) => string> {
  const pieces = piecesOf(pattern)
  const first = /^\^?((?:[\w #@<!-]|\\.)+)/.exec(pattern.source)?.[1]?.replace(/\\(.)/g, '$1') ?? ''
  for (const one of pieces) {
    for (const other of ['', ...KINDS.slice(0, 7)]) {
      const unit = `${one}${other}`
      for (const start of new Set(['', first]))
        yield (length) => `${start}${unit.repeat(length / unit.length)}\0\n\0`
    }
  }
}

/** Measures how long a global pattern takes to find all it finds, in milliseconds. */
function timeOf(pattern: RegExp, text: string): number {
  const startedAt = performance.now()
  text.replace(pattern, '')
  return performance.now() - startedAt
}

/** Finds a text on which a pattern's time grows faster than its length; returns its beginning. */
function findQuadratic(pattern: RegExp): string | undefined {
  if (!UNBOUNDED.test(pattern.source)) return undefined
  // V8 compiles a pattern once it is used again.
  const global = new RegExp(pattern, [...new Set(`${pattern.flags}g`)].join(''))
  for (const textOf of hostileTexts(pattern)) {
    const [short, long] = [textOf(LENGTHS.short), textOf(LENGTHS.long)]
    let shortMs = Number.POSITIVE_INFINITY
    // On a busy machine some tries take longer, so a pattern is slow only if all tries are.
    const isSlow = TRIES.every(() => {
      shortMs = Math.min(shortMs, timeOf(global, short))
      return shortMs >= MIN_MS
    })
    const isSlower = () => timeOf(global, long) > MAX_GROWTH * shortMs
    if (isSlow && (shortMs > MAX_MS || TRIES.every(isSlower))) return long.slice(0, 60)
  }
  return undefined
}

describe('a hostile text of 8 KiB', () => {
  it.each([
    /(?:openapi|swagger)[\w.-]*\.(?:ya?ml|json)$/i,
    /^404 .*(?:(?:route|endpoint)\b.* not found)/i,
    /<!--(?:>|[\s\S]*?-->)/,
  ])('takes a quadratic pattern far longer than one of 2 KiB: %s', (pattern) => {
    expect(findQuadratic(pattern)).toBeDefined()
  })

  it.each(globSync('src/**/*.ts', { cwd: ROOT }))(
    'takes each pattern of %s about 4 times as long as one of 2 KiB',
    (file) => {
      const found = patternsOf(file).flatMap(({ pattern }) => {
        const text = findQuadratic(pattern)
        return text === undefined ? [] : [`${pattern.source}: ${text}`]
      })
      expect(found.length, found.join('\n')).toBeLessThanOrEqual(QUADRATIC[file] ?? 0)
    },
  )
})
