import { describe, expect, it } from 'vitest'
import { type AnnouncedRequest, announcementBody, clipRequest } from '../../src/comments/announcement.ts'
import {
  cutOffBody,
  type EndContext,
  endBody,
  type Subject,
  usageBody,
  workingBody,
} from '../../src/comments/bodies.ts'
import type { Outcome } from '../../src/job/outcome.ts'
import { readJob } from '../../src/service/job.ts'
import { HOSTILE_TEXTS } from '../hostile-texts.ts'
import { alive } from '../rendered.ts'

const runUrl = 'https://github.com/acme/docs/actions/runs/1001'

const subject: Subject = {
  command: '/docs',
  login: 'octocat',
  instructions: 'explain it',
  runUrl,
  sha: '',
  followUp: true,
}

const completed: Outcome = {
  result: 'no-pull-request',
  job: undefined,
  jobId: 'job_1',
  durationSeconds: 65,
  reason: '',
  sent: '',
  headline: '',
}

const context: EndContext = {
  timeoutMs: 60_000,
  projectId: 'docs',
  failOn: new Set(),
  jobId: 'job_1',
  canRerun: true,
  announced: false,
}

describe('a reply', () => {
  it('says who asked for what, how it ended, how long it took, and how to go on', () => {
    const { source } = endBody(subject, completed, context)
    expect(source.split('\n\n')).toEqual([
      '✅ **Completed without a pull request**',
      '**octocat** asked: explain it · took 1 min 05 s · [workflow run](https://github.com/acme/docs/actions/runs/1001)',
      'Either no file needed a change, or the agent published straight to the branch.',
      'To go on, comment `/docs …` here; `/docs new …` starts a new job.',
    ])
  })

  it('says nothing of a job that could not be got: whether it goes on is not known', () => {
    const { source } = endBody(subject, { ...completed, result: 'error', reason: 'It was slow.' }, context)
    expect(source).toContain('It was slow.')
    expect(source).not.toContain('goes on')
  })

  it.each(['timed-out', 'cancelled', 'error'] as const)(
    'says of %s that the job goes on, and why',
    (result) => {
      const job = readJob({ id: 'job_1', status: 'active' })
      const { source } = endBody(subject, { ...completed, job, result, reason: 'It was slow.' }, context)
      expect(source).toContain(
        "The agent's job goes on in the background and may still open its pull request.",
      )
      expect(source).toContain('re-run the [workflow run]')
      expect(source).toContain('<details><summary>Why</summary>\n\nIt was slow.')
    },
  )

  it('does not say that a job goes on where none is known', () => {
    const { source } = endBody(subject, { ...completed, result: 'error' }, { ...context, jobId: '' })
    expect(source).not.toContain('goes on')
  })

  it('says how to wait for the job again where a re-run does not find it', () => {
    const { source } = cutOffBody(subject, { jobId: 'job_1', canRerun: false })
    expect(source).toContain('To wait for it again, run the action with `job-id: job_1`.')
  })

  it('names only places where a comment continues the job', () => {
    const ways = (change: Partial<Subject>, announced: boolean): string | undefined =>
      endBody({ ...subject, ...change }, completed, { ...context, announced }).source.split('\n\n')[3]
    expect(ways({}, true)).toBe(
      'To go on, comment `/docs …` here or on that pull request; `/docs new …` starts a new job.',
    )
    expect(ways({ followUp: false }, true)).toBeUndefined()
    expect(ways({ command: '' }, true)).toBeUndefined()
  })

  it('never begins with a command that would wake the action', () => {
    for (const { source } of [usageBody(subject), workingBody(subject, 'new')]) {
      expect(source).not.toMatch(/^\s*\/docs/)
    }
  })

  it('repeats no more than 280 characters of a command', () => {
    const { source } = workingBody({ ...subject, instructions: 'x'.repeat(300) }, 'new')
    expect(source).toContain(`${'x'.repeat(280)}… (20 more characters)`)
  })
})

describe('an announcement', () => {
  const comment: AnnouncedRequest = {
    event: 'comment',
    login: 'octocat',
    url: 'https://github.com/acme/docs/pull/5#issuecomment-5001',
    text: 'explain it',
  }
  const push: AnnouncedRequest = {
    event: 'push',
    login: 'hubot',
    url: 'https://github.com/acme/docs/commit/0123456789',
    text: '0123456',
  }

  it.each<[string, AnnouncedRequest, string]>([
    [
      'a command',
      comment,
      '[a comment](https://github.com/acme/docs/pull/5#issuecomment-5001) by **octocat**: explain it',
    ],
    [
      'a bare command',
      { ...comment, text: '' },
      '[a comment](https://github.com/acme/docs/pull/5#issuecomment-5001) by **octocat**.',
    ],
    [
      'a push',
      push,
      'a push by **hubot**: [commit 0123456](https://github.com/acme/docs/commit/0123456789).',
    ],
    [
      'a schedule',
      { event: 'schedule', login: '', url: runUrl, text: '' },
      '[a workflow run](https://github.com/acme/docs/actions/runs/1001) (`schedule`).',
    ],
    [
      'a release',
      { event: 'release', login: 'octocat', url: runUrl, text: '' },
      '[a workflow run](https://github.com/acme/docs/actions/runs/1001) (`release` by **octocat**).',
    ],
  ])('says what the pull request came from: %s', (_what, request, words) => {
    const { source } = announcementBody({ first: request, last: request, count: 1, command: '' })
    expect(source).toBe(`💬 The docs agent opened this pull request for ${words}`)
  })

  it('says how many times the agent was asked, the last request, and how to go on', () => {
    const { source } = announcementBody({ first: push, last: comment, count: 3, command: '/docs' })
    expect(source.split('\n\n').slice(1)).toEqual([
      'It has been asked 3 times by now; the last time for [a comment](https://github.com/acme/docs/pull/5#issuecomment-5001) by **octocat**: explain it',
      'To have it changed, comment `/docs …` here, such as `/docs shorter, and add an example`.',
    ])
  })

  it('remembers no more than 280 characters of a command', () => {
    expect(clipRequest({ ...comment, text: 'x'.repeat(300) }).text).toBe(
      `${'x'.repeat(280)}… (20 more characters)`,
    )
  })
})

describe('text that is not ours', () => {
  it.each(HOSTILE_TEXTS)('is shown as it is, and nothing in it comes alive: %j', (text) => {
    const hostile: Subject = { ...subject, command: text, login: text, instructions: text, sha: text }
    const job = {
      id: text,
      status: text,
      prLink: text,
      repository: text,
      ref: text,
      model: null,
      createdAt: null,
      archivedAt: null,
      json: '{}',
      invalidFields: [],
    }
    const request = { event: text, login: text, url: text, text }
    const hostileContext = { ...context, jobId: text, canRerun: false }
    const bodies = [
      workingBody(hostile, 'starting'),
      endBody(hostile, { ...completed, result: 'pull-request', job }, { ...hostileContext, announced: true }),
      endBody(hostile, { ...completed, result: 'error', reason: text }, hostileContext),
      endBody({ ...hostile, login: '' }, { ...completed, result: 'timed-out' }, hostileContext),
      announcementBody({ first: request, last: { ...request, event: 'comment' }, count: 2, command: text }),
      announcementBody({ first: { ...request, event: 'push' }, last: request, count: 1, command: '' }),
      usageBody(hostile),
      cutOffBody(hostile, hostileContext),
    ]
    for (const { source } of bodies) {
      const { html, mentions, images } = alive(source)
      expect(html.filter((tag) => !/^<\/?(?:code|details|summary)>|^<details>/.test(tag))).toEqual([])
      expect([...mentions, ...images]).toEqual([])
    }
  })
})
