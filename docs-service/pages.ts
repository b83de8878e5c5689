import { type Agent, PullError } from './agent/git.ts'
import { type AgentJob, type Jobs, type Pull, pullPath } from './agent/jobs.ts'
import { titleOf } from './agent/page-edit.ts'
import { errorReply, htmlReply, type RecordedRequest, type Reply } from './http.ts'

const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
pre { border: 1px solid #8886; border-radius: 6px; padding: .5rem 1rem; white-space: pre-wrap }
ins, del { text-decoration: none } ins { background: #2da44e33 } del { background: #cf222e33 }
form { display: inline } button { font: inherit; padding: .2rem .8rem }`

/** Answers a browser: a list of the jobs, pull requests, and the buttons that merge and close them. No key needed. */
export async function answerPage(
  request: RecordedRequest,
  jobs: Jobs,
  agent: Agent,
): Promise<Reply> {
  const { method, path } = request
  await jobs.doAllWorkDue()
  if (method === 'GET' && (path === '/' || path === '/acme/docs'))
    return htmlReply(200, frontPage(jobs))
  if (method === 'GET') {
    const job = jobOfPage(path, jobs)
    if (job)
      return htmlReply(
        200,
        pullPage(job, await agent.changes(job.branch, job.pull.base || undefined)),
      )
    if (path.startsWith('/acme/')) return htmlReply(404, messagePage('Not found', path))
  }
  const [, page = '', action] = /^(.*)\/(merge|close)$/.exec(path) ?? []
  const job = jobOfPage(page, jobs)
  if (method !== 'POST' || !job) return errorReply(404, `No such call: ${method} ${path}`)
  try {
    if (action === 'merge') await jobs.merge(job.pull.number)
    else jobs.closePull(job.pull.number)
  } catch (error) {
    if (!(error instanceof PullError)) throw error
    return htmlReply(409, messagePage(`The pull request could not be ${action}d`, error.message))
  }
  return { status: 303, headers: { location: page }, body: '' }
}

function jobOfPage(path: string, jobs: Jobs): (AgentJob & { pull: Pull }) | undefined {
  const job = jobs.ofPull(Number(/\/(\d+)$/.exec(path)?.[1]))
  return job && pullPath(job.pull) === path ? job : undefined
}

/** The newest jobs. */
function frontPage(jobs: Jobs): string {
  const rows = jobs.list.slice(-100).reverse()
  const items = rows.map((job) => {
    const title = escapeHtml(titleOf(job.prompt))
    const link = job.pull
      ? `<a href="${pullPath(job.pull)}">${title}</a> (${job.pull.state})`
      : title
    return `<li>${link}: ${escapeHtml(jobs.status(job))} <code>${job.id}</code></li>`
  })
  const list = items.length === 0 ? '<p>No job yet.</p>' : `<ul>${items.join('\n')}</ul>`
  return pageHtml(
    'Jobs of the embedded docs service',
    `${list}\n<p>Reload to see what has changed.</p>`,
  )
}

/** A pull request: what was requested, the commits and the diff, and while it is open the buttons. */
function pullPage(
  { prompt, messages, branch, pull }: AgentJob & { pull: Pull },
  { commits, diff }: Awaited<ReturnType<Agent['changes']>>,
): string {
  const button = (action: string, label: string) =>
    `<form method="post" action="${pullPath(pull)}/${action}"><button>${label}</button></form>`
  const changes = diff.trimEnd().split('\n').map(diffLine).join('\n')
  return pageHtml(
    `${titleOf(prompt)} #${pull.number}`,
    `<p><b>${pull.state}</b> · <code>${escapeHtml(branch)}</code> into <code>main</code> · <a href="/">all jobs</a></p>
${pull.state === 'open' ? `<p>${button('merge', 'Merge')} ${button('close', 'Close')}</p>` : ''}
<h2>Requested</h2>
<pre>${[prompt, ...messages].map(escapeHtml).join('</pre>\n<pre>')}</pre>
<h2>Commits</h2>
<pre>${escapeHtml(commits)}</pre>
<h2>Changes</h2>
<pre>${changes || 'The service runs without a repository, so there is nothing to show.'}</pre>`,
  )
}

function messagePage(title: string, text: string): string {
  return pageHtml(title, `<p>${escapeHtml(text)}</p>`)
}

function diffLine(line: string): string {
  const text = escapeHtml(line)
  if (/^\+(?!\+\+)/.test(line)) return `<ins>${text}</ins>`
  return /^-(?!--)/.test(line) ? `<del>${text}</del>` : text
}

/** A page around its content, which is HTML already; the title is plain text. */
function pageHtml(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
<h1>${escapeHtml(title)}</h1>
${content}
</html>
`
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
