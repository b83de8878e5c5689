import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { readGitDiff } from '../../src/changes/git-diff.ts'
import { selfSignedCertificate } from '../support/certificate.ts'
import { makeRepository } from '../support/git-server.ts'
import { TestServers } from '../support/http-servers.ts'
import { makeFolder, readChange } from './git-change.ts'

const servers = new TestServers()
const COMMITS = [{ a: 'old\n' }, { a: 'new\n' }]
const DIFF = [{ path: 'a', patch: '@@ -1 +1 @@\n-old\n+new' }]
const NAMES = [{ path: 'a', patch: undefined }]
const SHA = '0123456789012345678901234567890123456789'
const TOKEN = 'ghs_0123456789abcdef'
const BASIC = Buffer.from(`x-access-token:${TOKEN}`).toString('base64')
const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@acme.example']
const PATH = process.env['PATH']

/** Makes a server answer in its own way, or, with `only: 'texts'`, its second request for objects. */
const answerWith =
  (answer: RequestListener, only?: 'texts') =>
  (backend: RequestListener): RequestListener => {
    let posts = 0
    return (incoming, response) => {
      if (incoming.method === 'POST') posts++
      const isPassed = only !== undefined && !(incoming.method === 'POST' && posts === 2)
      const listener = isPassed ? backend : answer
      listener(incoming, response)
    }
  }

const forbid: RequestListener = (_incoming, response) => response.writeHead(403).end()
const breakOff: RequestListener = (_incoming, response) => {
  response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' })
  response.write('000dpackfile\n', () => response.destroy())
}
/** Lets those in who have the token. */
const withToken =
  (backend: RequestListener): RequestListener =>
  (incoming, response) => {
    if (incoming.headers.authorization === `basic ${BASIC}`) backend(incoming, response)
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end()
  }

it.each([
  {
    failure: 'a server that refuses',
    options: { answer: answerWith(forbid) },
    problem: 'The requested URL returned error: 403',
  },
  {
    failure: 'a token that is missing',
    options: { answer: withToken },
    problem: 'terminal prompts disabled',
  },
  {
    failure: 'a token that is refused',
    options: { answer: withToken, source: { token: 'ghs_another' } },
    problem: 'terminal prompts disabled',
  },
  {
    failure: 'a repository that does not exist',
    options: { source: { url: 'http://127.0.0.1:9/acme/docs' } },
    problem: 'Failed to connect to 127.0.0.1 port 9',
  },
  {
    failure: 'a connection that breaks',
    options: { answer: answerWith(breakOff) },
    problem: 'git failed: ',
  },
  {
    failure: 'a commit that GitHub does not have',
    options: { ends: { base: SHA } },
    problem: `not our ref ${SHA}`,
  },
  {
    failure: 'a tag that looks like an option',
    options: { ends: { head: '--upload-pack=x' } },
    problem: 'git needs the SHAs of commits',
  },
  {
    failure: 'a runner without git',
    options: { source: { env: { PATH: '/nowhere' } } },
    problem: "it isn't installed on the runner",
  },
  {
    failure: 'a time limit that has passed',
    options: { limits: { timeMs: 1 } },
    problem: 'git failed: it took longer than 0.001 s',
  },
  {
    failure: 'a list that is too long',
    options: { limits: { output: 10 } },
    problem: 'it wrote too much',
  },
  {
    failure: 'a server that refuses the texts',
    options: { answer: answerWith(forbid, 'texts') },
    problem: 'The requested URL returned error: 403',
    files: NAMES,
  },
  {
    failure: 'a connection that breaks within the texts',
    options: { answer: answerWith(breakOff, 'texts') },
    problem: 'git failed: ',
    files: NAMES,
  },
])('$failure is a problem, which leaves what is known and no files', async (row) => {
  const read = await readChange(COMMITS, row.options)
  expect(read).toMatchObject({ files: row.files, left: [] })
  expect(read.problem).toContain(row.problem)
})

it('diffs until git has written too much are shown', async () => {
  const commits = [{}, { a: 'a\n', b: 'b\n', c: 'c\n'.repeat(200_000) }]
  const { files = [], problem } = await readChange(commits, { limits: { output: 200_000 } })
  expect(files.map(({ added }) => added)).toEqual([1, 1, undefined])
  expect(problem).toContain('it wrote too much')
})

it('a run that is canceled stops git with the process that waits for the server', async () => {
  const { host, accepted } = await servers.startSilent()
  const canceling = new AbortController()
  const source = { url: `http://${host}/docs`, token: '', folder: makeFolder(), env: { PATH } }
  const reading = readGitDiff(
    { ...source, cancel: canceling.signal },
    { base: '', head: SHA },
    () => [],
  )
  const [socket] = await accepted
  const closed = once(socket, 'close')
  canceling.abort()
  expect(await reading).toMatchObject({ files: undefined })
  await closed
  // Git itself would wait for 30 s.
}, 20_000)

it('folders that contain each other end with a problem, not with a billion names', async () => {
  const addCommit = (repository: string): string => {
    const git = (args: readonly string[], input = ''): string =>
      execFileSync('git', ['-C', repository, ...IDENTITY, ...args], { input })
        .toString()
        .trim()
    let tree = git(['rev-parse', 'main^{tree}'])
    for (let depth = 0; depth < 9; depth++)
      tree = git(
        ['mktree'],
        [...'0123456789'].map((name) => `40000 tree ${tree}\t${name}\n`).join(''),
      )
    return git(['commit-tree', tree, '-m', 'Name a billion files'])
  }
  const read = await readChange(COMMITS, { addCommit })
  expect(read).toMatchObject({ files: undefined, left: [] })
  expect(read.problem).toContain('attempting to allocate')
})

it('a redirect to another host is not followed, so that host never gets the token', async () => {
  const other = await servers.start(forbid)
  const redirect: RequestListener = ({ url = '' }, response) => {
    response.writeHead(301, { location: new URL(url, other.origin).href }).end()
  }
  const { problem } = await readChange(COMMITS, {
    answer: answerWith(redirect),
    source: { token: TOKEN },
  })
  expect(problem).toContain('The requested URL returned error: 301')
  expect(other.requests).toEqual([])
})

it('git reads the proxy variables that the action reads', async () => {
  const proxy = await servers.startProxy()
  const source = { env: { PATH, HTTP_PROXY: proxy.origin } }
  expect(await readChange(COMMITS, { source })).toMatchObject({ files: DIFF })
  expect(proxy.requests[0]).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/docs\/info\/refs/)
})

it.each([
  { trusted: true, variable: 'extra.pem', files: DIFF },
  { trusted: false, variable: undefined, files: undefined },
])('git trusts the certificates that the action trusts: $trusted', async ({ variable, files }) => {
  const certificate = selfSignedCertificate()
  // curl would choose HTTP/2.
  const options = certificate && { certificate: { ...certificate, ALPNProtocols: ['http/1.1'] } }
  const usual = getCACertificates('default')
  setDefaultCACertificates([...usual, String(certificate?.cert)])
  onTestFinished(() => setDefaultCACertificates(usual))
  const source = { env: { PATH, NODE_EXTRA_CA_CERTS: variable } }
  expect(await readChange(COMMITS, { ...options, source })).toMatchObject({ files })
})

it('the token is in no argument and no file, and settings of the runner and its earlier steps do nothing', async () => {
  const [home, checkout] = [makeFolder(), makeFolder()]
  makeRepository(checkout, COMMITS)
  const checkoutConfig = readFileSync(join(checkout, 'config'), 'utf8')
  const [log, bin, asked] = [join(home, 'log'), join(home, 'bin'), join(home, 'asked')]
  writeFileSync(
    join(home, '.gitconfig'),
    `[url "http://127.0.0.1:9/"]\n\tinsteadOf = http://
[credential]\n\thelper = "!touch ${asked};"
[safe]\n\tbareRepository = explicit
[diff]\n\texternal = touch ${asked}\n\tnoPrefix = true
`,
  )
  mkdirSync(bin)
  const real = join(execFileSync('git', ['--exec-path']).toString().trim(), 'git')
  const script = `#!/bin/sh\necho "$@" >> ${log}\ncat "$GIT_DIR"/[a-zA-Z]* >> ${log}\nexec ${real} "$@"\n`
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
  const env = {
    PATH: `${bin}:${PATH}`,
    HOME: home,
    XDG_CONFIG_HOME: home,
    GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
    GIT_DIR: checkout,
    GIT_INDEX_FILE: join(checkout, 'index'),
    GIT_TRACE_CURL: asked,
    GIT_TRACE_REDACT: '0',
    GIT_ASKPASS: `touch ${asked}`,
    GIT_EXTERNAL_DIFF: `touch ${asked}`,
  }
  const read = await readChange(COMMITS, { answer: withToken, source: { token: TOKEN, env } })
  expect(read).toMatchObject({ files: DIFF, problem: undefined })
  const logged = readFileSync(log, 'utf8')
  expect(logged).toContain('followRedirects')
  for (const secret of [TOKEN, BASIC]) expect(logged).not.toContain(secret)
  expect(readdirSync(home).toSorted()).toEqual(['.gitconfig', 'bin', 'log'])
  expect(readFileSync(join(checkout, 'config'), 'utf8')).toBe(checkoutConfig)
})
