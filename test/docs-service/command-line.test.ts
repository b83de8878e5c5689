import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readCommandLine, USAGE } from '../../docs-service/command-line.ts'
import { startService } from './started-service.ts'

test.each<[string, object]>([
  ['--port 0 --pages 9', { port: 0, pages: 9 }],
  ['--key k --read-key r', { key: 'k', keys: [{ key: 'r', scope: 'read' }] }],
  ['--expired-key e --expired-key f', { keys: [{ key: 'e', expired: true }, { key: 'f' }] }],
  ['--project a --project b', { projects: ['a', 'b'] }],
  ['--agent none --job-time 1h2m3s4ms', { agent: 'none', jobTimeMs: 3_723_004 }],
  ['--jobs-per-hour 7 --analytics-per-hour 6', { limits: { jobsPerHour: 7, analyticsPerHour: 6 } }],
  ['--fault {"kind":"hang"} --fault no-plan', { faults: [{ kind: 'hang' }, { status: 403 }] }],
  ['--quiet', {}],
])('%s reaches its option, and the usage has it', (line, options) => {
  const quiet = line === '--quiet'
  expect(readCommandLine(line.split(' '))).toMatchObject({ kind: 'start', quiet, options })
  for (const flag of line.match(/--[a-z-]+/g) ?? []) expect(USAGE).toContain(`  ${flag} `)
})

test('all wrong values are reported together, each with its flag', () => {
  const line = '--port 99999 --job-time 5 --agent me --fault {"kind":"x"} --fault {'
  expect(readCommandLine(line.split(' '))).toEqual({
    kind: 'wrong',
    problems: [
      "--agent takes git or none, not 'me'",
      "--job-time takes a duration such as 250ms or 20s, not '5'",
      "--port takes a whole number from 0 to 65535, not '99999'",
      expect.stringMatching(/^--fault: kind: one of status, /),
      expect.stringMatching(/^--fault: There is no fault '\{': one of no-credits, /),
    ],
  })
  for (const flag of ['--prot', '--port', '4010']) {
    expect(readCommandLine([flag])).toEqual({ kind: 'wrong', problems: [expect.stringContaining(flag)] })
  }
})

function run(...args: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../docs-service/main.ts'), ...args])
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  /** All that it printed, once that has this in it. */
  const printed = (part: RegExp): Promise<string> =>
    vi.waitUntil(() => part.test(output) && output, { timeout: 20_000, interval: 10 })
  return { child, printed }
}

test('it says how to point the action at it, works on its own, and SIGTERM deletes the repository', async () => {
  const { child, printed } = run('--port', '0', '--job-time', '0s')
  const banner = await printed(/Ctrl-C/)
  const url = /base-url: "(http:[^"]+)"/.exec(banner)?.[1]
  const repository = /Sample repository: +(\S+)/.exec(banner)?.[1] ?? ''
  expect(banner).toContain('project-id: "docs"\n      api-key: "mint_demo"')
  expect(existsSync(repository)).toBe(true)
  expect((await fetch(`${url}/`)).status).toBe(200)
  await printed(/GET \/ -> 200/)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(existsSync(repository)).toBe(false)
})

test('a port that is taken, and a wrong flag, are errors that say what to do', async () => {
  const { service } = await startService()
  const taken = run('--port', new URL(service.url).port, '--agent', 'none')
  expect(await once(taken.child, 'close')).toEqual([1, null])
  expect(await taken.printed(/\n/)).toMatch(/^Port \d+ is taken. Choose another with --port/)
  const wrong = run('--nope')
  expect(await once(wrong.child, 'close')).toEqual([2, null])
  expect(await wrong.printed(/--help/)).toMatch(/^Unknown option '--nope'/)
})
