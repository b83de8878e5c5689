import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readOptions } from './options.ts'

const USAGE = `Finds words that GitHub Docs doesn't use, in pages, workflows, and the comments and strings of the code.

  node scripts/plain-words.ts              the files of this repository
  node scripts/plain-words.ts FILE…        these files`
const ROOT = resolve(import.meta.dirname, '..')
const CHECKED = /^(?:(?:bench|docs|docs-service|examples|\.github\/?.*)\/)?[^/]+\.(?:md|ya?ml)$/
const CODE = /^(?:src|scripts|docs-service)\/.+\.ts$/

/** What to write instead, and the words that are found. A space also matches the end of a line. */
const RULES: readonly (readonly [write: string, pattern: RegExp])[] = [
  ['someone, anyone, people', /\b(?:some|any|every|no)body\b/gi],
  ['again', /\banew\b/gi],
  ['organization, recognize, labeled, color', /\b(?:organisation|recognise|labelled|colour)/gi],
  ['canceled', /(?<!['"`~-])\bcancelled\b(?!['"`(~])/gi],
  ['62%', /\d %(?!\w)/g],
  ['rejects', /\b(?:GitHub|Mintlify) refuse[sd]?\b/g],
  ['the result of', /\bwhat (?:came|comes|became|becomes) of\b/gi],
  ['matrix job', /\b(?:matrix|each|every|one) legs?\b/gi],
  ['shows the reason, warns', /\bsa(?:ys|id) so\b/gi],
]

/** Blanks code, so that lines stay where they are. */
function proseOf(path: string): string {
  const text = readFileSync(resolve(ROOT, path), 'utf8')
  if (path.endsWith('.ts')) {
    const kept =
      /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g
    let end = 0
    const parts = [...text.matchAll(kept)].map(({ 0: found, index }) => {
      const before = blank(text.slice(end, index))
      end = index + found.length
      return before + found
    })
    return parts.join('')
  }
  return text.replace(/^ *```[\s\S]*?^ *```|`[^`\n]+`|\]\([^)]*\)/gm, blank)
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, '~')
}

function findingsIn(path: string): string[] {
  const text = proseOf(path)
  return RULES.flatMap(([write, { source, flags }]) =>
    [...text.matchAll(new RegExp(source.replaceAll(' ', '\\s+'), flags))].map(
      ({ index, 0: found }) => {
        const line = text.slice(0, index).split('\n').length
        return `${path}:${line}: "${found.replace(/\s+/g, ' ')}": write ${write}`
      },
    ),
  )
}

const { positionals } = readOptions(USAGE, { allowPositionals: true })
const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
const ours = tracked.filter((path) => CHECKED.test(path) || CODE.test(path))
for (const path of positionals.length > 0 ? positionals : ours) {
  const findings = findingsIn(path)
  if (findings.length === 0) continue
  console.log(findings.join('\n'))
  process.exitCode = 1
}
