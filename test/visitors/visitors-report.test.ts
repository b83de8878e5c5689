import { describe, expect, it, vi } from 'vitest'
import type { Fault } from '../../docs-service/faults.ts'
import { HttpClient, type HttpResponse } from '../../src/lib/http.ts'
import { startHarness } from '../support/harness.ts'
import { refusal, runVisitors } from './scene.ts'

const REPORT = { 'visitors-summary': 'true' }
const GAPS = { 'content-gaps': 'report' }
const AGENT = { 'content-gaps': 'agent', prompt: 'Explain.' }
const EXPORT = { 'visitors-export': 'true' }
const CALLS = ['feedback', 'searches', 'assistant'] as const
const ALL_REFUSED = refusal(403, { match: { path: '/v1/analytics' } })
const VISITORS_REFUSED = refusal(403, { match: { path: 'visitors' } })
const GAPS_REFUSED = CALLS.map((path) => refusal(403, { match: { path } }))
const like = (pattern: RegExp) => expect.stringMatching(pattern)
const UNREAD = /so the page ratings, the questions,? and the searches could not be read\./

/** The content gaps of the embedded service's site, with the form of its search. */
const list = (search: string) =>
  `- Search ${search}: 37 of 38 searches ended without a click (site average: 40%)
- \`/guides/restore\`: 14 of 21 ratings are negative (site average: 28%)
- \`/sdks/tokens\`: 7 of 7 questions ended without an answer (site average: 10%)`
const FOR_PEOPLE = list('`export to csv`')
const FOR_AGENT = list('with the words `csv export to`')

const rating = (path: string, thumbsUp: number, thumbsDown: number) => {
  return { path, thumbsUp, thumbsDown }
}
const search = (searchQuery: string, hits: number, ctr: number) => ({ searchQuery, hits, ctr })
const question = (day: number, more: object = {}) => {
  const timestamp = `2026-07-${day}T10:00:00Z`
  return { timestamp, resolutionStatus: 'unanswered', pageUrl: 'https://a.example/x', ...more }
}

/** Answers a call with this body; its `nth` request alone if that is given. */
const body = (path: (typeof CALLS)[number], json: object, nth?: number): Fault => {
  const match = { path, ...(nth !== undefined && { nth }) }
  return { kind: 'body', body: json, times: nth === undefined ? 'always' : 1, match }
}

/** One search, with a page after it: always, or once. */
const moreSearches = (nth?: number) =>
  body('searches', { searches: [search('a', 9, 0.9)], nextCursor: 'row-1' }, nth)

/** Answers the three calls with these lists. */
function answers({ feedback = [], searches = [], conversations = [] }: Record<string, unknown[]>) {
  return [
    body('feedback', { feedback }),
    body('searches', { searches }),
    body('assistant', { conversations }),
  ]
}

describe('content gaps', () => {
  it('are reported alone, of the 28 days before today, with three requests', async () => {
    const { sent, summary, outputs, notices, hasFailed } = await runVisitors(GAPS)
    expect(sent).toEqual([
      'feedback/by-page 2026-07-06..2026-08-03 100 pending,in_progress',
      'assistant 2026-07-06..2026-08-03 1000',
      'searches 2026-07-06..2026-08-03 100',
    ])
    const head = ['## 🔎 Content gaps', '6 Jul to 2 Aug · Project `docs`']
    expect(summary.split('\n\n').slice(0, 3)).toEqual([...head, FOR_PEOPLE])
    const near = (share: number) => expect.closeTo(share, 3)
    expect(JSON.parse(outputs['content-gaps'] ?? '')).toMatchObject([
      { kind: 'search', search: 'export to csv', share: near(37 / 38), siteShare: near(0.396) },
      { kind: 'rating', path: '/guides/restore', count: 14, of: 21, siteShare: near(0.282) },
      { kind: 'question', path: '/sdks/tokens', count: 7, of: 7, share: 1 },
    ])
    expect([hasFailed, notices]).toEqual([false, ['3 content gaps.']])
  })

  it('are said not to stand out, or not to be listed', async () => {
    const turnedOn = 'Make sure that feedback, search, and the assistant are turned on.'
    const empty = await runVisitors(GAPS, { faults: answers({}) })
    expect(empty.summary).toMatch(
      /`docs`\n\nMintlify has no page ratings, questions,? and searches of the last 28 days\. /,
    )
    expect(empty.summary).toContain(turnedOn)
    expect(empty.outputs['content-gaps']).toBe('[]')
    const faults = answers({ feedback: [rating('/a', 9, 1)], searches: [search('a', 9, 0.9)] })
    const fine = await runVisitors(GAPS, { faults })
    const none = 'Mintlify has no questions of the last 28 days.'
    expect(fine.summary).toContain(`\n\nNothing stands out. ${none} ${turnedOn}\n\n`)
  })

  it('are named up to five, and the others folded', async () => {
    const good = Array.from({ length: 62 }, (_, index) => rating(`/good/${index}`, 30, 0))
    const bad = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => rating(`/p/${index}`, 0, 30 - index))
    const inputs = { ...GAPS, 'site-url': 'https://docs.example.com/x' }
    const { summary } = await runVisitors(inputs, {
      faults: answers({ feedback: [...bad, ...good] }),
    })
    const folded = '\n\n<details><summary>Content gaps: 3 more</summary>\n\n'
    const [shown = '', more] = summary.split(folded)
    const negative = '23 of 23 ratings are negative (site average: 10%)'
    expect(shown.match(/^- /gm)).toHaveLength(5)
    expect(more).toContain(`- [\`/p/7\`](https://docs.example.com/x/p/7): ${negative}`)
  })

  it('are read page after page, and of the same questions on two pages three on two days are a gap', async () => {
    const conversations = [question(20), question(20)]
    const faults = [
      body('assistant', { conversations, nextCursor: 'row-2', hasMore: true }, 1),
      body('assistant', { conversations: [question(18)], nextCursor: null, hasMore: false }, 2),
      moreSearches(1),
    ]
    const { sent, summary } = await runVisitors(GAPS, { faults })
    expect(sent).toMatchObject(
      [/^feedback/, /1000$/, /1000 row-2$/, /100$/, /100 row-1$/].map(like),
    )
    expect(summary).toContain('- `/x`: 3 of 3 questions ended without an answer')
    expect(summary).not.toContain('more than could be read')
  })

  it.each([
    {
      what: 'six requests',
      faults: [
        body('feedback', { feedback: [rating('/a', 9, 1)], hasMore: true }),
        ...[1, 2, 3, 4].map((nth) =>
          body('assistant', { conversations: [question(20)], nextCursor: `row-${nth}` }, nth),
        ),
        moreSearches(),
      ],
      requests: 6,
      covers: /covers 1 page ratings, 4 questions since 20 Jul,? and 1 searches\./,
    },
    {
      what: 'a cursor that leads to itself',
      faults: [moreSearches()],
      requests: 4,
      covers: /covers 1 searches\./,
    },
  ])('are read up to $what, and the section lists its sources', async (given) => {
    const { sent, summary } = await runVisitors(GAPS, { faults: given.faults })
    expect(sent).toHaveLength(given.requests)
    expect(summary).toMatch(given.covers)
  })

  it('that fail for the moment leave a request for each other list', async () => {
    const faults = [refusal(500, { match: { path: 'feedback' } })]
    const { sent, outputs } = await runVisitors(GAPS, { faults })
    expect(sent.map((call) => call[0]).join('')).toBe('ffffas')
    expect(JSON.parse(outputs['content-gaps'] ?? '')).toHaveLength(2)
  })
})

describe('a cause is explained once', () => {
  it.each([
    { other: 'a visitors report', inputs: REPORT },
    { other: 'a job', inputs: { prompt: 'Explain.' } },
  ])('if content gaps could not be read next to $other', async ({ inputs }) => {
    const run = await runVisitors({ ...GAPS, ...inputs }, { faults: GAPS_REFUSED })
    expect([run.hasFailed, run.outputs['content-gaps']]).toEqual([false, ''])
    expect(run.warnings).toMatchObject([like(UNREAD)])
    expect(run.summary).toMatch(UNREAD)
  })

  it.each([
    { inputs: GAPS, faults: GAPS_REFUSED, says: UNREAD },
    {
      inputs: { ...REPORT, ...GAPS },
      faults: [ALL_REFUSED],
      says: /so the visitors, the page ratings, the questions,? and the searches could/,
    },
  ])('if all requests fail, as the error of the step ($inputs)', async (given) => {
    const { errors, warnings, titles, summary, visitors } = await runVisitors(given.inputs, given)
    expect(errors).toMatchObject([like(given.says)])
    expect(errors[0]?.match(/Nope/g)).toHaveLength(1)
    expect([titles, warnings]).toEqual([[like(/^No report: \S+ denied the request \(docs\)$/)], []])
    expect(summary).toMatch(/^## ❌ No report: \S+ denied the request\n\n/)
    expect(visitors).toBeNull()
  })

  it('by the job that it ends, however long after the report', async () => {
    const late = refusal(403, { match: { path: 'look', nth: 3 } })
    const { errors, log, summary, tookMs } = await runVisitors(
      { ...REPORT, prompt: 'Explain.' },
      { docs: { jobTimeMs: 60_000 }, faults: [late, VISITORS_REFUSED] },
    )
    expect(tookMs).toBeGreaterThan(10_000)
    expect(errors).toMatchObject([like(/Nope/)])
    const unread = 'denied the request, so the visitors could not be read.'
    expect([log.join('\n'), summary].every((text) => text.includes(unread))).toBe(true)
  })

  it.each([
    { inputs: { ...REPORT, ...GAPS }, what: 'no project' },
    { inputs: { ...REPORT, ...AGENT }, what: 'no project' },
    { inputs: GAPS, what: 'no such analytics' },
  ])('if the project is wrong, without a section for content gaps ($inputs)', async (given) => {
    const notFound = refusal(404, { match: { path: '/v1/analytics' } })
    const { errors, warnings, summary } = await runVisitors(given.inputs, { faults: [notFound] })
    expect([errors.length, warnings]).toEqual([1, []])
    expect(errors[0]?.match(/Nope/g)).toHaveLength(1)
    expect(errors[0]).toContain(given.what)
    expect(errors[0]).toContain('`project-id`')
    for (const part of ['questions', 'searches']) expect(errors[0]).toContain(part)
    expect(summary).toContain('## ❌ No report')
    expect(summary).not.toContain('ontent gaps')
  })

  it('by the job that finds no project either', async () => {
    const notFound = refusal(404, { match: { path: '/' } })
    const inputs = { ...AGENT, prompt: 'Explain.' }
    const { errors, warnings, titles } = await runVisitors(inputs, { faults: [notFound] })
    expect([errors.length, warnings]).toEqual([1, []])
    expect(titles).toEqual([like(/ has no project `/)])
  })

  it('and the other part is reported', async () => {
    const run = await runVisitors({ ...REPORT, ...GAPS }, { faults: [VISITORS_REFUSED] })
    expect(run.summary).toContain(`\n\n## 🔎 Content gaps\n\n`)
    expect(run.markdown).toContain(FOR_AGENT)
  })
})

it.each([{}, REPORT])('a CSV file that could not be written fails the step (%j)', async (more) => {
  const inputs = { ...more, ...EXPORT }
  const run = await runVisitors(inputs, { env: { RUNNER_TEMP: '/dev/null' } })
  expect(run.errors).toMatchObject([like(/^Could not write the CSV file of visitors: ENOTDIR/)])
  expect(run.summary).toMatch(/^## ❌ Could not write the CSV file of visitors\n/)
  expect(run.summary.includes('\n## 📊 About')).toBe('visitors-summary' in more)
  expect([run.outputs['visitors-csv'], run.visitors.complete]).toEqual([undefined, true])
})

describe('next to a job', () => {
  it('the report is collected while the job runs, and is shown below it', async () => {
    const inputs = { ...REPORT, ...AGENT }
    const { calls, summary } = await runVisitors(inputs, { docs: { jobTimeMs: 20_000 } })
    expect(summary).toMatch(/^## ✅ [\s\S]*\n## 📊 About [\s\S]*\*\*Content gaps\*\*/)
    const lastOf = (pattern: RegExp) => calls.findLastIndex((call) => pattern.test(call))
    expect(lastOf(/searches/)).toBeLessThan(lastOf(/^POST/))
    expect(lastOf(/visitors/)).toBeLessThan(lastOf(/job\/./))
  })

  it('each part is whole if the other fails, and the step fails', async () => {
    const inputs = { ...REPORT, prompt: '[agent: fail]' }
    const failing = await runVisitors(inputs)
    expect(failing).toMatchObject({ hasFailed: true, outputs: { result: 'failed' } })
    expect(failing.visitors.complete).toBe(true)
    const other = await runVisitors({ ...inputs, prompt: 'x' }, { faults: [VISITORS_REFUSED] })
    expect(other).toMatchObject({ hasFailed: true, outputs: { result: 'pull-request' } })
    expect(other.summary).toMatch(/^## ✅ [\s\S]*\n## ❌ No report: /)
    expect(other.errors).toMatchObject([like(/Nope/)])
  })
})

describe('the prompt', () => {
  it('has our rules, and then the list, which is read once', async () => {
    const { prompt, sent, warnings } = await runVisitors(AGENT)
    expect([sent.length, warnings]).toEqual([3, []])
    const text = JSON.parse(prompt).prompt
    expect(text).toContain(`\nContent gaps, 6 Jul to 2 Aug:\n${FOR_AGENT}\n`)
    expect(text).toMatch(
      /names[^\n]* data, [^\n]*demand[^\n]*at the page and at the code first[^\n]*at most three pages[^\n]*nothing that the repository doesn't contain[^\n]*which item led to which change\.\nContent gaps/,
    )
  })

  it('has no list if there is none, or it could not be read', async () => {
    for (const faults of [answers({}), [ALL_REFUSED]]) {
      const { prompt, outputs } = await runVisitors(AGENT, { faults })
      expect([prompt.includes('ontent gaps'), outputs['result']]).toEqual([false, 'pull-request'])
    }
  })
})

/** The subjects of a list's lines. */
const subjectsIn = (text: string) =>
  [...text.matchAll(/^- (.*): \d+ of \d+ [rsq]/gm)].map(([, subject]) => subject)

// Which name has which form is tested in `mintlify/public-name.test.ts`.
it('names by strangers are shown to people, and to an agent, in the form for them, and nowhere else', async () => {
  const asked = (pageUrl: string, queryCategory: string) =>
    [10, 11, 12].map((day) => {
      const words = { query: 'my password is hunter2', response: 'Never say that' }
      return question(day, { ...words, queryCategory, pageUrl })
    })
  const faults = answers({
    feedback: [rating('/Guides/X', 0, 30), rating('/a b', 0, 30), rating('/good', 9801, 0)],
    searches: [search('Limits rate', 30, 0), search('mail @mona', 30, 0), search('good', 9801, 1)],
    conversations: [
      asked('https://a.example/del ete', 'Billing'),
      asked('', 'A & B'),
      asked('', '<img>'),
    ].flat(),
  })
  const { summary, log, outputs, markdown, prompt } = await runVisitors(AGENT, { faults })
  const [page, category] = ['A page (withheld)', 'A category (withheld)']
  const others = ['A search (withheld)', page, 'Category `A & B`', category]
  const forAgent = [page, page, 'Search with the words `limits rate`', ...others]
  expect(subjectsIn(JSON.parse(prompt).prompt)).toEqual(forAgent)
  expect(subjectsIn(markdown)).toEqual(forAgent.slice(0, 5))
  const report = summary.slice(summary.indexOf('## 🔎'))
  expect(subjectsIn(report)).toEqual(['`/Guides/X`', page, 'Search `Limits rate`', ...others])
  const entries: Record<string, unknown>[] = JSON.parse(outputs['content-gaps'] ?? '')
  const names = entries.map(({ path, search: words, category }) => path ?? words ?? category)
  expect(names.filter((name) => name !== '(withheld)')).toEqual([
    '/Guides/X',
    'Limits rate',
    'A & B',
  ])
  const everything = [summary, prompt, ...log, ...Object.values(outputs)].join('\n')
  expect(everything).not.toMatch(/a b|@mona|hunter2|Never say|a\.example|Billing|<img/)
})

describe('the Markdown output', () => {
  it('is the first screen without the chart, with content gaps in the form for an agent', async () => {
    const inputs = { ...GAPS, ...REPORT, 'visitors-days': '30' }
    const { summary, markdown } = await runVisitors(inputs)
    const [shown = ''] = summary.split('\n\n<details>')
    const withoutChart = shown.replace(/\n\n```mermaid[\s\S]*?\(blue\)\./, '')
    expect(markdown).toBe(withoutChart.replace(FOR_PEOPLE, FOR_AGENT))
    expect(markdown).toMatch(/^## 📊 About .*\| Now \| Usual range .*Pages with unusual traffic/s)
    expect(markdown.endsWith(`\n\n**Content gaps**, 6 Jul to 2 Aug\n\n${FOR_AGENT}`)).toBe(true)
  })

  it('exists for an export, whose summary has no visitors', async () => {
    const { markdown, summary } = await runVisitors({ ...GAPS, ...EXPORT })
    expect(markdown).toMatch(/^## 📊 About [\d,]+ visitors\n\n.*\n\n\| /)
    expect(summary).toMatch(/^## 🔎 Content gaps\n/)
    expect((await runVisitors(EXPORT)).summary).toBe('')
  })

  it('is empty above 60 KiB, with a warning', async () => {
    const { run } = await startHarness()
    const sending = vi.mocked(HttpClient.prototype.send)
    const send = sending.getMockImplementation()
    const long = 'd'.repeat(60 * 1024)
    // No server takes such an address.
    sending.mockImplementation(async function (this: HttpClient, { url, ...request }) {
      const shorter = new URL(url.href.replace(long, 'docs'))
      return (await send?.call(this, { ...request, url: shorter })) as HttpResponse
    })
    const { outputs, warnings } = await run({ inputs: { ...EXPORT, 'project-id': long } })
    expect(outputs['visitors-markdown']).toBe('')
    expect(warnings).toMatchObject([like(/`visitors-markdown` is empty, .* 60 KiB\.$/)])
  })
})

it('a dry run makes no request, with a notice', async () => {
  const inputs = { ...REPORT, ...EXPORT, 'dry-run': 'true' }
  const { sent, summary, notices, outputs } = await runVisitors(inputs)
  expect([sent, outputs]).toEqual([[], {}])
  expect(notices).toMatchObject([like(/^Nothing was sent to Mintlify\. .* at most 40 requests\.$/)])
  expect(summary).toMatch(/^## 📊 Visitors report: dry run\n\nNothing was sent/)
})
