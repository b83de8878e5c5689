import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { visit } from 'unist-util-visit'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const EXTENSIONS = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }

/** Documentation that people read. */
const PAGES = globSync(['{,.github/,bench/,docs/,docs-service/}*.md'], { cwd: ROOT }).toSorted()
const LINKS = new Map(PAGES.map((name) => [name, linksOf(name)]))

function readText(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8')
}

/**
 * Returns the relative links and pictures of a page, in Markdown or HTML, and its anchors: those of its headings, by
 * GitHub's rule, and `id` attributes.
 */
function linksOf(name: string) {
  const targets: string[] = []
  const anchors = new Set<string>()
  visit(fromMarkdown(readText(name), EXTENSIONS), (node) => {
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition')
      targets.push(node.url)
    if (node.type === 'heading') anchors.add(slugOf(node))
    if (node.type !== 'html') return
    for (const [, attribute, value = ''] of node.value.matchAll(
      /\s(src|srcset|href|id)="([^"]*)"/g,
    )) {
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
    return (
      !existsSync(join(ROOT, file)) ||
      (anchor !== '' && LINKS.get(file)?.anchors.has(anchor) !== true)
    )
  })
  expect(broken).toEqual([])
})

it('the links in messages lead to pages and anchors that exist', () => {
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).map(readText).join('\n')
  const linked = [...sources.matchAll(/docsLink\('([^']*)'\)/g)].map(([, page = '']) => page)
  const broken = linked.filter((target) => {
    const [page = '', anchor = ''] = target.split('#')
    const anchors = LINKS.get(`docs/${page}`)?.anchors
    return anchors === undefined || (anchor !== '' && !anchors.has(anchor))
  })
  expect(linked).not.toEqual([])
  expect(broken).toEqual([])
})

it.each([
  '.github/CONTRIBUTING.md',
  '.github/RELEASE.md',
  '.github/SECURITY.md',
  'bench/README.md',
])('%s names files that exist', (name) => {
  const named = readText(name).matchAll(
    /`((?:src|test|scripts|bench|examples|docs|docs-service)\/[\w./-]*)`/g,
  )
  const missing = [...named]
    .map(([, path = '']) => path)
    .filter((path) => !existsSync(join(ROOT, path)))
  expect(missing).toEqual([])
})

it('README links to every page of docs/, a page shows every picture, and a page links to every example', () => {
  const linked = (pages: readonly string[]): string[] =>
    pages.flatMap((page) => targetsOf(page).map((target) => join(dirname(page), target)))
  const files = linked(['README.md']).map((target) => target.split('#')[0])
  expect(files).toEqual(expect.arrayContaining(PAGES.filter((page) => page.startsWith('docs/'))))
  const shown = globSync(['docs/**/*.png', 'examples/*.yml'], { cwd: ROOT })
  expect(linked(PAGES)).toEqual(expect.arrayContaining(shown))
})
