import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Markdown, md } from '../../src/lib/markdown.ts'
import { Run, readEnvironment } from '../../src/runner/run.ts'
import { VirtualClock } from '../support/clock.ts'
import { readCommandFile } from '../support/command-file.ts'

const KEY = 'mint_0123456789'
const printed: string[] = []
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'runner-'))
  for (const name of ['output', 'state', 'summary']) writeFileSync(join(folder, name), '')
  vi.stubEnv('GITHUB_OUTPUT', join(folder, 'output')).stubEnv('GITHUB_STATE', join(folder, 'state'))
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  printed.length = 0
  rmSync(folder, { recursive: true, force: true })
})

function createRun(env: Readonly<Record<string, string>> = {}): Run {
  const given = { 'INPUT_API-KEY': KEY, 'INPUT_PROJECT-ID': 'docs', INPUT_PROMPT: 'x' }
  const environment = readEnvironment({
    ...given,
    GITHUB_STEP_SUMMARY: join(folder, 'summary'),
    ...env,
  })
  const cancel = new AbortController().signal
  return new Run(environment, { clock: new VirtualClock(), random: () => 0, cancel })
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8')
/** The lines that were printed, without the masks. */
const said = () =>
  printed.flatMap((text) => text.split('\n')).filter((line) => !/^$|^::add-mask/.test(line))

describe('secrets', () => {
  it('are a key that was given as the project, and one in the values of a matrix job, too', () => {
    const given = { 'INPUT_PROJECT-ID': ' mint_9876543210 ', INPUT_MATRIX: `{"key":"${KEY}"}` }
    createRun(given).log.fail('for mint_9876543210', 'Title')
    expect(printed.join('')).toContain('::add-mask::mint_9876543210')
    expect(said()).toEqual(['::error title=Title (***)::for ***'])
  })

  it('are masked before anything else is printed, with and without white space around them', () => {
    createRun({ 'INPUT_API-KEY': ` ${KEY}\n`, 'INPUT_GITHUB-TOKEN': 'none' })
    expect(printed.join('')).toBe(`::add-mask:: ${KEY}%0A\n::add-mask::${KEY}\n::add-mask::none\n`)
  })

  it('stand in no line, output or summary, also where cleaning would put one together', () => {
    const run = createRun()
    for (const text of [KEY, `mint_\u200b0123456789`, `\u0007${KEY}`]) {
      run.log.info(text)
      run.log.warning(text, text)
      run.log.group(text, text)
      run.setOutputs({ 'pr-link': text.replace('\u200b', '') })
      run.writeSummary('job', md`${text.replace('\u200b', '')}`)
    }
    expect(said().join()).not.toContain('0123456789')
    expect(readCommandFile(read('output'))['pr-link']).toBe('\u0007***')
    expect(read('summary')).not.toContain('0123456789')
  })
})

it('no text in the log is a workflow command, and annotations have the values of a matrix job in their titles', () => {
  const { log } = createRun({ INPUT_MATRIX: '{"os":"linux","node":24}' })
  log.debug('a')
  vi.stubEnv('RUNNER_DEBUG', '1')
  log.debug(`b ${KEY}\n::error::c`)
  log.info('::error::x\n  ::warning::y')
  log.notice('two', 'First')
  log.warning('##[error]x', 'Title: ##[error]x')
  log.group('##[group]', '::set-output name=x::y')
  log.warnInSummary(`A line with ${KEY}.`, 'Second')
  log.warnOnlyInSummary('Another.')
  expect(log.summaryWarnings()).toEqual(['A line with ***.', 'Another.'])
  expect(log.hasFailed()).toBe(false)
  log.fail('four\nfive', 'x'.repeat(61))
  expect(log.hasFailed()).toBe(true)
  expect(said()).toEqual([
    '::debug::b ***%0A: :error::c',
    ': :error::x',
    '  : :warning::y',
    '::notice title=First (linux / 24)::two',
    '::warning title=Title%3A ## [error]x (linux / 24)::## [error]x',
    '::group::## [group]',
    ': :set-output name=x::y',
    '::endgroup::',
    '::warning title=Second (linux / 24)::A line with ***.',
    'Another.',
    `::error title=${'x'.repeat(59)}… (linux / 24)::four%0Afive`,
  ])
})

it.each([
  { baseUrl: 'https://api.mintlify.com/v2', name: 'Mintlify' },
  { baseUrl: 'https://docs.example:8443/api', name: 'docs.example:8443' },
])('messages call the host of $baseUrl $name', ({ baseUrl, name }) => {
  expect(createRun({ 'INPUT_BASE-URL': baseUrl }).mintlifyName).toBe(name)
})

it('outputs are written at once; one of more than 256 KiB is left empty with a warning', () => {
  const run = createRun()
  run.setOutputs({ 'job-id': 'j1', result: 'error' })
  expect(readCommandFile(read('output'))).toEqual({ 'job-id': 'j1', result: 'error' })
  const most = 'é'.repeat(128 * 1024)
  run.setOutputs({ result: 'a\nb', job: most, 'pr-link': `${most}x` })
  const expected = { 'job-id': 'j1', result: 'a\nb', job: most, 'pr-link': '' }
  expect(readCommandFile(read('output'))).toEqual(expected)
  expect(said()).toEqual([
    expect.stringMatching(/^::warning title=The output `pr-link` is too long::.* 256 KiB\.$/),
  ])
})

const { raw } = Markdown

describe('the summary', () => {
  const summary = () => read('summary')

  it('has the job above the visitors report, whichever is written first, below what was there', () => {
    writeFileSync(join(folder, 'summary'), 'What another step wrote.\n')
    const run = createRun()
    run.writeSummary('visitors', raw('Visitors.'))
    expect(summary()).toBe('What another step wrote.\nVisitors.\n\n')
    run.writeSummary('job', raw('Job, at work.'))
    run.writeSummary('job', raw('Job.'))
    expect(summary()).toBe('What another step wrote.\nJob.\n\nVisitors.\n\n')
  })

  it('stays below 1 MiB: a part that would not fit is left out, with a note', () => {
    const run = createRun()
    const visitors = 'é'.repeat(400_000)
    run.writeSummary('visitors', raw(visitors))
    run.writeSummary('job', raw('The job.'))
    expect(summary()).toBe(`The job.\n\n${visitors}\n\n`)
    run.writeSummary('job', raw('x'.repeat(300_000)))
    const note = "larger than GitHub shows. The step's outputs and log have the result."
    expect(summary()).toBe(`${'x'.repeat(300_000)}\n\nThis part of the summary is ${note}\n\n`)
  })
})

it('a file of the runner that can not be written is one error, and the step continues', () => {
  const missing = join(folder, 'missing')
  vi.stubEnv('GITHUB_OUTPUT', missing).stubEnv('GITHUB_STATE', missing)
  const run = createRun({ GITHUB_STEP_SUMMARY: tmpdir() })
  for (const time of ['first', 'second']) {
    run.setOutputs({ 'job-id': time, status: time })
    run.saveState('job-id', time)
    run.writeSummary('job', raw(time))
  }
  expect(run.log.hasFailed()).toBe(true)
  expect(said().map((line) => /^::error title=([^:]+)::/.exec(line)?.[1])).toEqual([
    "Could not write this step's outputs",
    "Could not write this step's state",
    "Could not write this step's summary",
  ])
  expect(run.log.summaryWarnings()).toHaveLength(3)
})
