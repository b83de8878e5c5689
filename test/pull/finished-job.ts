import { afterEach, beforeEach, expect, vi } from 'vitest'
import { joinMarkdown } from '../../src/lib/markdown.ts'
import { type PullReport, readPullReport, waitForPreview } from '../../src/pull/pull-report.ts'
import { pullLine, pullOutputs, pullSummary } from '../../src/pull/pull-words.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { readJob } from '../../src/service/docs-service.ts'
import { VirtualClock } from '../support/clock.ts'
import { type FakeGitHub, startGitHub } from '../support/github.ts'
import { environmentOf } from '../support/run-action.ts'
import { AGENT, addPull, emptyWorld, type Pull } from '../support/world.ts'

export const summary = (report: PullReport): string => joinMarkdown(pullSummary(report)).source
export const line = (report: PullReport): string => pullLine(report).source

export const PULL_URL = 'https://github.com/acme/docs/pull/12'

/** Where the docs are, and whether the token can see that. */
export type DocsPlace = 'here' | 'elsewhere public' | 'elsewhere with a token' | 'elsewhere without'

type Options = {
  readonly place?: DocsPlace
  readonly inputs?: Readonly<Record<string, string>>
  /** When the run is cancelled, in seconds after the job's end. */
  readonly cancelAtS?: number
}

/** A job that has just ended, three minutes after it began, and GitHub as it is then. */
export type FinishedJob = Awaited<ReturnType<ReturnType<typeof finishedJobStarter>>>

export function finishedJobStarter() {
  const log: string[] = []
  const open: FakeGitHub[] = []
  beforeEach(() => {
    log.length = 0
    vi.spyOn(process.stdout, 'write').mockImplementation(
      (chunk) => log.push(String(chunk).trimEnd()) > 0,
    )
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    for (const github of open.splice(0)) {
      await github.close()
      expect(github.violations).toEqual([])
    }
  })
  return async ({ place = 'here', inputs = {}, cancelAtS }: Options = {}) => {
    const world = emptyWorld()
    const isHere = place === 'here'
    const repository = isHere ? 'acme/docs' : 'acme/elsewhere'
    world.agentRepository = repository
    world.agentAccess =
      place === 'elsewhere public' ? 'public' : place === 'elsewhere without' ? 'none' : 'token'
    const github = await startGitHub({ world })
    open.push(github)
    const clock = new VirtualClock()
    world.now = () => clock.now()
    const createdAtMs = clock.now()
    await clock.sleep(180_000)
    const endedAtMs = clock.now()
    const cancel = new AbortController()
    if (cancelAtS !== undefined) clock.at(endedAtMs + cancelAtS * 1000, () => cancel.abort())
    const environment = readEnvironment(
      environmentOf(
        { inputs: { 'project-id': 'docs', ...inputs }, env: { GITHUB_API_URL: github.url } },
        '/nowhere',
        '/nowhere',
      ),
    )
    environment.inputs.set('github-token', github.token)
    const run = new Run(environment, { clock, random: () => 0.5, cancel: cancel.signal })
    // The line that masks the token.
    log.length = 0
    const addJob = (prLink: string | null) =>
      readJob({
        id: 'j1',
        status: 'completed',
        source: { repository: `https://github.com/${repository}.git` },
        prLink,
        createdAt: new Date(createdAtMs).toISOString(),
      })
    return {
      world,
      github,
      clock,
      log,
      run,
      createdAtMs,
      endedAtMs,
      /** Opens the agent's pull request 12. */
      open: (fields: Partial<Parameters<typeof addPull>[1]> = {}): Pull =>
        addPull(
          world,
          { number: 12, user: AGENT, ...fields },
          isHere ? world.pulls : world.elsewhere,
        ),
      /** Does something some seconds after the job's end. */
      later: (seconds: number, change: () => void) =>
        void clock.at(endedAtMs + seconds * 1000, change),
      /** What came of it; of a job with a pull request unless `prLink` is null. */
      read: ({
        prLink = `https://github.com/${repository}/pull/12`,
        messageAtMs,
      }: {
        readonly prLink?: string | null
        readonly messageAtMs?: number | undefined
      } = {}) => {
        const job = addJob(prLink)
        if (job === undefined) throw new Error('no job')
        return readPullReport({ job, messageAtMs }, run)
      },
      /** The outputs about the preview once it was waited for, so many seconds after the job's end at most. */
      async wait(maxS = Number.POSITIVE_INFINITY) {
        const deadlineMs = endedAtMs + maxS * 1000
        const job = addJob(`https://github.com/${repository}/pull/12`)
        if (job === undefined) throw new Error('no job')
        const first = await readPullReport({ job, messageAtMs: undefined }, run)
        const last = await waitForPreview(
          { job, messageAtMs: undefined },
          first,
          { endedAtMs, deadlineMs },
          run,
        )
        const { 'preview-status': status, 'preview-url': url } = pullOutputs(last)
        return { status, url, waitedS: (clock.now() - endedAtMs) / 1000 }
      },
    }
  }
}
