const STYLE = `
:root { color-scheme: light dark; --line: #d5dae1; --soft: #667085; --panel: #f6f8fa; --accent: #0d7d5c;
  --added: #dafbe1; --removed: #ffebe9; --hunk: #ddf4ff }
@media (prefers-color-scheme: dark) { :root { --line: #31363f; --soft: #98a2b3; --panel: #161b22; --accent: #3ecf9f;
  --added: #12341f; --removed: #3f1517; --hunk: #12293f } }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 2.5rem auto; padding: 0 1.25rem }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem }
a { color: var(--accent) }
code, pre { font: .85rem/1.5 ui-monospace, monospace }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 0; overflow-x: auto }
pre.prompt { padding: .75rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere }
pre span { display: block; padding: 0 1rem; min-height: 1.5em }
.added { background: var(--added) } .removed { background: var(--removed) }
.hunk { background: var(--hunk) } .file { font-weight: 600 }
.soft { color: var(--soft) }
.badge { background: var(--accent); color: Canvas; border-radius: 1rem; padding: .1rem .7rem; font-size: .85rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line) }
td { overflow-wrap: anywhere }
`

/** A page around its content, which is HTML already; the title is plain text. */
export function pageHtml(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${content}
</body>
</html>
`
}

/** Plain text as HTML, for content and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
