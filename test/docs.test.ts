import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { getOctokit } from '@actions/github'
import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { visit } from 'unist-util-visit'
import { describe, expect, it } from 'vitest'
import { inputNames } from '../src/inputs/read.ts'

const ROOT = join(import.meta.dirname, '..')
const EXTENSIONS = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }

/** Documentation that people read; `docs/pictures` holds what pictures were made from. */
const PAGES = globSync(['*.md', 'docs/*.md', 'docs-service/*.md'], { cwd: ROOT }).toSorted()
const LINKS = new Map(PAGES.map((name) => [name, linksOf(name)]))

function readText(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8')
}

/**
 * What a page links to or shows of ours, in Markdown or HTML, and its anchors: those of its headings, by GitHub's rule,
 * and those it names itself.
 */
function linksOf(name: string) {
  const targets: string[] = []
  const anchors = new Set<string>()
  visit(fromMarkdown(readText(name), EXTENSIONS), (node) => {
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition') targets.push(node.url)
    if (node.type === 'heading') anchors.add(slugOf(node))
    if (node.type !== 'html') return
    for (const [, attribute, value = ''] of node.value.matchAll(/\s(src|srcset|href|id)="([^"]*)"/g)) {
      if (attribute === 'id') anchors.add(value)
      else targets.push(value)
    }
  })
  return { targets: targets.filter((target) => !/^[a-z]+:/i.test(target)), anchors }
}

function slugOf(heading: Nodes): string {
  let text = ''
  visit(heading, (node) => {
    if (node.type === 'text' || node.type === 'inlineCode') text += node.value
  })
  const kept = text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
  return kept.replaceAll(' ', '-')
}

function targetsOf(name: string): readonly string[] {
  return LINKS.get(name)?.targets ?? []
}

it.each(PAGES)('%s links to files and anchors that exist', (name) => {
  const broken = targetsOf(name).filter((target) => {
    const [path = '', anchor = ''] = target.split('#')
    const file = path === '' ? name : relative(ROOT, resolve(ROOT, dirname(name), path))
    return !existsSync(join(ROOT, file)) || (anchor !== '' && LINKS.get(file)?.anchors.has(anchor) !== true)
  })
  expect(broken).toEqual([])
})

it.each(['CONTRIBUTING.md', 'PERFORMANCE.md', 'RELEASE.md', 'SECURITY.md'])(
  '%s names files that exist',
  (name) => {
    const named = readText(name).matchAll(
      /`((?:src|test|scripts|bench|examples|docs|docs-service)\/[\w./-]*)`/g,
    )
    const missing = [...named].map(([, path = '']) => path).filter((path) => !existsSync(join(ROOT, path)))
    expect(missing).toEqual([])
  },
)

it('every page of docs/ and every picture is shown or linked where people look for it', () => {
  const listed = targetsOf('docs/README.md').map((target) => join('docs', target))
  expect(listed).toEqual(expect.arrayContaining(PAGES.filter((page) => /^docs\/(?!README)/.test(page))))
  const shown = PAGES.flatMap((page) => targetsOf(page).map((target) => join(dirname(page), target)))
  expect(shown).toEqual(expect.arrayContaining(globSync('docs/**/*.png', { cwd: ROOT })))
})

it('every example has a recipe under the name of its file, which links it and holds no second copy of it', () => {
  const recipes = readText('docs/recipes.md')
  for (const path of globSync('examples/*.yml', { cwd: ROOT })) {
    expect(LINKS.get('docs/recipes.md')?.anchors).toContain(basename(path, '.yml'))
    expect(targetsOf('docs/recipes.md')).toContain(`../${path}`)
  }
  expect(recipes).not.toMatch(/^jobs:$/m)
  const words = (name: string): number => readText(name).split(/\s+/).length
  expect(words('docs/recipes.md')).toBeLessThanOrEqual(3500)
  expect(words('docs/reusable-workflows.md')).toBeLessThanOrEqual(900)
})

it('the README fits on 250 lines, and begins with ten lines of YAML and short sentences', () => {
  const lines = readText('README.md').split('\n')
  expect(lines.length).toBeLessThanOrEqual(250)
  const head = lines.slice(0, 100).join('\n')
  const [fenced = ''] = /```yaml\n[\s\S]+?```/.exec(head) ?? []
  expect(fenced.split('\n').length - 2).toBeLessThanOrEqual(10)
  expect(lines.indexOf('```yaml')).toBeLessThan(10)
  const prose = head
    .replace(/```[\s\S]*?```|<[^>]+>|\]\([^)]*\)|^#.*$/gm, '')
    .replace(/^ *(?:-|\d\.) |\|/gm, '\n\n')
  const sentences = prose.split(/\n\s*\n/).flatMap((text) => text.split(/(?<=[.!?])\**\s+/))
  expect(sentences.filter((sentence) => (sentence.match(/\S*\w\S*/g) ?? []).length > 30)).toEqual([])
})

it('docs/commands.md names every call to GitHub', () => {
  const source = globSync('src/**/*.ts', { cwd: ROOT }).map(readText).join('\n')
  const { rest } = getOctokit('token')
  const page = readText('docs/commands.md')
  type Calls = Readonly<Record<string, { endpoint: { DEFAULTS: { url: string } } }>>
  const groups: Readonly<Record<string, Calls>> = rest
  const calls = [...source.matchAll(/\brest\.(\w+)\.(\w+)/g)].map(([text, group = '', call = '']) => {
    return groups[group]?.[call]?.endpoint.DEFAULTS.url ?? text
  })
  expect(calls.length).toBeGreaterThan(5)
  const paths = calls.map((url) => url.replace('/repos/{owner}/{repo}', '').replace('/{reaction_id}', ''))
  expect(paths.filter((path) => !page.includes(` ${path}\``))).toEqual([])
})

describe('a message that the documentation quotes', () => {
  const sources = globSync(['src/**/*.ts', 'scripts/build.ts'], { cwd: ROOT }).map(readText).join('\n')
  /** The message of a wrong input begins with the input's name. */
  const inputName = new RegExp(`^(?:${inputNames().join('|')}) `)

  /** What stands in backticks in the columns headed "Message". */
  function quotesIn(name: string): string[] {
    const tables = readText(name).matchAll(/^\|(?: Kind \|)? Message \|.*\n\|[ -|]*\n((?:\|.*\n)+)/gm)
    return [...tables].flatMap(([table, rows = '']) => {
      const column = table.startsWith('| Kind') ? 1 : 0
      return rows
        .split('\n')
        .flatMap((row) => [...(row.split(' | ')[column] ?? '').matchAll(/`` (.+?) ``|`([^`]+)`/g)])
        .map(([, long, short]) => long ?? short ?? '')
    })
  }

  /** The pieces of a quote that the source must have: `…` stands for what differs from run to run. */
  function piecesOf(quote: string): string[] {
    return quote
      .replace(/ \(\d{3}\)$/, '…')
      .split('…')
      .map((piece) => piece.replace(inputName, '').trim())
      .filter((piece) => /[a-z]/i.test(piece))
  }

  it.each(['README.md', 'docs/troubleshooting.md'])('in %s is one that the action prints', (name) => {
    const quotes = quotesIn(name)
    expect(quotes.length).toBeGreaterThan(5)
    // In the source, a backtick within a template is escaped.
    const text = sources.replaceAll('\\`', '`')
    expect(quotes.filter((quote) => !piecesOf(quote).every((piece) => text.includes(piece)))).toEqual([])
  })
})
