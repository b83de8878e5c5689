import { describe, expect, it } from 'vitest'
import type { Fault } from '../../docs-service/faults.ts'
import { alive } from '../support/rendered.ts'
import { refusal, runReaders } from './scene.ts'

const REPORT = { 'visitors-summary': 'true' }
const SIGNALS = { 'content-gaps': 'report' }
const AGENT = { 'content-gaps': 'agent', prompt: 'Explain.' }
const CALLS = ['feedback', 'searches', 'assistant'] as const
const REFUSED = CALLS.map((path) => refusal(403, { match: { path } }))
const VISITORS_REFUSED = refusal(403, { match: { path: 'visitors' } })
const MISSED = 'the ratings, the searches and the questions'

/** What the embedded service's site gets wrong, with the form of its search. */
const list = (search: string) =>
  `- search ${search}: 37 of 38 searches led to no click; the site's average: 40 %
- \`/guides/restore\`: 14 of 21 ratings say no; the site's average: 28 %
- \`/sdks/tokens\`: 7 of 7 questions got no answer; the site's average: 10 %`
const FOR_PEOPLE = list('for `export to csv`')
const FOR_AGENT = list('with the words `csv export to`')

const rating = (path: string, thumbsUp: number, thumbsDown: number) => {
  return { path, thumbsUp, thumbsDown }
}
const search = (searchQuery: string, hits: number, ctr: number) => ({ searchQuery, hits, ctr })

/** The three calls answered with these lists in place of the service's own. */
function answers(
  feedback: unknown[] = [],
  searches: unknown[] = [],
  conversations: unknown[] = [],
): Fault[] {
  const bodies = [{ feedback }, { searches }, { conversations }]
  return CALLS.map((path, index) => ({
    kind: 'body',
    body: bodies[index],
    times: 'always',
    match: { path },
  }))
}

describe('what readers missed', () => {
  it('is reported alone, of the 28 days before today, with three requests', async () => {
    const { sent, summary, outputs, failure, log, signals } = await runReaders({ inputs: SIGNALS })
    expect(sent.join('\n')).toBe(`feedback/by-page 2026-07-06..2026-08-03 100 pending,in_progress
searches 2026-07-06..2026-08-03 100
assistant 2026-07-06..2026-08-03 1000`)
    const head = ['## 🔎 What readers missed', '6 Jul to 2 Aug · project `docs`']
    expect(summary.split('\n\n').slice(0, 3)).toEqual([...head, FOR_PEOPLE])
    expect(
      outputs['content-gaps']?.replaceAll('},{', '},\n{'),
    ).toBe(`[{"kind":"search","search":"export to csv","count":37,"of":38,"share":0.974,"siteShare":0.396},
{"kind":"rating","path":"/guides/restore","count":14,"of":21,"share":0.667,"siteShare":0.282},
{"kind":"question","path":"/sdks/tokens","count":7,"of":7,"share":1,"siteShare":0.103}]`)
    expect([failure, signals]).toEqual([undefined, ''])
    expect(log).toEqual(['notice: What readers missed in 6 Jul to 2 Aug: 3 items.'])
  })

  it('is nothing where all is well, and a question where the service lists nothing', async () => {
    const ratings = 'No ratings in 28 days: is feedback switched on?'
    const searches = 'No searches in 28 days: is search switched on?'
    const questions = 'No questions in 28 days: is the assistant switched on?'
    const empty = await runReaders({ inputs: AGENT, faults: answers() })
    expect(empty.summary).toContain(`project \`docs\`\n\n${ratings} ${searches} ${questions}\n\n`)
    expect([empty.outputs['content-gaps'], empty.signals]).toEqual(['[]', ''])
    const faults = answers([rating('/a', 9, 1)], [search('a', 9, 0.9)])
    const fine = await runReaders({ inputs: SIGNALS, faults })
    expect(fine.summary).toContain(`\n\nNothing stands out. ${questions}\n\n`)
  })

  it('names five items at once, and folds the others', async () => {
    const good = Array.from({ length: 62 }, (_, index) => rating(`/good/${index}`, 30, 0))
    const bad = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => rating(`/p/${index}`, 0, 30 - index))
    const inputs = { ...SIGNALS, 'site-url': 'https://docs.example.com/x' }
    const { summary } = await runReaders({ inputs, faults: answers([...bad, ...good]) })
    const folded = '\n\n<details><summary>What readers missed: 3 more</summary>\n\n'
    const [shown = '', more] = summary.split(folded)
    const average = "ratings say no; the site's average: 10 %"
    expect(shown.match(/^- /gm)).toHaveLength(5)
    expect(more).toContain(`- [\`/p/7\`](https://docs.example.com/x/p/7): 23 of 23 ${average}`)
  })

  it.each<[string, Fault]>([
    ['ratings', refusal(403, { match: { path: 'feedback' } })],
    ['searches', { kind: 'body', body: {}, times: 'always', match: { path: 'searches' } }],
  ])('lacks the %s that could not be read, with one warning', async (name, fault) => {
    const run = await runReaders({ inputs: SIGNALS, faults: [fault] })
    expect(run.failure).toBeUndefined()
    expect(run.summary).toContain(`The ${name} could not be read.`)
    expect(run.costs).toEqual([expect.stringContaining(`; not read: the ${name}. The `)])
    expect(JSON.parse(run.outputs['content-gaps'] ?? '')).toHaveLength(2)
  })
})

describe('one cause of all that could not be read', () => {
  it.each([
    ['a visitors report', REPORT, undefined],
    ['a job', {}, {}],
  ])('is one warning beside %s', async (_what, more, job) => {
    const inputs = { ...SIGNALS, ...more }
    const { failure, costs, warned, outputs, summary } = await runReaders({
      inputs,
      faults: REFUSED,
      ...(job && { job }),
    })
    expect([failure, costs]).toEqual([undefined, [warned]])
    expect(warned).toMatch(new RegExp(`^The docs .* \\(403\\); not read: ${MISSED}\\.`))
    expect(outputs['content-gaps']).toBe('')
    expect(summary).toContain('The ratings, searches and questions could not be read.')
  })

  it.each([
    [SIGNALS, REFUSED, MISSED],
    [REPORT, [VISITORS_REFUSED], 'the visitors'],
    [{ ...REPORT, ...SIGNALS }, [VISITORS_REFUSED, ...REFUSED], `the visitors, ${MISSED}`],
  ])('fails the step where nothing else is left, without a warning (%j)', async (...given) => {
    const [inputs, faults, parts] = given
    const { failure = '', log, summary, outputs } = await runReaders({ inputs, faults })
    const start = `The docs service does not allow this (403); not read: ${parts}. The `
    expect([failure.slice(0, start.length), failure.match(/403/g)]).toEqual([start, ['403']])
    expect(failure).toMatch(/Nope.*dashboard/)
    expect(summary).toMatch(/^## ❌ Readers report\n\n.*\(403\).*\n\nproject `docs`/)
    expect([log, Object.values(outputs).join('')]).toEqual([[], ''])
  })

  it('leaves what could be read', async () => {
    const run = { inputs: { ...REPORT, ...SIGNALS }, faults: [VISITORS_REFUSED] }
    const { summary, outputs } = await runReaders(run)
    expect(summary).toContain(`\n\n## 🔎 What readers missed\n\n`)
    expect(outputs['visitors-markdown']).toContain(FOR_AGENT)
  })

  it('is said in short beside a job that it refuses, too, and in full beside any other', async () => {
    const options = { inputs: REPORT, faults: [VISITORS_REFUSED] }
    const error = 'The docs service does not allow this (403)'
    const { failure, summary } = await runReaders({ ...options, job: { error } })
    expect(failure).toBe(`${error}; not read: the visitors.`)
    expect(summary).toBe(`## ❌ Readers report\n\n${failure}\n\nproject \`docs\``)
    for (const job of [
      {},
      { error: false as const },
      { error: 'The credits of the docs service are used up (402)' },
    ])
      expect((await runReaders({ ...options, job })).failure).toContain('"Nope"')
  })
})

it.each([
  ['alone', {}, /\n\nproject `docs`$/],
  ['beside a report', REPORT, /\n## 📊 About /],
])('an export that fails %s is said in the summary', async (_where, more, rest) => {
  const { failure, summary, outputs } = await runReaders({
    inputs: { ...more, 'visitors-export': 'true' },
    env: { RUNNER_TEMP: '/dev/null' },
  })
  expect(failure).toMatch(/^Could not write the CSV file of visitors: ENOTDIR/)
  expect(summary).toMatch(/^## ❌ Readers report\n\nCould not write the CSV file/)
  expect(summary).toMatch(rest)
  expect(outputs['visitors-csv']).toBeUndefined()
  expect(outputs['visitors-total']).toMatch(/^\d+$/)
})

describe('what the agent is told', () => {
  it('is our words, and then the same list, read once', async () => {
    const { signals, sent, costs } = await runReaders({ inputs: AGENT })
    expect([sent.length, costs]).toEqual([3, []])
    expect(
      signals,
    ).toBe(`The list of what readers missed has counts of demand, no proof of an error. Look at the page and at the code first. Change at most three pages for this list, and a page only where it lacks or misstates something. Add nothing that the repository does not hold. Say in the pull request which item led to which change.
What readers missed, 6 Jul to 2 Aug:
${FOR_AGENT}`)
  })

  it('is nothing where it cannot be read, and the summary lists that as a cost', async () => {
    const run = await runReaders({ inputs: AGENT, faults: REFUSED, job: {} })
    expect([run.signals, run.failure]).toEqual(['', undefined])
    expect(run.costs).toEqual([
      'The agent is not told what readers missed.',
      expect.stringContaining(`The docs service does not allow this (403); not read: ${MISSED}.`),
    ])
  })
})

/** The subjects of a list's lines. */
const subjectsIn = (text: string) =>
  [...text.matchAll(/^- (.*): \d+ of \d+ [rsq]/gm)].map(([, subject]) => subject).join(', ')

// Which name has which form is told, name by name, in `service/public-name.test.ts`.
it('what strangers word is shown to people, and to an agent, in the form that is for them, and else nowhere', async () => {
  const asked = (pageUrl: string, queryCategory: string) =>
    [10, 11, 12].map((day) => {
      const words = { query: 'my password is hunter2', response: 'Never say that' }
      const about = { queryCategory, pageUrl, resolutionStatus: 'unanswered' }
      return { timestamp: `2026-07-${day}T10:00:00Z`, ...words, ...about }
    })
  const faults = answers(
    [rating('/Guides/X', 0, 30), rating('/a b', 0, 30), rating('/good', 9801, 0)],
    [search('Limits rate', 30, 0), search('mail @mona now', 30, 0), search('good', 9801, 1)],
    [asked('https://a.example/del ete', 'Billing'), asked('', 'A & B'), asked('', '<img>')].flat(),
  )
  const { summary, log, outputs, signals } = await runReaders({ inputs: AGENT, faults })
  expect(subjectsIn(signals)).toBe(
    'a page (path withheld), a page (path withheld), search with the words `limits rate`, a search (text withheld), a page (path withheld), questions about `A & B`, a category (name withheld)',
  )
  expect(subjectsIn(summary)).toBe(
    '`/Guides/X`, a page (path withheld), search for `Limits rate`, a search (text withheld), a page (path withheld), questions about `A & B`, a category (name withheld)',
  )
  const entries: Record<string, unknown>[] = JSON.parse(outputs['content-gaps'] ?? '')
  const names = entries.map(({ path, search, category }) => path ?? search ?? category)
  expect(names.join(', ')).toBe(
    '/Guides/X, (withheld), Limits rate, (withheld), (withheld), A & B, (withheld)',
  )
  const everything = [summary, signals, ...log, ...Object.values(outputs)].join('\n')
  expect(everything).not.toMatch(/a b|@mona|hunter2|Never say|a\.example|Billing|<img/)
  expect(outputs['visitors-markdown']).not.toMatch(/Guides|Limits/)
  const shown = alive(summary + outputs['visitors-markdown'])
  expect(shown).toMatchObject({ links: [], images: [], mentions: [] })
})

describe('the Markdown output', () => {
  it('is the first screen without the chart, with what readers missed in the form for an agent', async () => {
    const inputs = { ...SIGNALS, ...REPORT, 'visitors-days': '30' }
    const { summary, outputs } = await runReaders({ inputs })
    const [shown = ''] = summary.split('\n\n<details>')
    const withoutChart = shown.replace(/\n\n```mermaid[\s\S]*?\(orange\)\./, '')
    expect(outputs['visitors-markdown']).toBe(withoutChart.replace(FOR_PEOPLE, FOR_AGENT))
    expect(withoutChart).toMatch(/^## 📊 About .*\| Now \| Usual .*What moved/s)
    const missed = '\n\n**What readers missed**, 6 Jul to 2 Aug\n\n'
    expect(withoutChart.endsWith(missed + FOR_PEOPLE)).toBe(true)
  })

  it('is there for an export alone, whose summary has no report', async () => {
    const inputs = { ...SIGNALS, 'visitors-export': 'true' }
    const { outputs, summary } = await runReaders({ inputs })
    expect(outputs['visitors-markdown']).toMatch(/^## 📊 About .* read the docs\n\n.*\n\n\| /)
    expect(summary).toMatch(/^## 🔎 What readers missed\n/)
    expect((await runReaders({ inputs: { 'visitors-export': 'true' } })).summary).toBe('')
  })

  it('is empty above 60 KiB, with a warning', async () => {
    const inputs = { 'visitors-export': 'true', 'project-id': 'd'.repeat(60 * 1024) }
    const { outputs, costs } = await runReaders({ inputs })
    const warning = 'The output visitors-markdown is left empty: it would be longer than 60 KiB.'
    expect([outputs['visitors-markdown'], costs]).toEqual(['', [warning]])
  })
})

it('a dry run calls nothing, and says what it would read', async () => {
  const inputs = { ...AGENT, ...REPORT, 'visitors-export': 'true', 'dry-run': 'true' }
  const { sent, summary, log, outputs, signals } = await runReaders({ inputs })
  expect([sent, outputs, signals]).toEqual([[], {}, ''])
  const plan =
    'The docs service was not called. Without `dry-run`, this run would read the visitors of 27 Jul to 2 Aug, write all rows to a CSV file, read what readers missed and tell the agent, with 40 requests at most.'
  expect(log).toEqual([`notice: ${plan}`])
  expect(summary).toBe(`## 📊 Readers report: dry run\n\n${plan}\n\nProject \`docs\``)
})
