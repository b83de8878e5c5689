import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { SCENES } from './picture-scenes.ts'
import { drawSummary, SCHEMES, type Scheme, startBrowser } from './summary-page.ts'

const USAGE = `Makes the pictures of the documentation from dist/, with fixed data, in light and dark.

  npm run pictures              writes docs/**.png, and beside them in docs/pictures the Markdown each was made from
  npm run pictures -- --check   fails where that Markdown is not what dist/ makes now; needs no browser

The pictures need Chromium: CHROMIUM, or /usr/bin/chromium (apt-get install chromium).`

const DOCS = join(import.meta.dirname, '../docs')

/** Where the README expects its pictures; the others are in docs/pictures. */
const IN_README: Readonly<Record<string, Readonly<Record<Scheme, string>>>> = {
  'job-summary': { light: 'job-summary.png', dark: 'job-summary-dark.png' },
  'visitors-report': { light: 'visitors-report-light.png', dark: 'visitors-report-dark.png' },
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { check: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  })
  if (values.help) return console.log(USAGE)
  const made = await Promise.all(
    SCENES.map(async ({ name, summary }) => ({ name, markdown: await summary() })),
  )
  if (!values.check) return draw(made)
  const stale = made.flatMap(({ name, markdown }) => differenceOf(name, markdown))
  if (stale.length === 0) return
  console.error(
    `${stale.join('\n')}\nThe pictures show what the code no longer makes; run npm run pictures and commit.`,
  )
  process.exitCode = 1
}

async function draw(made: readonly { name: string; markdown: string }[]): Promise<void> {
  const browser = await startBrowser()
  try {
    for (const { name, markdown } of made) {
      write(sourceOf(name), markdown)
      for (const scheme of SCHEMES) {
        const file = IN_README[name]?.[scheme] ?? `pictures/${name}-${scheme}.png`
        write(join(DOCS, file), await drawSummary(browser, markdown, { scheme }))
        console.log(`docs/${file}`)
      }
    }
  } finally {
    await browser.close()
  }
}

/** The first line that differs, in words; nothing if none does. */
function differenceOf(name: string, markdown: string): string[] {
  const kept = readOr(sourceOf(name), '').split('\n')
  const now = markdown.split('\n')
  const at = now.findIndex((line, index) => line !== kept[index])
  const line = at < 0 && kept.length > now.length ? now.length : at
  if (line < 0) return []
  return [
    `docs/pictures/${name}.md differs from line ${line + 1} on:`,
    `  - ${kept[line] ?? '(end)'}`,
    `  + ${now[line] ?? '(end)'}`,
  ]
}

function sourceOf(name: string): string {
  return join(DOCS, 'pictures', `${name}.md`)
}

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}

await main()
