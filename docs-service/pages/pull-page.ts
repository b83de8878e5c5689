import type { Commit } from '../agent/agent.ts'
import type { AgentJob, Pull } from '../agent/job.ts'
import { subjectOf } from '../agent/new-section.ts'
import { escapeHtml, pageHtml } from './layout.ts'

/** What a pull request's page shows. */
export type PullView = { job: AgentJob; pull: Pull; commits: readonly Commit[]; diff: string }

/** The page of a pull request: title, branch, what was asked, commits and diff. */
export function pullPage({ job, pull, commits, diff }: PullView): string {
  const title = pullTitle(job)
  const number = pull.gitlab ? `!${pull.number}` : `#${pull.number}`
  const content = `<p class="soft"><a href="/">acme/docs</a></p>
<h1>${escapeHtml(title)} <span class="soft">${number}</span></h1>
<p><span class="badge">Open</span> Docs Agent wants to merge <code>${escapeHtml(job.branch)}</code> into <code>main</code></p>
<h2>Asked for</h2>
${[job.prompt, ...job.messages].map((prompt) => `<pre class="prompt">${escapeHtml(prompt)}</pre>`).join('\n')}
<h2>Commits</h2>
${commitList(commits)}
<h2>Changes</h2>
${diff === '' ? '<p class="soft">The service runs without a repository, so there is nothing to show.</p>' : diffBlock(diff)}`
  return pageHtml(`${title} · ${number}`, content)
}

/** The pull request's title, from the prompt's first line. */
export function pullTitle(job: AgentJob): string {
  const subject = subjectOf(job.prompt)
  return subject.charAt(0).toUpperCase() + subject.slice(1)
}

function commitList(commits: readonly Commit[]): string {
  if (commits.length === 0) return '<p class="soft">None.</p>'
  const items = commits.map(
    ({ hash, subject }) => `<li><code>${escapeHtml(hash)}</code> ${escapeHtml(subject)}</li>`,
  )
  return `<ul>\n${items.join('\n')}\n</ul>`
}

function diffBlock(diff: string): string {
  const lines = diff.trimEnd().split('\n')
  return `<pre>${lines.map((line) => `<span class="${lineClass(line)}">${escapeHtml(line)}</span>`).join('')}</pre>`
}

function lineClass(line: string): string {
  if (/^(?:diff --git|index |---|\+\+\+|new file|similarity)/.test(line)) return 'file'
  if (line.startsWith('@@')) return 'hunk'
  if (line.startsWith('+')) return 'added'
  return line.startsWith('-') ? 'removed' : 'same'
}
