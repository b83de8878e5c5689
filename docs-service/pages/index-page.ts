import { type AgentJob, isOver, pullPath } from '../agent/job.ts'
import { titleOf } from '../agent/page-edit.ts'
import { badge, escapeHtml, pageHtml, timeOf } from './layout.ts'

const MAX_JOBS = 200

/** A job and the status it has now. */
export type ListedJob = { job: AgentJob; status: string }

/** What the front page says of the service itself. */
type ServiceFacts = {
  /** Folder of the repository; `null` if there is none. */
  repository: string | null
  /** Where the browser found the service. */
  url: string
  project: string
}

/** The front page: the latest jobs, with their pull requests, and where the repository is. */
export function indexPage(jobs: readonly ListedJob[], facts: ServiceFacts): string {
  const folder =
    facts.repository === null
      ? 'The agent only seems to work: there is no repository.'
      : `Repository: <code>${escapeHtml(facts.repository)}</code>`
  const latest = jobs.slice(-MAX_JOBS).reverse()
  const content = `<h1>acme/docs</h1>
<p class="soft">Embedded docs service. ${folder}</p>
<h2>Jobs (${jobs.length})</h2>
${latest.length === 0 ? gettingStarted(facts) : jobTable(latest)}
${jobs.length > MAX_JOBS ? `<p class="soft">The ${MAX_JOBS} newest are listed.</p>` : ''}`
  return pageHtml('acme/docs', content, { reload: jobs.some(({ status }) => !isOver(status)) })
}

function gettingStarted({ url, project }: ServiceFacts): string {
  const step = `with:
  base-url: ${url}
  project-id: ${JSON.stringify(project)}
  api-key: …            # the key that the service printed when it started
  prompt: Document exit code 6`
  const curl = `curl ${url}/v2/agent/${encodeURIComponent(project)}/job -H 'authorization: Bearer …' -d '{"prompt":"Document exit code 6"}'`
  return `<p>No job yet. Point the action at this service:</p>
<pre>${escapeHtml(step)}</pre>
<p>or create a job by hand, and reload this page:</p>
<pre>${escapeHtml(curl)}</pre>`
}

function jobTable(jobs: readonly ListedJob[]): string {
  return `<div class="scroll"><table>
<tr><th class="wide">Job</th><th>Project</th><th>Status</th><th>Pull request</th><th>Created (UTC)</th></tr>
${jobs.map(jobRow).join('\n')}
</table></div>`
}

function jobRow({ job, status }: ListedJob): string {
  const { pull, messages } = job
  const count = messages.length
  const followUps = count > 0 ? ` <span class="soft">+ ${count} follow-up${count > 1 ? 's' : ''}</span>` : ''
  const cells = [
    `<td class="wide">${escapeHtml(titleOf(job.prompt))}${followUps}<br><code class="soft">${job.id}</code></td>`,
    `<td class="name">${escapeHtml(job.project)}</td>`,
    `<td>${badge(status)}</td>`,
    `<td>${pull ? `<a href="${pullPath(pull)}">#${pull.number}</a> ${badge(pull.state)}` : ''}</td>`,
    `<td>${timeOf(job)}</td>`,
  ]
  return `<tr>${cells.join('')}</tr>`
}
