import type { Agent } from './agent/git.ts'
import type { AgentJob, Jobs, Pull } from './agent/jobs.ts'
import { titleOf } from './agent/page-edit.ts'
import { errorReply, type RecordedRequest, type Reply } from './http.ts'

const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
pre { border: 1px solid #8886; border-radius: 6px; padding: .5rem 1rem; white-space: pre-wrap }`

/** Answers a browser: a list of the jobs, and their pull requests. No key needed. */
export async function answerPage(
  { method, path }: RecordedRequest,
  jobs: Jobs,
  agent: Agent,
): Promise<Reply> {
  await jobs.doAllWorkDue()
  if (method === 'GET' && /^\/(?:acme\/docs)?$/.test(path)) return frontPage(jobs)
  const job = jobs.list.find(({ pull }) => pull && pullPath(pull) === path)
  if (method === 'GET' && job) return pullPage(job, await agent.changes(job.branch))
  return errorReply(404, `No such call: ${method} ${path}`)
}

/** The newest jobs. */
function frontPage(jobs: Jobs): Reply {
  const rows = jobs.list.slice(-100).reverse()
  const items = rows.map((job) => {
    const title = escapeHtml(titleOf(job.prompt))
    const link = job.pull ? `<a href="${pullPath(job.pull)}">${title}</a>` : title
    return `<li>${link}: ${escapeHtml(jobs.status(job))} <code>${job.id}</code></li>`
  })
  const list = items.length === 0 ? '<p>No job yet.</p>' : `<ul>${items.join('\n')}</ul>`
  return pageReply(
    'Jobs of the embedded docs service',
    `${list}\n<p>Reload to see what has changed.</p>`,
  )
}

/** A pull request: what was requested, the commits, and the diff. */
function pullPage(
  { prompt, messages, branch }: AgentJob,
  { commits, diff }: Awaited<ReturnType<Agent['changes']>>,
): Reply {
  return pageReply(
    titleOf(prompt),
    `<p><code>${escapeHtml(branch)}</code> into <code>main</code> · <a href="/">all jobs</a></p>
<h2>Requested</h2>
<pre>${[prompt, ...messages].map(escapeHtml).join('</pre>\n<pre>')}</pre>
<h2>Commits</h2>
<pre>${escapeHtml(commits)}</pre>
<h2>Changes</h2>
<pre>${escapeHtml(diff)}</pre>`,
  )
}

/** A page around its content, which is HTML already; the title is plain text. */
function pageReply(title: string, content: string): Reply {
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
<h1>${escapeHtml(title)}</h1>
${content}
</html>
`
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

/** Where the pull request's page is. */
function pullPath({ number }: Pull): string {
  return `/acme/docs/pull/${number}`
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
