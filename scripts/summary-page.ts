import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Marked } from 'marked'
import { type Browser, chromium, type Page } from 'playwright-core'

/** The colors of the reader's system. */
export const SCHEMES = ['light', 'dark'] as const

type Look = {
  readonly scheme: (typeof SCHEMES)[number]
  /** In CSS pixels. */
  readonly width: number
}

/** Starts Chromium: `CHROMIUM`, or /usr/bin/chromium. @throws with what to install */
export function startBrowser(): Promise<Browser> {
  const fonts = spawnSync('fc-list', [':lang=und-zsye'], { encoding: 'utf8' })
  if (fonts.stdout === '')
    throw new Error('No font has emoji: apt-get install fonts-noto-color-emoji.')
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
  const args = ['--headless', '--no-sandbox', '--disable-gpu']
  return chromium.launch({ executablePath, args }).catch((cause) => {
    throw new Error(`No browser at ${executablePath}: apt-get install chromium, or set CHROMIUM.`, {
      cause,
    })
  })
}

/** Draws Markdown as GitHub shows it, as a PNG. @throws if Mermaid can't draw one of its charts */
export async function drawMarkdown(
  browser: Browser,
  markdown: string,
  look: Look,
): Promise<Buffer> {
  const { scheme, width } = look
  const viewport = { width, height: 600 }
  const page = await browser.newPage({
    colorScheme: scheme,
    viewport,
    deviceScaleFactor: width < 600 ? 2 : 1.25,
  })
  await page.setContent(pageOf(markdown, look))
  const parts = `document.querySelectorAll('details')`
  // Mermaid can't measure folded charts.
  await page.evaluate(`for (const part of ${parts}) part.open = true`)
  await drawCharts(page, scheme)
  await page.evaluate(`for (const part of ${parts}) part.open = false`)
  const box = await page.locator('article').boundingBox()
  const clip = { x: 0, y: 0, width, height: box?.height ?? 0 }
  const png = await page.screenshot({ clip, fullPage: true })
  await page.close()
  return png
}

async function drawCharts(page: Page, scheme: Look['scheme']): Promise<void> {
  const charts = await page.locator('.mermaid').count()
  if (charts === 0) return
  await page.addScriptTag({ path: fileOf('mermaid/dist/mermaid.min.js') })
  // GitHub gives Mermaid its `default` or `dark` theme, and lets diagrams run no script.
  const look = `securityLevel: 'strict', theme: '${scheme === 'dark' ? 'dark' : 'default'}'`
  await page.evaluate(`mermaid.initialize({ startOnLoad: false, ${look} }); mermaid.run()`)
  const drawn = await page.locator('.mermaid svg:not([aria-roledescription="error"])').count()
  if (drawn !== charts) throw new Error(`Mermaid drew ${drawn} of ${charts} charts.`)
}

function pageOf(markdown: string, { scheme, width }: Look): string {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const marked = new Marked({ gfm: true })
  marked.use({
    renderer: {
      code: ({ text, lang }) =>
        `<pre${lang === 'mermaid' ? ' class="mermaid"' : ''}>${escaped(text)}</pre>`,
    },
  })
  const style = readFileSync(fileOf(`github-markdown-css/github-markdown-${scheme}.css`), 'utf8')
  return `<!doctype html><meta charset="utf-8"><style>${style}
    body { margin: 0 } article { padding: ${width < 600 ? '12px 16px; border: 1px solid #8886; border-radius: 6px; box-sizing: border-box' : '24px 32px'} } .mermaid { background: none !important; text-align: center }
  </style><article class="markdown-body">${marked.parse(markdown)}</article>`
}

function fileOf(name: string): string {
  return createRequire(import.meta.url).resolve(name)
}
