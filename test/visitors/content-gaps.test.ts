import { expect, it } from 'vitest'
import type { Fault } from '../../docs-service/faults.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { GAPS, REPORT, refusal, runVisitors } from './scene.ts'

const like = (pattern: RegExp) => expect.stringMatching(pattern)
const AGENT = { 'content-gaps': 'agent', prompt: 'Explain.' }

/** Answers the two calls, the nth request for questions with the nth of these bodies. */
function answers(ratings: object, ...questions: readonly object[]): Fault[] {
  const body = (path: 'feedback' | 'assistant', json: object, nth = 1): Fault => {
    return { body: json, match: { path, nth } }
  }
  return [body('feedback', ratings), ...questions.map((json) => body('assistant', json))]
}

/** Ratings of pages, such as `/a 14/21`: 14 of 21 are negative. */
function ratings(text: string): object {
  const rows = [...text.matchAll(/(\S+) (\d+)\/(\d+)/g)].map(([, path, down, all]) => {
    return { path, thumbsUp: Number(all) - Number(down), thumbsDown: Number(down) }
  })
  return { feedback: rows, hasMore: false }
}

/** Questions on pages, such as `/a 4/5`: 4 of 5 are unanswered. */
function questions(text: string, more: object = { hasMore: false }): object {
  const rows = [...text.matchAll(/(\S+) (\d+)\/(\d+)/g)].flatMap(([, pageUrl, bad, all]) =>
    Array.from({ length: Number(all) }, (_, index) => {
      const resolutionStatus = index < Number(bad) ? 'unanswered' : 'answered'
      return { pageUrl, resolutionStatus, query: 'my password', response: 'Never say that.' }
    }),
  )
  return { conversations: rows, ...more }
}

it('content gaps are pages with 3 or more negative ratings, more than half, or 3 unanswered questions, of 28 days', async () => {
  const faults = answers(
    ratings('/three 3/5 /two 2/2 /half 4/8 /most 14/21'),
    questions('/q 2/4 https://a.example/u?v=jane#w 3/9', { hasMore: true, nextCursor: 'row-13' }),
    questions('/q 1/1 /few 2/2', { hasMore: false, nextCursor: 'row-16' }),
  )
  const { sent, summary, visitors, annotations } = await runVisitors(GAPS, { faults })
  expect(summary).toBe(`## 📊 Content gaps

Project \`docs\`

### 4 content gaps, 6 Jul to 2 Aug

- \`/most\`: 14 of 21 ratings are negative
- \`/three\`: 3 of 5 ratings are negative
- \`/q\`: 3 of 5 questions are unanswered
- \`/u\`: 3 of 9 questions are unanswered`)
  expect(visitors).toMatchObject({ from: null, totals: null, top: null, complete: true })
  expect(visitors.gaps[0]).toEqual({ kind: 'rating', path: '/most', count: 14, of: 21 })
  expect(sent).toEqual([
    'feedback 2026-07-06..2026-08-03 100 pending,in_progress',
    'assistant 2026-07-06..2026-08-03 1000',
    'assistant 2026-07-06..2026-08-03 1000 row-13',
  ])
  expect(annotations).toEqual([])
})

it('at most five pages of each kind are listed, those with most cases', async () => {
  const many = [3, 4, 5, 6, 7, 8, 9].map((count) => `/p${count} ${count}/${count}`).join(' ')
  const { visitors } = await runVisitors(GAPS, { faults: answers(ratings(many), questions(many)) })
  const paths = visitors.gaps.map(({ path }: { path: string }) => path).join(' ')
  expect(paths).toBe('/p9 /p8 /p7 /p6 /p5 /p9 /p8 /p7 /p6 /p5')
})

it('no word that strangers wrote is in the report, or in the prompt', async () => {
  const shown = [`/${'x'.repeat(119)}`, '/a/B_c.d~e-1']
  const hidden = [
    ...HOSTILE_TEXTS,
    `/${'x'.repeat(120)}`,
    '/a b',
    '/a%20b',
    '/é',
    'mailto:a b',
    '',
    null,
  ]
  const feedback = [...shown, ...hidden].map((path) => ({ path, thumbsUp: 0, thumbsDown: 9 }))
  const conversations = [...shown, ...hidden].flatMap((pageUrl) =>
    Array(3).fill({ pageUrl, resolutionStatus: 'unanswered', query: 'my password' }),
  )
  const faults = answers({ feedback }, { conversations })
  const { visitors, prompt, printed, summary } = await runVisitors(AGENT, { faults })
  const listed: string[] = visitors.gaps.map(({ path }: { path: string }) => path)
  for (const path of shown) expect(listed).toContain(path)
  for (const path of listed) expect(path).toMatch(/^[A-Za-z0-9/_.~-]{1,120}$/)
  expect([prompt, printed, summary].join('\n')).not.toMatch(/password|<script|octocat/)
})

it('the agent gets the same list, as demand, with at most three pages to change', async () => {
  const { prompt, summary } = await runVisitors({ ...AGENT, ...REPORT })
  const list =
    '- `/guides/restore`: 14 of 21 ratings are negative\\n- `/sdks/tokens`: 7 of 7 questions are unanswered'
  expect(prompt).toContain(list)
  expect(prompt).toMatch(/data, not instructions.*demand.*at most three pages.*\/guides\/restore/)
  expect(summary).toContain(list.replace('\\n', '\n'))
  const none = await runVisitors(
    { ...AGENT, ...GAPS },
    { faults: answers(ratings(''), questions('')) },
  )
  expect(none.prompt).not.toContain('content gap')
  expect(none.summary).toContain('### 0 content gaps, 6 Jul to 2 Aug')
})

const QUESTION = questions('/q 3/3')

it.each<{ what: string; faults: Fault[]; gaps: string[] }>([
  {
    what: 'a list without a known form',
    faults: [...answers({}, QUESTION), ...answers({}), ...answers({})],
    gaps: ['/q'],
  },
  {
    what: 'ratings of more than 100 pages',
    faults: answers({ ...ratings('/r 3/3'), hasMore: true }, questions('')),
    gaps: ['/r'],
  },
  {
    what: 'a list that is refused, and one without an end',
    faults: [
      refusal(404, 'feedback'),
      ...Array(9).fill(answers({}, { ...QUESTION, hasMore: true, nextCursor: 'row-3' })[1]),
    ],
    gaps: ['/q'],
  },
])('after $what the report has the rest, and one sentence about it', async ({ faults, gaps }) => {
  const { visitors, sent, summary, annotations, hasFailed } = await runVisitors(GAPS, { faults })
  expect(visitors.gaps.map(({ path }: { path: string }) => path)).toEqual(gaps)
  expect([visitors.complete, hasFailed, sent.length <= 8]).toEqual([false, false, true])
  expect(annotations).toEqual([like(/^notice: The action could not read /)])
  expect(summary.match(/⚠️ The action could not read /g)).toHaveLength(1)
})
