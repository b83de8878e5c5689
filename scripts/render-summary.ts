import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { Marked } from 'marked'
import { type Browser, chromium } from 'playwright-core'
import { sampleSummary } from './sample-summary.ts'

const USAGE = `Renders a job summary as GitHub shows it, in light and dark, and fails if Mermaid can't draw a chart.

  node scripts/render-summary.ts [--out NAME] [FILE]

  FILE   a summary in Markdown; left out: the visitors report of the embedded docs service
  --out  NAME-light.png and NAME-dark.png are written (default: summary)

It needs Chromium: CHROMIUM, or /usr/bin/chromium (apt-get install chromium).`

const SCHEMES = ['light', 'dark'] as const

/** Width of a job summary on a common screen, in pixels. */
const WIDTH = 1012

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string', default: 'summary' }, help: { type: 'boolean', default: false } },
  })
  if (values.help) return console.log(USAGE)
  const [file] = positionals
  const markdown = file === undefined ? await sampleSummary() : readFileSync(file, 'utf8')
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  })
  try {
    for (const scheme of SCHEMES) {
      const path = `${values.out}-${scheme}.png`
      writeFileSync(path, await render(browser, markdown, scheme))
      console.log(path)
    }
  } finally {
    await browser.close()
  }
}

async function render(browser: Browser, markdown: string, scheme: (typeof SCHEMES)[number]): Promise<Buffer> {
  const page = await browser.newPage({
    colorScheme: scheme,
    viewport: { width: WIDTH, height: 600 },
    deviceScaleFactor: 1.25,
  })
  await page.setContent(pageOf(markdown, scheme))
  await page.addScriptTag({ path: fileOf('mermaid/dist/mermaid.min.js') })
  // GitHub gives Mermaid its `default` or `dark` theme, and lets diagrams run no script.
  const theme = scheme === 'dark' ? 'dark' : 'default'
  await page.evaluate(
    `mermaid.initialize({ startOnLoad: false, securityLevel: 'strict', theme: '${theme}' }); mermaid.run()`,
  )
  const charts = await page.locator('.mermaid').count()
  const drawn = await page.locator('.mermaid svg:not([aria-roledescription="error"])').count()
  if (drawn !== charts) throw new Error(`Mermaid drew ${drawn} of ${charts} charts.`)
  const png = await page.locator('article').screenshot()
  await page.close()
  return png
}

function pageOf(markdown: string, scheme: string): string {
  const marked = new Marked({ gfm: true })
  marked.use({
    renderer: {
      code: ({ text, lang }) =>
        lang === 'mermaid' ? `<pre class="mermaid">${escaped(text)}</pre>` : `<pre>${escaped(text)}</pre>`,
    },
  })
  const style = readFileSync(fileOf(`github-markdown-css/github-markdown-${scheme}.css`), 'utf8')
  return `<!doctype html><meta charset="utf-8"><style>${style}
    body { margin: 0 } article { padding: 24px 32px } .mermaid { background: none !important; text-align: center }
  </style><article class="markdown-body">${marked.parse(markdown)}</article>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function fileOf(name: string): string {
  return createRequire(import.meta.url).resolve(name)
}

await main()
