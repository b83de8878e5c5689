import { type AgentJob, pullPath } from '../agent/job.ts'
import { subjectOf } from '../agent/new-section.ts'
import { escapeHtml, pageHtml } from './layout.ts'

const MOST_JOBS = 200

/** A job and the status it has now. */
export type ListedJob = { job: AgentJob; status: string }

/** The front page: the latest jobs, with their pull requests, and where the repository is. */
export function indexPage(jobs: readonly ListedJob[], repository: string | null): string {
  const folder =
    repository === null
      ? 'The agent only seems to work: there is no repository.'
      : `Repository: <code>${escapeHtml(repository)}</code>`
  const latest = jobs.slice(-MOST_JOBS).reverse()
  const content = `<h1>acme/docs</h1>
<p class="soft">Embedded docs service. ${folder}</p>
<h2>Jobs (${jobs.length})</h2>
${latest.length === 0 ? '<p class="soft">None yet.</p>' : jobTable(latest)}`
  return pageHtml('acme/docs', content)
}

function jobTable(jobs: readonly ListedJob[]): string {
  return `<table>
<tr><th>Asked for</th><th>Status</th><th>Pull request</th></tr>
${jobs.map(jobRow).join('\n')}
</table>`
}

function jobRow({ job, status }: ListedJob): string {
  const link = job.pull ? `<a href="${pullPath(job.pull)}">#${job.pull.number}</a>` : ''
  const messages = job.messages.length > 0 ? ` <span class="soft">+ ${job.messages.length}</span>` : ''
  return `<tr><td>${escapeHtml(subjectOf(job.prompt))}${messages}<br><code class="soft">${job.id}</code></td><td>${escapeHtml(status)}</td><td>${link}</td></tr>`
}
