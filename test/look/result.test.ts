import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { CHECK_STATES, playBuild } from '../support/builds.ts'
import { bareEvent } from '../support/events.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive, commandsIn } from '../support/rendered.ts'
import { addCheck, addCommit, mergePull } from '../support/world.ts'
import { PULL_URL, startFinishedJob } from './finished-job.ts'
import { mine, WITHOUT_PULL } from './result.cases.ts'

const diffOf = (path: string): string =>
  `${PULL_URL}/files#diff-${createHash('sha256').update(path).digest('hex')}`

describe('the files of the pull request', () => {
  it('are shown with their lines and links, pages first, with the states of REST', async () => {
    const { open, read, reply } = await startFinishedJob()
    open({
      title: 'Explain exit code 6',
      files: [
        { filename: 'images/a.png', status: 'removed', additions: 0, deletions: 0 },
        { filename: 'api/openapi.yaml', status: 'modified', additions: 4, deletions: 1 },
        { filename: 'docs.json', status: 'modified', additions: 1, deletions: 0 },
        { filename: 'guides/restore.mdx', status: 'added', additions: 12, deletions: 0 },
      ],
    })
    const { summary, outputs } = await read()
    for (const text of [summary, await reply()])
      expect(text).toContain(
        `**Explain exit code 6**

1 page, 3 other files: [\`guides/restore.mdx\`](${diffOf('guides/restore.mdx')}) (+12 −0), [\`docs.json\`](${diffOf('docs.json')}) (+1 −0), [\`api/openapi.yaml\`](${diffOf('api/openapi.yaml')}) (+4 −1), [\`images/a.png\`](${diffOf('images/a.png')}) (+0 −0)
`,
      )
    expect(outputs).toMatchObject({
      'pr-title': 'Explain exit code 6',
      'pr-files':
        '[{"path":"guides/restore.mdx","status":"added","additions":12,"deletions":0},{"path":"docs.json","status":"modified","additions":1,"deletions":0},{"path":"api/openapi.yaml","status":"modified","additions":4,"deletions":1},{"path":"images/a.png","status":"removed","additions":0,"deletions":0}]',
    })
  })

  it.each([
    { images: 220, told: '11 pages, 220 other files: [`page-0.mdx`]' },
    { images: 340, told: '351 files: [`a-0.png`]' },
  ])('are 100 at most, pages first, of which ten are named: $told', async ({ images, told }) => {
    const { open, read } = await startFinishedJob()
    const named = (length: number, name: string, ending: string) =>
      Array.from({ length }, (_, index) => `${name}-${index}.${ending}`)
    open({ files: [...named(images, 'a', 'png'), ...named(11, 'page', 'mdx')] })
    const { summary, outputs, requests } = await read()
    expect(summary).toContain(told)
    expect(summary).toContain(`, and ${images + 1} more\n`)
    expect(JSON.parse(outputs['pr-files'] ?? '')).toHaveLength(100)
    expect(requests).toHaveLength(3)
  })

  it('have names of 200 characters at most, and no title of invisible characters', async () => {
    const { open, read, reply } = await startFinishedJob()
    open({ title: '\u200b', files: [`${'a'.repeat(300)}.mdx`] })
    for (const text of [(await read()).summary, await reply()]) {
      expect(text).toContain(`1 page: [\`${'a'.repeat(199)}…\`]`)
      expect(text).not.toContain('****')
    }
  })

  it('are an empty list if the pull request changes none', async () => {
    const { open, read } = await startFinishedJob()
    open({ title: 'Nothing' })
    const { summary, outputs } = await read()
    expect(summary).toContain('**Nothing**\n\nThe pull request changes no files.\n')
    expect(outputs['pr-files']).toBe('[]')
  })

  it.each([
    [3, { nodes: [] }],
    [null, null],
  ])('are unknown if GitHub counts %j and lists %j', async (changedFiles, files) => {
    const { github, read } = await startFinishedJob()
    const suites = { nodes: [null, { app: null, deployments: null }] }
    const commits = { nodes: [null, { commit: { oid: 'a', checkSuites: suites } }] }
    const comments = { nodes: [null, { body: null, author: null }] }
    const unknown = { headRefOid: 'a', createdAt: null, commits, comments }
    const pullRequest = { title: 'Odd', changedFiles, files, ...unknown }
    const body = { data: { repository: { pullRequest } } }
    github.faults.push({ match: /PullReport/, end: { status: 200, body } })
    const { summary, outputs } = await read()
    expect(summary).toContain('**Odd**\n\nThe agent changed')
    expect(outputs).toMatchObject({ 'pr-files': '', 'preview-url': '', 'preview-status': '' })
  })
})

it.each([
  ['merged', { state: 'closed', merged: true, merged_at: '2026-01-05T00:00:00Z' }],
  ['closed', { state: 'closed' }],
])('a pull request that was %s is not said to be ready for review', async (word, fields) => {
  const { open, read } = await startFinishedJob()
  open(fields)
  const { summary, log } = await read()
  expect(summary).toMatch(new RegExp(`^## ✅ Pull request .* was ${word}\n`))
  expect(log.at(-1)).toMatch(new RegExp(`^notice: The docs pull request was ${word}: `))
})

describe('a job without a pull request', () => {
  it.each(WITHOUT_PULL)('$what is reported with the reason', async ({ commits, pushed }) => {
    const { world, read } = await startFinishedJob()
    for (const commit of commits) addCommit(world, commit)
    const inputs = { 'ignore-authors': 'renovate[bot]' }
    const { summary, requests } = await read({ prLink: null, inputs })
    const count = /The agent pushed (\d) commits? directly to `main`/.exec(summary)?.[1]
    const other = summary.includes('No docs changes') ? 'no docs changes' : 'unknown'
    expect(count === undefined ? other : Number(count)).toBe(pushed)
    expect(requests.length).toBeLessThanOrEqual(5)
  })

  it('counts what came since the job was created, or since the message, to the second', async () => {
    const { clock, world, read, reply, createdAtMs } = await startFinishedJob()
    const { sha } = addCommit(world, { ...mine, atMs: createdAtMs })
    addCommit(world, { ...mine, atMs: createdAtMs - 1000, branch: null })
    const url = `https://github.com/acme/docs/commit/${sha}`
    expect((await read({ prLink: null })).summary).toContain(`\n\n[View 1 commit](${url})\n\n`)
    expect(await reply(null)).toContain(`\n[View 1 commit](${url})\n`)
    const message = { prLink: null, inputs: { prompt: 'More.', context: 'none' } }
    expect((await read(message)).summary).toContain('No docs changes')
    addCommit(world, mine)
    await clock.sleep(999 - (clock.now() % 1000))
    expect((await read(message)).summary).toContain('[View 1 commit]')
  })

  it('leaves out commits that came in a pull request, by the index of GitHub', async () => {
    const { world, open, read } = await startFinishedJob()
    mergePull(world, open(), 'rebase')
    expect((await read({ prLink: null })).summary).toContain('No docs changes')
  })

  it.each([
    ['the index can not be read', 'pull-requests: write', 'pull-requests: read'],
    ['the branch can not be read', 'contents: read', 'contents: read'],
  ])('is as before where %s', async (_what, scope, named) => {
    const { world, read } = await startFinishedJob()
    addCommit(world, mine)
    world.scopes.delete(scope)
    const { log } = await read({ prLink: null })
    expect(log.filter((line) => line.startsWith('notice: '))).toEqual([
      expect.stringMatching(/^notice: The job completed without a pull request/),
      expect.stringContaining(`\`${named}\``),
    ])
  })
})

it('GitHub gets no request about a pull request on another server', async () => {
  const { read } = await startFinishedJob()
  for (const prLink of [
    'https://gitlab.com/acme/docs/-/merge_requests/7',
    'https://github.com.example/acme/docs/pull/7',
    'http://github.com/acme/docs/pull/7',
    'https://github.com/acme/docs/pull/7x',
    'https://github.com/acme/docs/issues/7',
    'https://github.com/acme/docs/pull/2147483648',
  ])
    expect(await read({ prLink })).toMatchObject({ requests: [], outputs: { 'pr-link': prLink } })
})

it.each([
  ['checks: read', 'checks: read', 'T'],
  ['pull-requests: write', 'pull-requests: read', ''],
])(
  'without %s one notice has the permission, and the rest is read',
  async (scope, named, title) => {
    const { world, open, read } = await startFinishedJob()
    playBuild(world, open({ title: 'T' }).commits[0] ?? '', 'ready')
    world.scopes.delete(scope)
    const { outputs, log } = await read()
    expect(outputs['pr-title']).toBe(title)
    expect(log.filter((one) => /^notice: .*permission/.test(one))).toEqual([
      expect.stringContaining(`\`${named}\``),
    ])
  },
)

it('a docs repository that the token can not see is a warning of a run that a later one continues', async () => {
  const { open, read } = await startFinishedJob('elsewhere without')
  open()
  const event = bareEvent('schedule')
  const { warnings, summary } = await read({ event, inputs: { prompt: 'More.', context: 'none' } })
  expect(warnings).toEqual([expect.stringMatching(/^`github-token` can't read acme\/elsewhere, /)])
  expect(summary).toContain("⚠️ `github-token` can't read")
  expect((await read()).warnings).toEqual([])
})

it('a docs repository that was renamed is linked by its new name', async () => {
  const { world, open, read } = await startFinishedJob('elsewhere public')
  world.renamed.set('acme/old', 'acme/elsewhere')
  open({ files: ['a.mdx'] })
  const { summary } = await read({ prLink: 'https://github.com/acme/old/pull/12' })
  expect(summary).toContain('(https://github.com/acme/elsewhere/pull/12/files#diff-')
})

it('nothing that others wrote about the pull request comes alive', async () => {
  const { world, github, open, read } = await startFinishedJob()
  for (let first = 0; first < HOSTILE_TEXTS.length; first += 5) {
    const texts = HOSTILE_TEXTS.slice(first, first + 5)
    const title = texts.join(' ')
    world.pulls.clear()
    world.checks.length = 0
    const sha = open({ title, files: texts.map((text) => text || 'x') }).commits[0] ?? ''
    addCheck(world, sha, { ...CHECK_STATES.failed, summary: title })
    for (const name of texts)
      addCheck(world, sha, { ...CHECK_STATES.failed, app: 'github-actions', name })
    const pull = await read()
    const history = { pageInfo: { hasNextPage: false }, nodes: [] }
    const defaultBranchRef = { name: title, target: { history } }
    const body = { data: { repository: { defaultBranchRef } } }
    github.faults.splice(0, 1, { match: /PullReport/, end: { status: 200, body }, times: 1 })
    for (const { summary, printed } of [pull, await read({ prLink: null })]) {
      const { html, links, images, mentions } = alive(summary)
      const strange = html.filter((tag) => !/^<\/?(?:code|sub|details|summary>.*)\b/.test(tag))
      expect([strange, images, mentions]).toEqual([[], [], []])
      expect(links.filter((url) => !url.startsWith('https://github.com/acme/docs'))).toEqual([])
      const commands = commandsIn(printed)
      expect(
        commands.filter((line) => !/^::\S+ ?(?:title=[^:]+ \(docs\)::|name=|::)/.test(line)),
      ).toEqual([])
    }
  }
})
