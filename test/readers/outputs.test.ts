import { describe, expect, it } from 'vitest'
import { readReadersOptions } from '../../src/readers/readers.ts'
import { csvOf, visitorsOutputs } from '../../src/readers/visitors.ts'
import { page, report } from './samples.ts'
import { runReaders, runWith } from './scene.ts'

const row = (path: string) => ({ path, human: 2, ai: 1, total: 3 })

describe('an export', () => {
  it('is CSV, with rows and without', () => {
    const head = 'path,human,ai,total\r\n'
    const text = `${head}/,2,1,3\r\n"/a,b",2,1,3\r\n"/""q""",2,1,3\r\n`
    expect(csvOf([row('/'), row('/a,b'), row('/"q"')])).toBe(text)
    expect(csvOf([])).toBe(head)
  })

  it.each(['d.json', 'd.ndjson', 'csv', 'x.csv/', '../x.csv'])(
    'to %s is refused by name',
    async (name) => {
      const { problems } = await readReadersOptions(runWith({ 'visitors-export': name }).run)
      const problem = expect.stringMatching(
        /^\(".*"\) (?:does not end in \.csv|is outside the workspace)$/,
      )
      const accepted = 'a path in the workspace that ends in .csv'
      expect(problems).toEqual([{ input: 'visitors-export', problem, accepted }])
    },
  )

  it('as CSV has no path that a spreadsheet takes for a formula', () => {
    const paths = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1', "=cmd|'/c calc'!A1"]
    const lines = csvOf(paths.map(row)).split('\r\n')
    expect(lines.slice(1, -1)).toEqual(paths.map((path) => `'${path},2,1,3`))
  })
})

it('the output lists the pages that moved, at most five up and five down', () => {
  const quiet = Array.from({ length: 40 }, (_, index) => page(`/quiet/${index}`, 100))
  const up = (total: number) =>
    [0, 1, 2, 3, 4, 5, 6].map((index) => page(`/up/${index}`, total - index))
  const pages = [...quiet, ...up(400), page('/down', 200), page('/new', 100)]
  const previousPages = [...quiet, ...up(200), page('/down', 400), page('/gone', 100)]
  const shown = report([9, 9], { pages, previousPages })
  const { risers, fallers } = JSON.parse(visitorsOutputs(shown, 1).visitors ?? '')
  expect(fallers).toEqual([{ path: '/down', total: 200, previous: 400, change: -50 }])
  expect(risers).toHaveLength(5)
  expect(risers[4]).toEqual({ path: '/up/4', total: 396, previous: 196, change: 102 })
})

it.each([
  [[9000, 9100, 8900, 9000], 62, 'about 9,000 visitors, as usual; AI made 62 % of 41,322 reads'],
  [[9000, 9100, 8900, 12_480], 0, 'about 12,480 visitors, the highest of 4 weeks'],
  [[5], 62, 'about 5 visitors; AI made 62 % of 41,322 reads'],
  [[9, 9, 9, 0], 62, ''],
])(
  'the headline of %j with %i %% of reads by AI is one line of plain text',
  (totals, ai, expected) => {
    const reads = ai === 0 ? undefined : { human: 15_702, ai: 25_620, total: 41_322 }
    const outputs = visitorsOutputs(report(totals, { reads }), 1)
    expect(outputs['visitors-headline']).toBe(expected && `Docs, 27 Jul to 2 Aug: ${expected}`)
    expect(JSON.parse(outputs.visitors ?? '').reads).toEqual(reads ?? null)
  },
)

it('the Markdown output is empty above 60 KiB, with a warning', async () => {
  const inputs = { 'visitors-export': 'v.csv', 'project-id': 'd'.repeat(60 * 1024) }
  const { outputs, log } = await runReaders({ inputs })
  expect(outputs['visitors-markdown']).toBe('')
  expect(log).toContain(
    'warning: The output visitors-markdown is left empty: it would be longer than 60 KiB.',
  )
})
