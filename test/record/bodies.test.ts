import { describe, expect, it } from 'vitest'
import { eventRow } from '../../src/events/event-table.ts'
import type { Trigger } from '../../src/events/trigger.ts'
import { pullRequestThread } from '../../src/github/comments.ts'
import { md } from '../../src/lib/markdown.ts'
import {
  type Ending,
  endBody,
  interruptedBody,
  type Stage,
  usageBody,
  workingBody,
} from '../../src/record/bodies.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { VirtualClock } from '../support/clock.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive } from '../support/rendered.ts'
import { environmentOf } from '../support/run-action.ts'
import { PULL, RUN } from './runs.ts'

/** How a run ended, by default without a pull request. */
function ending(change: Partial<Ending> = {}): Ending {
  const headline = 'Completed without a pull request'
  const result = {
    result: 'no-pull-request',
    state: 'success',
    sign: md`✅`,
    headline,
    details: '',
  } as const
  const job = {
    prLink: '',
    prName: '',
    jobId: 'job_1',
    namesJob: false,
    took: '3 min 05 s',
    pullLine: md``,
  }
  return { ...result, ...job, ...change }
}

const READY = { prLink: PULL, prName: 'acme/docs#1', result: 'pull-request', headline: 'Ready' }
const nowhere = { canResume: false, hasNote: false }

type Subject = { readonly trigger: Trigger; readonly run: Run }

/** What comments are about: octocat's command, or a pull request's event without one. */
function subject(
  words: string | undefined,
  inputs: Record<string, string> = {},
  text = '',
): Subject {
  const variables = environmentOf(
    { inputs: { 'project-id': 'docs', ...inputs } },
    '/nowhere',
    '/nowhere',
  )
  const environment = readEnvironment({
    ...variables,
    ...(text && { GITHUB_ACTOR: text, GITHUB_SHA: text }),
  })
  const cancel = new AbortController().signal
  const run = new Run(environment, { clock: new VirtualClock(), random: () => 0.5, cancel })
  const event = { name: 'pull_request', row: eventRow('pull_request'), payload: {} }
  if (words === undefined) return { trigger: { event, command: undefined }, run }
  const source = { kind: 'issue-comment', id: 1, url: text, thread: pullRequestThread(5) } as const
  const author = { id: 1, login: text || 'octocat', isBot: false }
  return { trigger: { event, command: { source, author, instructions: words, fresh: false } }, run }
}

const working = ({ trigger, run }: Subject, stage: Stage = 'create') =>
  workingBody(trigger, stage, run)
const ended = ({ trigger, run }: Subject, end: Ending, hints = {}) =>
  endBody(trigger, end, { ...nowhere, ...hints }, run)

const reply = subject('explain it')
const status = subject(undefined)
const paragraphs = (markdown: { readonly source: string }): string[] =>
  markdown.source.split('\n\n')
/** The end of a comment after its first two paragraphs: what the end means, and what can be done. */
const endOf = (about: Subject, change: Partial<Ending>, ways = {}): string[] =>
  paragraphs(ended(about, ending(change), ways)).slice(2)

describe('the end of a reply', () => {
  it('shows names in backticks as code, in the headline, too, and no duration where none is known', () => {
    const words = { headline: 'No job `job_1` in project `docs`', details: 'Check `job-id`.' }
    expect(paragraphs(ended(reply, ending({ ...words, took: '' })))).toEqual([
      '✅ **No job `job_1` in project `docs`**',
      `**octocat** asked: explain it · ${RUN}`,
      'Check `job-id`.',
      'To continue, comment `/docs …` here; `/docs new …` starts a new job.',
    ])
  })

  const AGAIN = 'To try again, comment `/docs …`: that starts a new job.'
  const RERUN = `Re-running the ${RUN} waits for this job, too.`
  const details = 'To wait for it, run this action with `job-id: job_1`.'
  it.each<[Partial<Ending>, boolean, string[]]>([
    [{ result: 'failed' }, true, [`Job \`job_1\`. ${AGAIN}`]],
    [{ result: 'archived' }, true, [`Job \`job_1\`. ${AGAIN}`]],
    [{ result: 'timed-out', details, namesJob: true }, true, [details, RERUN]],
    [{ result: 'cancelled', details, namesJob: true }, true, [details, RERUN]],
    [{ result: 'error', details, namesJob: true }, true, [details, RERUN]],
    [{ result: 'error' }, true, [`Job \`job_1\`. ${RERUN}`]],
    [{ result: 'error' }, false, ['Job `job_1`.']],
    [{ result: 'error', jobId: '' }, false, []],
  ])(
    'as %j, a re-run waits for the job: %j, names the job and a way on',
    (end, canResume, words) => {
      expect(endOf(reply, end, { canResume })).toEqual(words)
    },
  )

  it('names only places where a comment continues the job', () => {
    const words =
      'To continue, comment `/docs …` here or on that pull request; `/docs new …` starts a new job.'
    expect(endOf(reply, {}, { hasNote: true })).toEqual([words])
    const noFollowUp = subject('explain it', { 'follow-up': 'false' })
    expect(endOf(noFollowUp, {}, { hasNote: true })).toEqual([])
    expect(endOf(status, {}, { hasNote: true })).toEqual([])
    expect(endOf(status, { result: 'failed' })).toEqual(['Job `job_1`.'])
  })

  it('is cut to a sensible length', () => {
    const long = { headline: 'h'.repeat(400), details: 'd'.repeat(2500), jobId: 'j'.repeat(300) }
    const end = ending({ ...long, result: 'failed' })
    const { source } = ended(subject('x'.repeat(300)), end)
    expect(source).toContain(`**${'h'.repeat(300)}… (100 more characters)**`)
    expect(source).toContain(`asked: ${'x'.repeat(280)}… (20 more characters) ·`)
    expect(source).toContain(`${'d'.repeat(2000)}… (500 more characters)`)
    expect(source).toContain(`Job \`${'j'.repeat(100)}… (200 more characters)\`.`)
  })
})

it('a reply to a command without words says who asked', () => {
  expect(paragraphs(working(subject('')))[1]).toBe(`Requested by **octocat** · ${RUN}`)
})

it('no comment begins with a command that would wake the action, or promises a follow-up where there is none', () => {
  for (const { source } of [usageBody(reply.run), working(reply)]) {
    expect(source).not.toMatch(/^\s*\/docs/)
  }
  const { source } = usageBody(subject('', { 'follow-up': 'false' }).run)
  expect(source).not.toContain('continues the same job')
})

it.each(HOSTILE_TEXTS)(
  'text that is not ours is shown, and nothing in it comes alive: %j',
  (text) => {
    const hostile = subject(text, { command: '/d`o@cs' }, text)
    const end = {
      ...ending(READY),
      headline: text,
      details: text,
      jobId: text,
      prLink: text,
      prName: text,
    }
    const bodies = [
      working(hostile, 'starting'),
      ended(hostile, end, { canResume: true, hasNote: true }),
      ended(hostile, { ...end, result: 'failed' }),
      ended(subject(undefined, {}, text), { ...end, result: 'error' }),
      usageBody(hostile.run),
      interruptedBody(hostile.trigger, text, true, hostile.run),
    ]
    for (const { source } of bodies) {
      const { html, mentions, images } = alive(source)
      expect(html.filter((tag) => !/^<\/?code>/.test(tag))).toEqual([])
      expect([...mentions, ...images]).toEqual([])
    }
  },
)
