import type { Agent } from '../agent/agent.ts'
import { pullPath } from '../agent/job.ts'
import type { Jobs } from '../agent/jobs.ts'
import { errorReply, htmlReply, type Reply } from '../http/reply.ts'
import { indexPage } from './index-page.ts'
import { escapeHtml, pageHtml } from './layout.ts'
import { pullPage } from './pull-page.ts'

/** Answers what a browser asks for: the front page (also at the repository's URL) and pull requests. No key needed. */
export async function answerPage(
  { method, path }: { method: string; path: string },
  { jobs, agent }: { jobs: Jobs; agent: Agent },
): Promise<Reply> {
  if (method !== 'GET') return errorReply(404, `No such call: ${method} ${path}`)
  await jobs.settle()
  if (path === '/' || path === '/acme/docs') {
    const listed = jobs.list.map((job) => ({ job, status: jobs.status(job) }))
    return htmlReply(200, indexPage(listed, agent.folder))
  }
  for (const job of jobs.list) {
    if (job.pull === null || pullPath(job.pull) !== path) continue
    return htmlReply(200, pullPage({ job, pull: job.pull, ...(await agent.changes(job.branch)) }))
  }
  return path.startsWith('/acme/') ? notFoundPage(path) : errorReply(404, `No such call: ${method} ${path}`)
}

function notFoundPage(path: string): Reply {
  return htmlReply(404, pageHtml('Not found', `<h1>Not found</h1><p><code>${escapeHtml(path)}</code></p>`))
}
