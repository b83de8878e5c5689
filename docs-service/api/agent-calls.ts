import type { AgentJob } from '../agent/job.ts'
import type { Jobs } from '../agent/jobs.ts'
import { errorReply, jsonReply, type Reply } from '../http.ts'
import type { Settings } from '../options.ts'
import { HourlyLimit, limitReply } from './hourly-limit.ts'

/** The three calls of the agent, after key and project have been checked. */
export type AgentCalls = {
  create(call: { projectId: string }, body: unknown): Promise<Reply>
  look(call: { projectId: string; jobId: string }): Promise<Reply>
  message(call: { projectId: string; jobId: string }, body: unknown): Promise<Reply>
}

/** The agent's calls over a set of jobs. Limits count per project, and only what was accepted. */
export function agentCalls({ limits, projects, notFoundMs, now }: Settings, jobs: Jobs): AgentCalls {
  const creates = new Map(projects.map((project) => [project, new HourlyLimit(limits.jobsPerHour)]))
  const messages = new Map(projects.map((project) => [project, new HourlyLimit(limits.messagesPerHour)]))

  return {
    async create({ projectId }, body) {
      const prompt = promptIn(body)
      if (prompt === undefined) return noPrompt()
      const waitMs = creates.get(projectId)?.take(now()) ?? 0
      if (waitMs > 0) return limitReply(`${limits.jobsPerHour} jobs per hour`, waitMs, limits.retryAfter)
      return jsonReply(201, await jobs.answer(jobs.create(projectId, prompt)))
    },

    async look({ projectId, jobId }) {
      const job = jobs.find(projectId, jobId)
      if (!job || now() < job.createdAtMs + notFoundMs) return noJob()
      return jsonReply(200, await jobs.answer(job))
    },

    async message({ projectId, jobId }, body) {
      const prompt = promptIn(body)
      if (prompt === undefined) return noPrompt()
      const job = jobs.find(projectId, jobId)
      if (!job) return noJob()
      const refusal = refuseMessage(jobs, job)
      if (refusal) return refusal
      const waitMs = messages.get(projectId)?.take(now()) ?? 0
      if (waitMs > 0)
        return limitReply(`${limits.messagesPerHour} messages per hour`, waitMs, limits.retryAfter)
      await jobs.message(job, prompt)
      return jsonReply(200, await jobs.answer(job))
    },
  }
}

/** What a message to a job that failed or was archived meets is not documented: here it is a 400. */
function refuseMessage(jobs: Jobs, job: AgentJob): Reply | undefined {
  const status = jobs.status(job)
  if (status !== 'failed' && status !== 'archived') return undefined
  return errorReply(400, `The job is ${status} and takes no messages`)
}

function promptIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('prompt' in body)) return undefined
  return typeof body.prompt === 'string' && body.prompt !== '' ? body.prompt : undefined
}

function noPrompt(): Reply {
  return errorReply(400, 'Invalid request: the body is JSON {"prompt": string} of at least one character')
}

function noJob(): Reply {
  return errorReply(404, 'Job not found')
}
