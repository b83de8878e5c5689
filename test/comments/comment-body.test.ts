import { describe, expect, it } from 'vitest'
import {
  announcementBody,
  type CommentFrame,
  cutOffBody,
  endBody,
  usageBody,
  workingBody,
} from '../../src/comments/body.ts'
import { type Marker, readMarker, renderMarker } from '../../src/comments/marker.ts'
import type { Outcome } from '../../src/job/outcome.ts'
import { HOSTILE_TEXTS } from '../hostile-texts.ts'
import { alive } from '../rendered.ts'

const marker: Marker = {
  kind: 'reply',
  job: 'job_1',
  project: '0123456789abcdef',
  step: 'Docs/docs/agent',
  command: '/docs',
  run: '1001',
  comment: '5001',
}

function frame(change: Partial<CommentFrame> = {}): CommentFrame {
  const runUrl = 'https://github.com/acme/docs/actions/runs/1001'
  return { marker, login: 'octocat', ask: 'explain it', runUrl, sha: '', followUp: true, ...change }
}

function outcome(change: Partial<Outcome> = {}): Outcome {
  return {
    result: 'no-pull-request',
    job: undefined,
    jobId: 'job_1',
    durationSeconds: 65,
    reason: '',
    ...change,
  }
}

const context = { timeoutMs: 60_000, announced: false }

describe('a reply', () => {
  it('says who asked for what, how it ended, how long it took, and how to go on', () => {
    const { source } = endBody(frame(), outcome(), context)
    expect(source.split('\n\n')).toEqual([
      expect.stringMatching(/^<!-- docs-agent .* -->\n✅ \*\*Completed without a pull request\*\*$/),
      '**octocat** asked: explain it · took 1 min 05 s · [workflow run](https://github.com/acme/docs/actions/runs/1001)',
      'Either no file needed a change, or the agent published straight to the branch.',
      'To go on, comment `/docs …` here; `/docs new …` starts afresh.',
    ])
  })

  it.each(['timed-out', 'cancelled', 'error'] as const)('says of %s that the job goes on', (result) => {
    const { source } = endBody(frame(), outcome({ result, reason: 'It was slow.' }), context)
    expect(source).toContain("The agent's job goes on")
    expect(source).toContain('re-run the [workflow run]')
    expect(source).toContain('<details><summary>Why</summary>\n\nIt was slow.')
  })

  it('does not say that a job goes on where none is known', () => {
    const { source } = endBody(
      frame({ marker: { ...marker, job: '' } }),
      outcome({ result: 'error' }),
      context,
    )
    expect(source).not.toContain('goes on')
  })

  it('never begins with a command that would wake the action', () => {
    for (const body of [usageBody(frame()), workingBody(frame(), 'new')]) {
      expect(body.source.split('\n')[1]).not.toMatch(/^\s*\/docs/)
    }
  })

  it.each(HOSTILE_TEXTS)('shows %j as it is, and nothing in it comes alive', (text) => {
    const hostile = frame({
      login: text,
      ask: text,
      sha: text,
      marker: { ...marker, job: text, step: text, command: text },
    })
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
    const bodies = [
      workingBody(hostile, 'starting'),
      endBody(hostile, outcome({ result: 'pull-request', job }), { timeoutMs: 1, announced: true }),
      endBody(hostile, outcome({ result: 'error', reason: text }), context),
      endBody({ ...hostile, login: '' }, outcome({ result: 'timed-out' }), context),
      announcementBody(hostile, text),
      usageBody(hostile),
      cutOffBody(hostile),
    ]
    for (const { source } of bodies) {
      const { html, mentions, images } = alive(source)
      expect(
        html.filter((tag) => !/^<\/?(?:code|details|summary)>|^<!-- docs-agent |^<details>/.test(tag)),
      ).toEqual([])
      expect([...mentions, ...images]).toEqual([])
      expect(readMarker(source)?.project).toBe('0123456789abcdef')
    }
  })
})

describe('a marker', () => {
  it.each([...HOSTILE_TEXTS, '--', '-->', '---->', 'a b=c&d+e%', ''])('brings %j back', (text) => {
    const given = { ...marker, job: text.toWellFormed(), step: text.toWellFormed() }
    const { source } = renderMarker(given)
    expect(readMarker(`${source}\nText`)).toEqual(given)
    expect(source.slice(4, -3)).not.toMatch(/--|>|\n/)
  })

  it.each(['.', '..'])('with the job %j names none: such an id would change the path of a request', (job) => {
    const kind = 'reply'
    const rest = { project: 'p', step: 's', command: '/docs', run: '1', comment: '2' }
    const { source } = renderMarker({ kind, job, ...rest })
    expect(readMarker(source)).toEqual({ kind, job: '', ...rest })
  })

  it.each([
    ' <!-- docs-agent kind=reply job=x -->',
    '\n<!-- docs-agent kind=reply job=x -->',
    'Text <!-- docs-agent kind=reply job=x -->',
    '<!-- docs-agent kind=other job=x -->',
    '<!-- docs-agent -->',
    '<!--docs-agent kind=reply-->',
  ])('is not %j', (text) => {
    expect(readMarker(text)).toBeUndefined()
  })
})
