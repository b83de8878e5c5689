import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { visitorsReport } from './picture-scenes.ts'
import { drawSummary, SCHEMES, startBrowser } from './summary-page.ts'

const USAGE = `Renders a job summary as GitHub shows it, in light and dark, and fails if Mermaid can't draw a chart.

  npm run render -- [--out NAME] [--unfold] [FILE]

  FILE      a summary in Markdown; left out: the visitors report of the embedded docs service
  --out     NAME-light.png and NAME-dark.png are written (default: tmp/summary, which git ignores)
  --unfold  shows what is folded, too

It needs Chromium: CHROMIUM, or /usr/bin/chromium (apt-get install chromium).`

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: 'string', default: 'tmp/summary' },
      unfold: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(USAGE)
  const [file] = positionals
  const markdown = file === undefined ? await visitorsReport() : readFileSync(file, 'utf8')
  mkdirSync(dirname(values.out), { recursive: true })
  const browser = await startBrowser()
  try {
    for (const scheme of SCHEMES) {
      const path = `${values.out}-${scheme}.png`
      writeFileSync(path, await drawSummary(browser, markdown, { scheme, unfold: values.unfold }))
      console.log(path)
    }
  } finally {
    await browser.close()
  }
}

await main()
