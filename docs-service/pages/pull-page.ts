import type { BranchChanges, Commit } from '../agent/git-agent.ts'
import { type AgentJob, isOver, type Pull, pullPath } from '../agent/job.ts'
import { basedOn, titleOf } from '../agent/page-edit.ts'
import { readPrompt } from '../agent/prompt.ts'
import { badge, escapeHtml, pageHtml, timeOf } from './layout.ts'

/** What a pull request's page shows. */
export type PullView = BranchChanges & { job: AgentJob; pull: Pull; status: string }

/** The page of a pull request: title, branch, description, what was requested, commits and diff. */
export function pullPage({ job, pull, status, commits, diff }: PullView): string {
  const title = titleOf(job.prompt)
  const number = pull.gitlab ? `!${pull.number}` : `#${pull.number}`
  const content = `<p class="soft"><a href="/">acme/docs</a></p>
<h1>${escapeHtml(title)} <span class="soft">${number}</span></h1>
<p>${badge(pull.state)} Docs Agent: <code>${escapeHtml(job.branch)}</code> into <code>main</code> <span class="soft">· job created ${timeOf(job)} UTC · ${badge(status)}</span></p>
${pull.state === 'open' ? buttons(pull) : ''}
<h2>Description</h2>
${description(job)}
<h2>Requested</h2>
${[job.prompt, ...job.messages].map(promptBlock).join('\n')}
<h2>Commits</h2>
${commitList(commits)}
<h2>Changes</h2>
${diff === '' ? '<p class="soft">The service runs without a repository, so there is nothing to show.</p>' : diffBlock(diff)}`
  return pageHtml(`${title} · ${number}`, content, { reload: !isOver(status) })
}

/** What each round of work did, and from which changed files: the agent shows that it read the event's context. */
function description(job: AgentJob): string {
  const lines = [job.prompt, ...job.messages].map((prompt) => {
    const files = basedOn(prompt, (name) => `\`${name}\``)
    const source = files === '' ? '' : `, based on the changes in ${files}`
    return `<li>Adds the section “${escapeHtml(titleOf(prompt))}”${codeHtml(source)}.</li>`
  })
  return `<ul>\n${lines.join('\n')}\n</ul>`
}

function codeHtml(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>')
}

function buttons(pull: Pull): string {
  const button = (action: string, label: string) =>
    `<form method="post" action="${pullPath(pull)}/${action}"><button>${label}</button></form>`
  return `<p>${button('merge', 'Merge')}${button('close', 'Close')}</p>`
}

function promptBlock(prompt: string): string {
  const { instructions, data } = readPrompt(prompt)
  const block = `<pre class="prompt">${escapeHtml(instructions)}</pre>`
  if (data === '') return block
  return `${block}\n<details><summary>Files and context given with it</summary>\n<pre>${escapeHtml(data)}</pre></details>`
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
  return `<pre class="diff">${lines.map((line) => `<span class="${lineClass(line)}">${escapeHtml(line)}</span>`).join('')}</pre>`
}

function lineClass(line: string): string {
  if (/^(?:diff --git|index |---|\+\+\+|new file|similarity)/.test(line)) return 'file'
  if (line.startsWith('@@')) return 'hunk'
  if (line.startsWith('+')) return 'added'
  return line.startsWith('-') ? 'removed' : 'same'
}
