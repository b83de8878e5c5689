import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Markdown } from '../../src/lib/markdown.ts'
import type { Log } from '../../src/runner/log.ts'
import { openSummary } from '../../src/runner/runner.ts'

const folder = mkdtempSync(join(tmpdir(), 'summary-'))
const path = join(folder, 'summary')
beforeAll(() => writeFileSync(path, 'What another step wrote.\n'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const log: Log = {
  info: () => undefined,
  notice: () => undefined,
  warning: (text) => {
    throw new Error(text)
  },
  fail: () => undefined,
  group: () => undefined,
  hasFailed: () => false,
}

it('a part of the summary that would push it past 1 MiB is left out, and that is said; the others stay', () => {
  const write = openSummary(path, { log, redact: (text) => text })
  const visitors = 'é'.repeat(400_000)
  write('visitors', Markdown.trusted(visitors))
  write('job', Markdown.trusted('The job.'))
  expect(readFileSync(path, 'utf8')).toBe(`What another step wrote.\nThe job.\n\n${visitors}\n\n`)
  write('job', Markdown.trusted('x'.repeat(300_000)))
  const text = readFileSync(path, 'utf8')
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024)
  expect(text).toContain('x'.repeat(300_000))
  expect(text).toContain('This part of the summary is larger than GitHub shows.')
  expect(text).not.toContain('é')
})
