import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { readOptions } from './options.ts'

const USAGE = `Finds words and phrases that readers stumble over: in pages, action.yml, and workflows; in comments and
strings of src, scripts, and docs-service; and in the names of tests.

  node scripts/plain-words.ts              the files of this repository
  node scripts/plain-words.ts FILE…        these files`
const ROOT = join(import.meta.dirname, '..')
const PROSE =
  /^(?:[^/]+|(?:bench|docs|docs-service|examples|\.github|\.github\/workflows)\/[^/]+)\.(?:md|yml)$/

const CODE = /^(?:src|scripts|docs-service)\/.*\.ts$/
const TESTS = /^test\/.*\.ts$/
/** The functions of vitest whose first argument is a name. */
const NAMED = ['it', 'test', 'describe']

/** A pattern of text to avoid, and the text to write instead. */
type Rule = { readonly write: string; readonly pattern: RegExp }

function readRules(): Rule[] {
  const text = readFileSync(join(import.meta.dirname, 'plain-words.txt'), 'utf8')
  let write = ''
  const rules: Rule[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('[') && line.endsWith(']')) write = line.slice(1, -1)
    else if (line !== '' && !line.startsWith('# '))
      rules.push({ write, pattern: new RegExp(line.replaceAll(' ', '\\s+'), 'gm') })
  }
  return rules
}

/** Blanks everything but prose, each character by another one, so that lines stay where they are. */
function proseOf(path: string): string {
  const text = readFileSync(resolve(ROOT, path), 'utf8')
  if (path.endsWith('.ts')) return proseOfTypeScript(path, text)
  const prose = text
    .replace(/^ *```[\s\S]*?^ *```|<!--[\s\S]*?-->|\]\([^)]*\)|<[^>\n]*>/gm, blank)
    .replace(/`[^`\n]+`/g, (code) => '•'.repeat(code.length))
  return path.endsWith('.md') ? prose : prose.replace(/^ *#|(?<=\s)#/gm, blank)
}

/** Keeps comments and strings; of a test, only its names. */
function proseOfTypeScript(path: string, text: string): string {
  const kept: string[] = blank(text).split('')
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const keep = (from: number, to: number) => {
    const words = text.slice(from, to).replace(/`[^`\n]+`/g, (code) => '•'.repeat(code.length))
    kept.splice(from, to - from, ...words.replace(/^ *(?:\/\/|\/?\*+\/?)/gm, blank).split(''))
  }
  const isTest = TESTS.test(path)
  const visit = (node: ts.Node) => {
    const children = node.getChildren(file).filter((child) => !ts.isJSDoc(child))
    if (children.length === 0) {
      if (!isTest) keep(node.pos, node.getStart(file))
      if (isTest && !isTestName(node)) return
      if (ts.isStringLiteral(node)) {
        keep(node.getStart(file) + 1, node.end - 1)
        // So that two strings never look like one phrase.
        kept[node.getStart(file)] = '~'
        kept[node.end - 1] = '~'
      } else if (ts.isTemplateLiteralToken(node)) keep(node.getStart(file) + 1, node.end - 1)
    }
    children.forEach(visit)
  }
  visit(file)
  return kept.join('')
}

/** Whether this is the first argument of `it`, `test`, or `describe`, also of `it.each(…)`. */
function isTestName(node: ts.Node): boolean {
  const call = node.parent
  if (!ts.isCallExpression(call) || call.arguments[0] !== node) return false
  let callee: ts.Node = call.expression
  while (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee))
    callee = callee.expression
  return ts.isIdentifier(callee) && NAMED.includes(callee.text)
}

function blank(text: string): string {
  return text.replace(/\S/g, ' ')
}

function findingsIn(path: string, rules: readonly Rule[]): string[] {
  const text = proseOf(path)
  // The embedded docs service isn't Mintlify.
  const wanted = rules.filter(
    ({ write }) => write !== 'Mintlify' || !path.startsWith('docs-service/'),
  )
  return wanted.flatMap(({ write, pattern }) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => {
      const line = text.slice(0, index).split('\n').length
      return `${path}:${line}: "${found.trim().replace(/\s+/g, ' ')}": write ${write}`
    }),
  )
}

const { positionals } = readOptions(USAGE, { allowPositionals: true })
const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
const rules = readRules()
const ours = tracked.filter((path) => [PROSE, CODE, TESTS].some((kind) => kind.test(path)))
for (const path of positionals.length > 0 ? positionals : ours) {
  const findings = findingsIn(path, rules)
  if (findings.length === 0) continue
  console.log(findings.join('\n'))
  process.exitCode = 1
}
