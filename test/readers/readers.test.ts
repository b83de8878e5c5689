import { describe, expect, it } from 'vitest'
import type { Fault } from '../../docs-service/faults/fault.ts'
import { alive } from '../support/rendered.ts'
import { PLACES } from './readers.cases.ts'
import { refusal, runReaders } from './scene.ts'
import { STRANGERS_NAMES } from './strangers-names.ts'

const SIGNALS = { 'reader-signals': 'report' }
const AGENT = { 'reader-signals': 'agent', prompt: 'Explain.' }
const CALLS = ['feedback', 'searches', 'assistant'] as const
const REFUSED = CALLS.map((path) => refusal(403, { match: { path } }))

/** What the embedded service's site gets wrong. */
const MISSED = `- search for \`export to csv\`: 37 of 38 searches led to no click; the site's average: 40 %
- \`/guides/restore\`: 14 of 21 ratings say no; the site's average: 28 %
- \`/sdks/tokens\`: 7 of 7 questions got no answer; the site's average: 10 %`

const rating = (path: string, thumbsUp: number, thumbsDown: number) => ({
  path,
  thumbsUp,
  thumbsDown,
})
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
    expect(sent).toEqual(['feedback/by-page', 'searches', 'assistant'])
    const head = ['## 🔎 What readers missed', '6 Jul to 2 Aug · project `docs`']
    expect(summary.split('\n\n').slice(0, 3)).toEqual([...head, MISSED])
    expect(JSON.parse(outputs['reader-signals'] ?? '')).toEqual([
      {
        kind: 'search',
        search: 'export to csv',
        count: 37,
        of: 38,
        share: 0.974,
        siteShare: 0.396,
      },
      {
        kind: 'rating',
        path: '/guides/restore',
        count: 14,
        of: 21,
        share: 0.667,
        siteShare: 0.282,
      },
      { kind: 'question', path: '/sdks/tokens', count: 7, of: 7, share: 1, siteShare: 0.103 },
    ])
    expect(JSON.parse(outputs['reader-signals'] ?? '')).toHaveLength(3)
    expect([failure, signals]).toEqual([undefined, ''])
    expect(log).toEqual(['notice: What readers missed in 6 Jul to 2 Aug: 3 items.'])
  })

  it.each(PLACES)('stands %s', async (_where, more, faults, expected) => {
    const { summary, outputs } = await runReaders({ inputs: { ...SIGNALS, ...more }, faults })
    expect(summary).toMatch(expected)
    expect(summary).toContain(`\n\n${MISSED}\n\n`)
    expect(JSON.parse(outputs['reader-signals'] ?? '')).toHaveLength(3)
  })

  it('is nothing where all is well, and a question where the service lists nothing', async () => {
    const ratings = 'No ratings in 28 days: is feedback switched on?'
    const searches = 'No searches in 28 days: is search switched on?'
    const questions = 'No questions in 28 days: is the assistant switched on?'
    const empty = await runReaders({ inputs: SIGNALS, faults: answers() })
    expect(empty.summary).toContain(`project \`docs\`\n\n${ratings} ${searches} ${questions}\n\n`)
    expect(empty.outputs).toMatchObject({ 'reader-signals': '[]' })
    const faults = answers([rating('/a', 9, 1)], [search('a', 9, 0.9)])
    const fine = await runReaders({ inputs: SIGNALS, faults })
    expect(fine.summary).toContain(`\n\nNothing stands out.\n\n${questions}\n\n`)
    expect([empty.failure, fine.failure]).toEqual([undefined, undefined])
  })

  it('names five items at once, and folds the others', async () => {
    const feedback = Array.from({ length: 70 }, (_, index) =>
      index < 8 ? rating(`/p/${index}`, 0, 30 - index) : rating(`/p/${index}`, 30, 0),
    )
    const inputs = { ...SIGNALS, 'site-url': 'https://docs.example.com/x' }
    const { summary } = await runReaders({ inputs, faults: answers(feedback) })
    const [shown = '', more = ''] = summary.split(
      '<details><summary>What readers missed: 3 more</summary>',
    )
    const line = (index: number): string =>
      `- [\`/p/${index}\`](https://docs.example.com/x/p/${index}): `
    expect(shown.match(/^- /gm)).toHaveLength(5)
    expect(shown).toContain(`${line(4)}26 of 26 ratings say no; the site's average: 10 %`)
    expect(more).toContain(`${line(7)}23 of 23 ratings say no; the site's average: 10 %`)
  })
})

describe('what cannot be read of it', () => {
  it.each<[string, Fault, string]>([
    ['ratings', refusal(403, { match: { path: 'feedback' } }), '403'],
    [
      'searches',
      { kind: 'body', body: {}, times: 'always', match: { path: 'searches' } },
      'does not match the documentation',
    ],
  ])('loses its lines (%s), with one warning', async (name, fault, says) => {
    const { summary, warned, failure, outputs } = await runReaders({
      inputs: SIGNALS,
      faults: [fault],
    })
    expect(failure).toBeUndefined()
    expect(summary).toContain(`The ${name} could not be read.`)
    expect(warned).toMatch(new RegExp(`^Not read: the ${name}\\. .*${says}.*$`))
    expect(JSON.parse(outputs['reader-signals'] ?? '')).toHaveLength(2)
  })

  it.each([
    ['beside a visitors report', { 'visitors-summary': 'true' }, false, undefined],
    ['beside a job', {}, true, undefined],
    ['alone', {}, false, expect.stringMatching(/^The docs service does not allow this \(403\)\. /)],
  ])(
    'is warned of once %s, and fails the step only where nothing else was asked for',
    async (...given) => {
      const [, more, hasJob, expected] = given
      const run = await runReaders({ inputs: { ...SIGNALS, ...more }, hasJob, faults: REFUSED })
      expect(run.failure).toEqual(expected)
      expect(run.warned).toMatch(
        /^Not read: the ratings, the searches and the questions\. .*\(403\).*$/,
      )
      expect(run.outputs['reader-signals']).toBe('')
      expect(run.summary).toContain('The ratings, searches and questions could not be read.')
    },
  )
})

describe('what the agent is told', () => {
  it('is our words, and then the same list, read once', async () => {
    const { signals, sent } = await runReaders({ inputs: AGENT })
    expect(sent).toHaveLength(3)
    expect(
      signals,
    ).toBe(`The list of what readers missed has counts of demand, no proof of an error. Look at the page and at the code first. Change at most three pages for this list, and a page only where it lacks or misstates something. Add nothing that the repository does not hold. Say in the pull request which item led to which change.
What readers missed, 6 Jul to 2 Aug:
- search with the words \`csv export to\`: 37 of 38 searches led to no click; the site's average: 40 %
- \`/guides/restore\`: 14 of 21 ratings say no; the site's average: 28 %
- \`/sdks/tokens\`: 7 of 7 questions got no answer; the site's average: 10 %`)
  })

  it('is nothing where nothing stands out', async () => {
    expect((await runReaders({ inputs: AGENT, faults: answers() })).signals).toBe('')
  })

  it('is nothing where it cannot be read, and the summary lists that as a cost', async () => {
    const run = await runReaders({ inputs: AGENT, faults: REFUSED, hasJob: true })
    expect([run.signals, run.failure]).toEqual(['', undefined])
    expect(run.costs).toEqual([
      'The agent is not told what readers missed.',
      expect.stringMatching(/^Not read: the ratings, the searches and the questions\. .*\(403\)/),
    ])
  })
})

/** The subjects of a list's lines, sorted. */
const subjectsIn = (text = '') =>
  [...text.matchAll(/^- (.*): \d+ of \d+ [rsq]/gm)].map(([, subject]) => subject).sort()

const subjectOf = (kind: 'path' | 'search', name: string | null, before: string): string => {
  if (name === null) return kind === 'path' ? 'a page (path withheld)' : 'a search (text withheld)'
  return kind === 'path' ? `\`${name}\`` : `search ${before} \`${name}\``
}

it('what strangers word is shown to people, and to an agent, in the form that is for them, and else nowhere', async () => {
  expect(STRANGERS_NAMES.length).toBeGreaterThanOrEqual(200)
  for (let from = 0; from < STRANGERS_NAMES.length; from += 5) {
    const names = STRANGERS_NAMES.slice(from, from + 5)
    const textsOf = (wanted: string) =>
      names.flatMap(([kind, text]) => (kind === wanted ? [text] : []))
    const faults = answers(
      [...textsOf('path').map((path) => rating(path, 0, 30)), rating('/good', 9801, 0)],
      [...textsOf('search').map((term) => search(term, 30, 0)), search('good', 9801, 1)],
    )
    const { summary, log, outputs, signals } = await runReaders({ inputs: AGENT, faults })
    const agent = names.map(([kind, , , name]) => subjectOf(kind, name, 'with the words')).sort()
    expect(subjectsIn(summary)).toEqual(
      names.map(([kind, , name]) => subjectOf(kind, name, 'for')).sort(),
    )
    expect([subjectsIn(signals), subjectsIn(outputs['visitors-markdown'])]).toEqual([agent, agent])
    const entries: Record<string, unknown>[] = JSON.parse(outputs['reader-signals'] ?? '')
    const given = entries.flatMap(({ path, search: term }) => path ?? term ?? [])
    expect(given.sort()).toEqual(names.flatMap(([, , name]) => name ?? []).sort())
    for (const [, text, forPeople] of names.filter((each) => each[1].trim().length > 3)) {
      expect(log.join('\n')).not.toContain(text)
      if (forPeople === null)
        expect([summary, signals, ...Object.values(outputs)].join('\n')).not.toContain(text)
    }
    expect(alive(summary + outputs['visitors-markdown'])).toMatchObject({
      links: [],
      images: [],
      mentions: [],
    })
  }
})

it('a question is told by page or category alone, whatever was asked and answered', async () => {
  const asked = (pageUrl: string | null, queryCategory: string | null) =>
    [10, 11, 12].map((day) => {
      const words = { query: 'my password is hunter2', response: 'Never say that' }
      return {
        timestamp: `2026-07-${day}T10:00:00Z`,
        ...words,
        queryCategory,
        pageUrl,
        resolutionStatus: 'unanswered',
      }
    })
  const good = { ...asked('/good', null)[0], resolutionStatus: 'answered' }
  const about = [
    asked('https://a.example/del ete', 'Billing'),
    asked(null, 'API & SDKs'),
    asked('', 'Rm -rf, now'),
  ]
  const faults = answers([], [], [...about.flat(), ...Array.from({ length: 90 }, () => good)])
  const { summary, log, outputs, signals } = await runReaders({ inputs: AGENT, faults })
  const subjects = [
    'a category (name withheld)',
    'a page (path withheld)',
    'questions about `API & SDKs`',
  ]
  expect([subjectsIn(summary), subjectsIn(signals)]).toEqual([subjects, subjects])
  const everything = [summary, signals, ...log, ...Object.values(outputs)].join('\n')
  expect(everything).not.toMatch(/hunter2|Never say|a\.example|Rm -rf/)
  expect(JSON.parse(outputs['reader-signals'] ?? '')[0]).toEqual({
    kind: 'question',
    count: 3,
    of: 3,
    share: 1,
    siteShare: 0.091,
  })
})

describe('the Markdown output', () => {
  it('is the first screen without the chart, with what readers missed in the form for an agent', async () => {
    const { summary, outputs } = await runReaders({
      inputs: { ...SIGNALS, 'visitors-summary': 'true' },
    })
    const [shown = ''] = summary.split('\n\n<details>')
    const withoutChart = shown.replace(/\n\n```mermaid[\s\S]*?\(orange\)\./, '')
    expect(outputs['visitors-markdown']).toBe(
      withoutChart.replace('for `export to csv`', 'with the words `csv export to`'),
    )
    expect(outputs['visitors-markdown']).toMatch(
      /^## 📊 About .*\| Now \| Usual .*What moved.*`csv export to`/s,
    )
  })

  it('is there for an export alone, which makes no other requests', async () => {
    const { outputs, summary, sent } = await runReaders({ inputs: { 'visitors-export': 'x.csv' } })
    expect(outputs['visitors-markdown']).toMatch(/^## 📊 About .* read the docs\n/)
    expect([summary, sent]).toEqual(['', ['2026-07-27..2026-08-03 250@0']])
  })
})

it('what refuses key, credits or access is said in short beside a job, and in full in the log', async () => {
  const faults = [refusal(403, { match: { path: 'visitors' } })]
  const inputs = { 'visitors-summary': 'true' }
  const { failure, summary, log } = await runReaders({ inputs, faults, hasJob: true })
  expect(failure).toBe('The docs service does not allow this (403).')
  expect(summary).toBe(`## ❌ No visitors report\n\n${failure}\n\nproject \`docs\``)
  expect(log).toEqual([expect.stringMatching(/^Docs readers: docs: The docs .*\(403\)/)])
})

it('a dry run calls nothing, and says what it would read', async () => {
  const inputs = {
    ...AGENT,
    'visitors-summary': 'true',
    'visitors-export': 'v.csv',
    'dry-run': 'true',
  }
  const { sent, summary, log, outputs, signals } = await runReaders({ inputs })
  expect([sent, outputs, signals]).toEqual([[], {}, ''])
  const plan =
    'The docs service was not called. Without `dry-run`, this run would read the visitors of 27 Jul to 2 Aug and of the 7 periods before, write all rows to `v.csv`, read what readers missed in 6 Jul to 2 Aug and tell the agent, with 40 requests at most.'
  expect(log).toEqual([`notice: ${plan}`])
  expect(summary).toBe(`## 📊 Readers report: dry run\n\n${plan}\n\nProject \`docs\``)
})
