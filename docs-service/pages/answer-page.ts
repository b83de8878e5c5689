import { type Agent, PullError } from '../agent/git.ts'
import { type AgentJob, type Jobs, type Pull, pullPath } from '../agent/jobs.ts'
import { errorReply, htmlReply, type RecordedRequest, type Reply } from '../http/server.ts'
import { frontPage, messagePage, pullPage } from './html.ts'

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
  const site = request.headers['sec-fetch-site'] ?? 'none'
  if (site !== 'same-origin' && site !== 'none') {
    return htmlReply(403, messagePage('Refused', 'Another site sent this form.'))
  }
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
