import { type AgentJob, isOver } from '../agent/job.ts'

const RELOAD_SECONDS = 2

const STYLE = `
:root { color-scheme: light dark; --line: #d5dae1; --soft: #5c6675; --panel: #f6f8fa; --accent: #0d7d5c;
  --added: #dafbe1; --removed: #ffebe9; --hunk: #ddf4ff; --open: #1a7f37; --merged: #8250df; --closed: #cf222e;
  --active: #9a6700 }
@media (prefers-color-scheme: dark) { :root { --line: #31363f; --soft: #98a2b3; --panel: #161b22; --accent: #3ecf9f;
  --added: #12341f; --removed: #3f1517; --hunk: #12293f; --open: #3fb950; --merged: #ab7df8; --closed: #f85149;
  --active: #d29922 } }
* { box-sizing: border-box }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 72rem; margin: 2.5rem auto; padding: 0 1.25rem }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem }
a { color: var(--accent) }
code, pre { font: .85rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; margin: .5rem 0;
  white-space: pre-wrap }
pre.diff { padding: .75rem 0 }
pre.diff span { display: block; padding: 0 1rem; min-height: 1.5em }
.added { background: var(--added) } .removed { background: var(--removed) }
.hunk { background: var(--hunk) } .file { font-weight: 600 }
.soft { color: var(--soft) }
.badge { border: 1px solid; border-radius: 1rem; padding: .1rem .7rem; font-size: .85rem; white-space: nowrap }
.open, .completed { color: var(--open) } .merged { color: var(--merged) }
.closed, .failed { color: var(--closed) } .archived { color: var(--soft) } .active { color: var(--active) }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .45rem 1rem .45rem 0; border-bottom: 1px solid var(--line);
  white-space: nowrap }
.wide { width: 100%; min-width: 21rem; white-space: normal; overflow-wrap: anywhere }
.name { min-width: 8rem; white-space: normal; overflow-wrap: break-word }
form { display: inline }
button { font: inherit; font-size: .9rem; padding: .3rem .9rem; margin-right: .5rem; border: 1px solid var(--line);
  border-radius: .4rem; background: var(--panel); cursor: pointer }
summary { cursor: pointer; color: var(--soft) }
`

/** A page around its content, which is HTML already; the title is plain text. */
export function pageHtml(title: string, content: string, { reload = false } = {}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">${reload ? `\n<meta http-equiv="refresh" content="${RELOAD_SECONDS}">` : ''}
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${content}
</body>
</html>
`
}

/** A status or state as a badge that stays on one line. */
export function badge(status: string): string {
  const known = isOver(status) || ['open', 'merged', 'closed'].includes(status)
  return `<span class="badge ${known ? status : 'active'}">${escapeHtml(status)}</span>`
}

/** When a job was created: `2026-08-03 12:00:05`, in UTC. */
export function timeOf({ createdAtMs }: AgentJob): string {
  const iso = new Date(createdAtMs).toISOString()
  return `<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`
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
