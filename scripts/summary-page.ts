import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { marked } from 'marked'

/** Renders a job summary as a page that looks as GitHub shows it, light or dark as the reader's system is. */
export function renderPage(markdown: string): string {
  const css = readFileSync(
    createRequire(import.meta.url).resolve('github-markdown-css/github-markdown.css'),
    'utf8',
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Job summary</title>
<style>
${css}
body { margin: 0; background: light-dark(#fff, #0d1117); color-scheme: light dark; }
main { max-width: 880px; margin: 2rem auto; padding: 0 1.5rem; }
</style>
<main class="markdown-body">
${marked.parse(markdown, { gfm: true, async: false })}
</main>
</html>
`
}
