import { type Agent, MergeConflictError } from '../agent/git-agent.ts'
import { type AgentJob, type Pull, pullPath } from '../agent/job.ts'
import { type Jobs, PullStateError } from '../agent/jobs.ts'
import { errorReply, htmlReply, type RecordedRequest, type Reply, seeOther } from '../http.ts'
import type { Settings } from '../options.ts'
import { indexPage } from './index-page.ts'
import { escapeHtml, pageHtml } from './layout.ts'
import { pullPage } from './pull-page.ts'

type PageParts = { jobs: Jobs; agent: Agent; settings: Pick<Settings, 'projects'> }

/**
 * Answers a browser: the front page (also at the repository's URL), pull requests, and the buttons that merge and close
 * them. No key needed.
 */
export async function answerPage(request: RecordedRequest, parts: PageParts): Promise<Reply> {
  const { method, path } = request
  const { jobs, agent, settings } = parts
  await jobs.doAllWorkDue()
  if (method === 'POST') return pressButton(request, jobs)
  if (method !== 'GET') return noSuchCall(request)
  if (path === '/' || path === '/acme/docs') {
    const listed = jobs.list.map((job) => ({ job, status: jobs.status(job) }))
    const url = `http://${request.headers.host ?? ''}`
    return htmlReply(
      200,
      indexPage(listed, { repository: agent.folder, url, project: settings.projects[0] ?? 'docs' }),
    )
  }
  const found = jobOfPage(path, jobs)
  if (found) {
    const changes = await agent.changes(found.branch, found.pull.base || undefined)
    return htmlReply(200, pullPage({ job: found, pull: found.pull, status: jobs.status(found), ...changes }))
  }
  if (!path.startsWith('/acme/')) return noSuchCall(request)
  return messagePage(404, 'Not found', path)
}

/** `POST /acme/docs/pull/1/merge` and `…/close`: 409 where the pull request is not open or can't be merged. */
async function pressButton(request: RecordedRequest, jobs: Jobs): Promise<Reply> {
  const [, path = '', action] = /^(.*)\/(merge|close)$/.exec(request.path) ?? []
  const job = jobOfPage(path, jobs)
  if (!job) return noSuchCall(request)
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return messagePage(403, 'Refused', 'Another site sent this form.')
  }
  try {
    if (action === 'merge') await jobs.merge(job.pull.number)
    else jobs.closePull(job.pull.number)
  } catch (error) {
    if (!(error instanceof PullStateError || error instanceof MergeConflictError)) throw error
    return messagePage(409, `The pull request could not be ${action}d`, error.message)
  }
  return seeOther(path)
}

function jobOfPage(path: string, jobs: Jobs): (AgentJob & { pull: Pull }) | undefined {
  const job = jobs.ofPull(Number(/\/(\d+)$/.exec(path)?.[1]))
  return job && pullPath(job.pull) === path ? job : undefined
}

function noSuchCall({ method, path }: RecordedRequest): Reply {
  return errorReply(404, `No such call: ${method} ${path}`)
}

function messagePage(status: number, title: string, text: string): Reply {
  return htmlReply(status, pageHtml(title, `<h1>${title}</h1><p><code>${escapeHtml(text)}</code></p>`))
}
