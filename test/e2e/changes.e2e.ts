import { describe, expect, it } from 'vitest'
import { closedPull, labeledIssue, labeledPull, push, release } from './events.ts'
import {
  createdJobs,
  expectNoOtherHost,
  githubBodies,
  githubRequests,
  serviceRequests,
} from './expectations.ts'
import { runWorkflow } from './run-workflow.ts'

const PULL = 'https://github.com/acme/docs/pull/1'

describe.concurrent('docs-on-push', () => {
  it('has a pull request made for a push', async () => {
    const run = await runWorkflow('docs-on-push', { event: 'push', payload: push })
    expect(run.exitCode, run.output).toBe(0)
    const { outputs, summary, result } = run.job('docs')
    expect(result).toBe('success')
    expect(outputs['0']).toMatchObject({
      result: 'pull-request',
      status: 'completed',
      'pr-link': PULL,
      'pr-number': '1',
    })
    expect(outputs['0']?.['job-id']).toBe(run.docs.jobs[0]?.id)
    expect(summary).toContain(PULL)
    expect(createdJobs(run)).toMatchObject([{ path: '/v2/agent/docs/job' }])
    expect(createdJobs(run)[0]?.prompt).toMatch(/^Bring the docs up to date[\s\S]+leave them\./)
    expect(createdJobs(run)[0]?.prompt).toContain('src/pets.ts')
    expect(run.docs.requests[0]?.headers.host).toBe('api.mintlify.com')
    expectNoOtherHost(run)
  })

  it("comments on the agent's pull request in the same repository", async () => {
    const run = await runWorkflow('docs-on-push', { event: 'push', payload: push })
    expect(run.exitCode, run.output).toBe(0)
    expect(githubRequests(run)).toContain('POST /repos/acme/docs/issues/1/comments')
  })

  it("skips the agent's own merged work", async () => {
    const run = await runWorkflow('docs-on-push', {
      event: 'push',
      payload: push,
      github: { pullAuthor: 'mintlify[bot]' },
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('docs').outputs['0']).toMatchObject({ result: 'skipped' })
    expect(serviceRequests(run)).toEqual([])
  })
})

describe.concurrent('docs-on-merge', () => {
  it('documents a merged pull request and says so on it', async () => {
    const run = await runWorkflow('docs-on-merge', {
      event: 'pull_request_target',
      payload: () => closedPull({}),
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('docs').outputs['0']).toMatchObject({ result: 'pull-request' })
    const prompt = createdJobs(run)[0]?.prompt
    expect(prompt).toMatch(/^Document what the merged pull request below changes/)
    expect(prompt).toContain('Add pets')
    expect(prompt).toContain('src/pets.ts')
    expect(githubRequests(run)).toContain('POST /repos/acme/docs/issues/7/comments')
    expect([...run.github.comments.values()].join('\n')).toContain(PULL)
    expectNoOtherHost(run)
  })

  const others: [string, object][] = [
    ['a pull request that was closed without a merge', closedPull({ merged: false })],
    ['a pull request with the label no-docs', closedPull({ labels: ['bug', 'no-docs'] })],
  ]
  it.each(others)('starts no runner for %s', async (_case, payload) => {
    const run = await runWorkflow('docs-on-merge', { event: 'pull_request_target', payload: () => payload })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.jobs.filter(({ outputs }) => Object.keys(outputs).length > 0)).toEqual([])
    expect([...serviceRequests(run), ...githubRequests(run)]).toEqual([])
  })

  it("skips the agent's and Dependabot's pull requests", async () => {
    for (const author of ['mintlify[bot]', 'dependabot[bot]']) {
      const run = await runWorkflow('docs-on-merge', {
        event: 'pull_request_target',
        payload: () => closedPull({ author }),
      })
      expect(run.exitCode, run.output).toBe(0)
      expect(run.job('docs').outputs['0']).toMatchObject({ result: 'skipped' })
      expect(serviceRequests(run)).toEqual([])
    }
  })

  it('skips a merge by somebody who has too little permission', async () => {
    const run = await runWorkflow('docs-on-merge', {
      event: 'pull_request_target',
      payload: () => closedPull({}),
      github: { role: 'read' },
    })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('docs').outputs['0']).toMatchObject({ result: 'skipped' })
    expect(serviceRequests(run)).toEqual([])
  })
})

describe.concurrent('docs-on-release', () => {
  it('hands the release notes to the agent', async () => {
    const run = await runWorkflow('docs-on-release', { event: 'release', payload: () => release({}) })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('docs').outputs['0']).toMatchObject({ result: 'pull-request' })
    const prompt = createdJobs(run)[0]?.prompt
    expect(prompt).toMatch(/^Add the release below to the changelog/)
    expect(prompt).toContain('v1.4.0')
    expect(prompt).toContain('Pets can be listed.')
    expectNoOtherHost(run)
  })

  it('starts no runner for a pre-release', async () => {
    const run = await runWorkflow('docs-on-release', {
      event: 'release',
      payload: () => release({ prerelease: true }),
    })
    expect(run.exitCode, run.output).toBe(0)
    expect([...serviceRequests(run), ...githubRequests(run)]).toEqual([])
  })
})

describe.concurrent('docs-wanted-label', () => {
  const labels: [string, string, object][] = [
    ['an issue', 'issues', labeledIssue('docs-wanted')],
    ['a pull request from a fork', 'pull_request_target', labeledPull('docs-wanted')],
  ]
  it.each(labels)('documents %s that gets the label', async (_case, event, payload) => {
    const run = await runWorkflow('docs-wanted-label', { event, payload: () => payload })
    expect(run.exitCode, run.output).toBe(0)
    expect(run.job('docs').outputs['0']).toMatchObject({ result: 'pull-request' })
    expect(createdJobs(run)[0]?.prompt).toMatch(/^Write the documentation/)
    expect(createdJobs(run)[0]?.prompt).toContain('pets')
    expect(githubRequests(run)).toContain('GET /repos/acme/docs/collaborators/octocat/permission')
    expectNoOtherHost(run)
  })

  it('starts no runner for another label', async () => {
    const run = await runWorkflow('docs-wanted-label', {
      event: 'pull_request_target',
      payload: () => labeledPull('bug'),
    })
    expect(run.exitCode, run.output).toBe(0)
    expect([...serviceRequests(run), ...githubRequests(run)]).toEqual([])
  })
})

describe.concurrent('api-changelog', () => {
  it('hands the diff of the push to the agent as data', async () => {
    const run = await runWorkflow('api-changelog', {
      event: 'push',
      payload: push,
      files: { 'openapi.yaml': 'paths:\n  /pets:\n    get: {}\n' },
      changes: { 'openapi.yaml': 'paths:\n  /pets:\n    get: {}\n    post: {}\n', 'src/secret.ts': 'no\n' },
    })
    expect(run.exitCode, run.output).toBe(0)
    const [{ prompt } = { prompt: '' }] = createdJobs(run)
    expect(prompt).toMatch(/^Add an entry to the API changelog/)
    expect(prompt).toContain('api.diff')
    expect(prompt).toContain('+    post: {}')
    expect(prompt).toContain('src/pets.ts')
    expect(prompt).not.toContain('cats and dogs')
    expect(prompt).not.toContain('b/src/secret.ts')
    expectNoOtherHost(run)
  })
})

describe.concurrent('labels-and-reviewers', () => {
  it("labels the agent's pull request and asks for a review", async () => {
    const run = await runWorkflow('labels-and-reviewers', { event: 'push', payload: push })
    expect(run.exitCode, run.output).toBe(0)
    expect(githubBodies(run, 'POST /repos/acme/docs/issues/1/labels')).toEqual([
      { labels: ['documentation'] },
    ])
    expect(githubBodies(run, 'POST /repos/acme/docs/pulls/1/requested_reviewers')).toEqual([
      { reviewers: ['hubot'] },
    ])
    expectNoOtherHost(run)
  })

  it('touches nothing where the job made no pull request in this repository', async () => {
    const run = await runWorkflow('labels-and-reviewers', {
      event: 'push',
      payload: push,
      before: ({ faults }) => faults.add({ kind: 'status', status: 400, match: { path: 'create' } }),
    })
    expect(run.exitCode).toBe(1)
    expect(githubRequests(run).filter((line) => /\/(?:labels|requested_reviewers)$/.test(line))).toEqual([])
  })
})
