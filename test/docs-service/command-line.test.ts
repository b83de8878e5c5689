import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parseDuration } from '../../docs-service/agent/prompt.ts'
import { readCommandLine, USAGE } from '../../docs-service/command-line.ts'
import { startedService } from './service-under-test.ts'

test('without flags it is port 4010, project docs and the key mint_demo', () => {
  expect(readCommandLine([])).toMatchObject({
    kind: 'start',
    quiet: false,
    options: {
      port: 4010,
      host: '127.0.0.1',
      key: 'mint_demo',
      keys: [],
      projects: ['docs'],
      agent: 'git',
      jobTimeMs: 3000,
    },
  })
})

test('every flag reaches its option', () => {
  const line =
    '--port 0 --host ::1 --key k --read-key r --expired-key e --forbidden-ip-key f --project a --project b --agent none ' +
    '--job-time 1m30s --not-found-time 250ms --stale-time 2s --pages 9 --seed 7 --jobs-per-hour none ' +
    '--messages-per-hour 5 --analytics-per-hour 6 --no-retry-after --fault {"kind":"hang"} --fault no-plan --quiet'
  expect(readCommandLine(line.split(' '))).toEqual({
    kind: 'start',
    quiet: true,
    options: {
      port: 0,
      host: '::1',
      key: 'k',
      keys: [
        { key: 'r', scope: 'read' },
        { key: 'e', expired: true },
        { key: 'f', forbiddenIp: true },
      ],
      projects: ['a', 'b'],
      agent: 'none',
      jobTimeMs: 90_000,
      notFoundMs: 250,
      staleMs: 2000,
      pages: 9,
      seed: 7,
      limits: {
        jobsPerHour: Number.POSITIVE_INFINITY,
        messagesPerHour: 5,
        analyticsPerHour: 6,
        retryAfter: false,
      },
      faults: [
        { kind: 'hang' },
        {
          kind: 'status',
          status: 403,
          body: { error: 'Your plan does not include API access' },
          times: 'always',
        },
      ],
    },
  })
  for (const flag of line.match(/--[a-z-]+/g) ?? []) expect(USAGE).toContain(flag)
})

test('all wrong values are reported together, each with its flag', () => {
  expect(
    readCommandLine([
      '--port',
      '99999',
      '--job-time',
      '5',
      '--agent',
      'me',
      '--fault',
      '{"kind":"x"}',
      '--fault',
      '{',
    ]),
  ).toEqual({
    kind: 'wrong',
    problems: [
      "--port takes a whole number from 0 to 65535, not '99999'",
      "--agent takes git or none, not 'me'",
      "--job-time takes a duration such as 250ms or 20s, not '5'",
      expect.stringMatching(/^--fault: kind: one of status, /),
      expect.stringMatching(/^--fault: There is no fault '\{': one of no-credits, /),
    ],
  })
})

test.each([['--prot'], ['--port'], ['4010']])('%s alone is refused', (flag) => {
  expect(readCommandLine([flag])).toMatchObject({ kind: 'wrong', problems: [expect.stringContaining(flag)] })
})

test.each([
  ['250ms', 250],
  ['0s', 0],
  ['1h30m', 5_400_000],
  ['5', undefined],
  ['-5s', undefined],
  ['1.5s', undefined],
  ['', undefined],
])('the duration %j is %j ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

function run(...args: string[]): ChildProcess {
  const main = fileURLToPath(new URL('../../docs-service/main.ts', import.meta.url))
  const child = spawn(process.execPath, [main, ...args])
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

function outputUntil(child: ChildProcess, end: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const take = (chunk: Buffer) => {
      text += chunk.toString()
      if (end.test(text)) resolve(text)
    }
    child.stdout?.on('data', take)
    child.stderr?.on('data', take)
  })
}

test('it prints how to point the action at it, works on its own, and SIGTERM deletes the repository', async () => {
  const child = run('--port', '0', '--job-time', '0s')
  const banner = await outputUntil(child, /Ctrl-C/)
  const url = /base-url: "(http:[^"]+)"/.exec(banner)?.[1]
  const repository = /Sample repository: +(\S+)/.exec(banner)?.[1] ?? ''
  expect(banner).toContain('project-id: "docs"\n      api-key: "mint_demo"')
  expect(existsSync(repository)).toBe(true)
  const logged = outputUntil(child, /GET \/ -> 200/)
  expect((await fetch(`${url}/`)).status).toBe(200)
  await logged
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(existsSync(repository)).toBe(false)
})

if (process.platform === 'win32') console.warn('Not tested: how signals end the service. Windows has none.')

test.skipIf(process.platform === 'win32').each([
  ['SIGTERM', 'npm'],
  ['SIGKILL', 'npm'],
  // Ctrl-C on a terminal reaches npm, its shell and the service.
  ['SIGINT', 'the group'],
] as const)('a %s to %s leaves no process behind, and no repository', async (signal, target) => {
  const npm = spawn('npm', ['run', 'service', '--', '--port', '0'], { cwd: ROOT, detached: true })
  const { pid = 0 } = npm
  const banner = await outputUntil(npm, /Ctrl-C/)
  const url = /base-url: "(http:[^"]+)"/.exec(banner)?.[1]
  const repository = /Sample repository: +(\S+)/.exec(banner)?.[1] ?? ''
  expect(existsSync(repository)).toBe(true)
  process.kill(target === 'npm' ? pid : -pid, signal)
  // The pipes close when the last process that holds them has ended.
  await once(npm, 'close')
  expect(existsSync(repository)).toBe(false)
  await expect(fetch(`${url}/`)).rejects.toThrow('fetch failed')
})

test('a port that is taken is an error that says what to do', async () => {
  const service = await startedService()
  const child = run('--port', new URL(service.url).port)
  expect(await outputUntil(child, /\n/)).toMatch(
    /^Port \d+ on 127.0.0.1 is taken. Choose another with --port/,
  )
  expect(await once(child, 'exit')).toEqual([1, null])
})

test('--help shows the flags', async () => {
  const child = run('--help')
  expect(await outputUntil(child, /README/)).toBe(USAGE)
})
