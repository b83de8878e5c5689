import { describe, expect, it } from 'vitest'
import {
  announcementBody,
  endBody,
  interruptedBody,
  type Subject,
  usageBody,
  workingBody,
} from '../../src/comments/bodies.ts'
import type { Command } from '../../src/events/command.ts'
import { eventRow } from '../../src/events/table.ts'
import { pullRequestThread } from '../../src/github/comments.ts'
import { readInputs } from '../../src/inputs/read.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive } from '../support/rendered.ts'
import { environmentOf } from '../support/run-action.ts'
import { ending, NO_PULL } from './runs.ts'

const RUN = '[workflow run](https://github.com/acme/docs/actions/runs/1001)'
const nowhere = { canResume: false, isAnnounced: false }

/** What comments are about: octocat's command, or a pull request's event without one. */
function subject(
  words: string | undefined,
  { inputs = {}, text = '' }: { inputs?: Record<string, string>; text?: string } = {},
): Subject {
  const variables = environmentOf({ inputs: { 'project-id': 'docs', ...inputs } }, '/nowhere', '/nowhere')
  const environment = readEnvironment({ ...variables, ...(text && { GITHUB_ACTOR: text, GITHUB_SHA: text }) })
  const command: Command = {
    source: { kind: 'issue-comment', id: 1, url: text, thread: pullRequestThread(5) },
    author: { id: 1, login: text || 'octocat', isBot: false },
    instructions: words ?? '',
    fresh: false,
  }
  const event = { name: 'pull_request', row: eventRow('pull_request'), payload: {} }
  return {
    trigger: { event, command: words === undefined ? undefined : command },
    run: { environment, inputs: readInputs(environment.inputs, (given) => given).inputs },
  }
}

const reply = subject('explain it')
const status = subject(undefined)
const paragraphs = (markdown: { readonly source: string }): string[] => markdown.source.split('\n\n')

describe('the end of a reply', () => {
  it('says who asked for what, how it ended, how long it took, what that means, and how to go on', () => {
    const details = 'Either no file needed a change, or the agent published straight to the branch.'
    expect(paragraphs(endBody(reply, ending({ ...NO_PULL, details }), nowhere))).toEqual([
      '✅ **Completed without a pull request**',
      `**octocat** asked: explain it · took 3 min 05 s · ${RUN}`,
      'Either no file needed a change, or the agent published straight to the branch.',
      'To go on, comment `/docs …` here; `/docs new …` starts a new job.',
    ])
  })

  it.each(['failed', 'archived'])('of a job that %s names the job and a way on', (result) => {
    const end = ending({ ...NO_PULL, result, headline: "The agent's job failed", took: '' })
    expect(paragraphs(endBody(reply, end, { ...nowhere, canResume: true }))).toEqual([
      "✅ **The agent's job failed**",
      `**octocat** asked: explain it · ${RUN}`,
      'Job `job_1`. To try again, comment `/docs …`: that starts a new job.',
    ])
  })

  it.each(['timed-out', 'cancelled', 'error'])('as %s says that a re-run waits for the job', (result) => {
    const details = 'The job is still running. To wait for it, run this action with `job-id: job_1`.'
    const end = ending({ ...NO_PULL, result, headline: 'Not finished within 30 min', details })
    expect(paragraphs(endBody(reply, end, { ...nowhere, canResume: true })).slice(2)).toEqual([
      'The job is still running. To wait for it, run this action with `job-id: job_1`.',
      `Re-running the ${RUN} waits for this job, too.`,
    ])
  })

  it('names a job that a re-run does not wait for, and promises nothing', () => {
    const end = ending({
      ...NO_PULL,
      result: 'error',
      headline: 'The docs service refused the message (402)',
    })
    expect(paragraphs(endBody(reply, end, nowhere)).slice(2)).toEqual(['Job `job_1`.'])
    expect(paragraphs(endBody(reply, { ...end, jobId: '' }, nowhere))).toHaveLength(2)
  })

  it('shows names in backticks as code, in the headline, too', () => {
    const end = ending({
      ...NO_PULL,
      headline: 'No job `job_1` in project `docs`',
      details: 'Check `job-id`.',
    })
    const [headline, , details] = paragraphs(endBody(reply, end, nowhere))
    expect([headline, details]).toEqual(['✅ **No job `job_1` in project `docs`**', 'Check `job-id`.'])
  })

  it('names only places where a comment continues the job', () => {
    const ways = (about: Subject, isAnnounced: boolean): string | undefined =>
      paragraphs(endBody(about, ending(), { ...nowhere, isAnnounced }))[2]
    expect(ways(reply, true)).toBe(
      'To go on, comment `/docs …` here or on that pull request; `/docs new …` starts a new job.',
    )
    expect(ways(subject('explain it', { inputs: { 'follow-up': 'false' } }), true)).toBeUndefined()
    expect(ways(status, true)).toBeUndefined()
  })

  it('is cut to a sensible length', () => {
    const long = ending({
      ...NO_PULL,
      headline: 'h'.repeat(400),
      details: 'd'.repeat(2500),
      jobId: 'j'.repeat(300),
    })
    const { source } = endBody(subject('x'.repeat(300)), { ...long, result: 'failed' }, nowhere)
    expect(source).toContain(`**${'h'.repeat(300)}… (100 more characters)**`)
    expect(source).toContain(`asked: ${'x'.repeat(280)}… (20 more characters) ·`)
    expect(source).toContain(`${'d'.repeat(2000)}… (500 more characters)`)
    expect(source).toContain(`Job \`${'j'.repeat(100)}… (200 more characters)\`.`)
  })
})

describe('a comment', () => {
  it.each([
    ['that nobody asked for names the commit', status, `For \`aaaaaaa\` · ${RUN}`],
    ['of a command without words says who asked', subject(''), `Requested by **octocat** · ${RUN}`],
  ])('%s', (_what, about, words) => {
    expect(paragraphs(workingBody(about, 'create'))[1]).toBe(words)
  })

  it('never begins with a command that would wake the action', () => {
    for (const { source } of [usageBody(reply), workingBody(reply, 'create'), announcementBody(reply)]) {
      expect(source).not.toMatch(/^\s*\/docs/)
    }
  })

  it('that explains the command promises no follow-up where there is none', () => {
    expect(usageBody(subject('', { inputs: { 'follow-up': 'false' } })).source).not.toContain(
      'further command',
    )
  })
})

describe('text that is not ours', () => {
  it.each(HOSTILE_TEXTS)('is shown as it is, and nothing in it comes alive: %j', (text) => {
    const hostile = subject(text, { text, inputs: { command: '/d`o@cs' } })
    const end = { ...ending(), headline: text, details: text, jobId: text, prLink: text, prName: text }
    const bodies = [
      workingBody(hostile, 'starting'),
      endBody(hostile, end, { canResume: true, isAnnounced: true }),
      endBody(hostile, { ...end, result: 'failed' }, nowhere),
      endBody(subject(undefined, { text }), { ...end, result: 'error' }, nowhere),
      announcementBody(hostile),
      announcementBody(subject(undefined, { text })),
      usageBody(hostile),
      interruptedBody(hostile, text),
    ]
    for (const { source } of bodies) {
      const { html, mentions, images } = alive(source)
      expect(html.filter((tag) => !/^<\/?code>/.test(tag))).toEqual([])
      expect([...mentions, ...images]).toEqual([])
    }
  })
})
