import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Marked } from 'marked'
import { type Browser, chromium, type Page } from 'playwright-core'

/** The colours of the reader's system. */
export type Scheme = 'light' | 'dark'

export const SCHEMES: readonly Scheme[] = ['light', 'dark']

/** Width of a job summary on a common screen, in pixels. */
const WIDTH = 1012

/** Starts Chromium: `CHROMIUM`, or /usr/bin/chromium. Throws if it is missing. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  })
}

/**
 * Draws a job summary as GitHub shows it, as a PNG. Throws if Mermaid can't draw one of its charts.
 *
 * @param options.unfold whether what is folded is shown
 */
export async function drawSummary(
  browser: Browser,
  markdown: string,
  { scheme, unfold = false }: { scheme: Scheme; unfold?: boolean },
): Promise<Buffer> {
  const page = await browser.newPage({
    colorScheme: scheme,
    viewport: { width: WIDTH, height: 600 },
    deviceScaleFactor: 1.25,
  })
  await page.setContent(pageOf(markdown, scheme))
  if ((await page.locator('.mermaid').count()) > 0) await drawCharts(page, scheme)
  if (unfold) await setFolded(page, false)
  const png = await page.locator('article').screenshot()
  await page.close()
  return png
}

async function drawCharts(page: Page, scheme: Scheme): Promise<void> {
  await page.addScriptTag({ path: fileOf('mermaid/dist/mermaid.min.js') })
  // Mermaid can't measure what is folded.
  await setFolded(page, false)
  // GitHub gives Mermaid its `default` or `dark` theme, and lets diagrams run no script.
  const theme = scheme === 'dark' ? 'dark' : 'default'
  await page.evaluate(
    `mermaid.initialize({ startOnLoad: false, securityLevel: 'strict', theme: '${theme}' }); mermaid.run()`,
  )
  const charts = await page.locator('.mermaid').count()
  const drawn = await page.locator('.mermaid svg:not([aria-roledescription="error"])').count()
  if (drawn !== charts) throw new Error(`Mermaid drew ${drawn} of ${charts} charts.`)
  await setFolded(page, true)
}

async function setFolded(page: Page, folded: boolean): Promise<void> {
  await page.evaluate(
    `for (const part of document.querySelectorAll('details')) part.toggleAttribute('open', ${!folded})`,
  )
}

function pageOf(markdown: string, scheme: Scheme): string {
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
