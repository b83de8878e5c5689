import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sentencesWithCode } from '../../src/lib/markdown.ts'
import type { PullReport } from '../../src/pull/pull-report.ts'
import { noPullRequestWords, pullOutputs } from '../../src/pull/pull-words.ts'
import { CHECK_STATES, playBuild } from '../support/builds.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive, commandsIn } from '../support/rendered.ts'
import { addCheck, addCommit, mergePull } from '../support/world.ts'
import { finishedJobStarter, line, PULL_URL, summary } from './finished-job.ts'
import { mine, STRAIGHT } from './pull-report.cases.ts'

const startFinishedJob = finishedJobStarter()
const diffOf = (path: string): string =>
  `${PULL_URL}/files#diff-${createHash('sha256').update(path).digest('hex')}`

describe('the files of the pull request', () => {
  it('are told with their lines and links, pages first, in the words of REST', async () => {
    const { open, read } = await startFinishedJob()
    open({
      title: 'Explain exit code 6',
      files: [
        { filename: 'images/a.png', status: 'removed', additions: 0, deletions: 0 },
        { filename: 'api/openapi.yaml', status: 'modified', additions: 4, deletions: 1 },
        { filename: 'docs.json', status: 'modified', additions: 1, deletions: 0 },
        { filename: 'guides/restore.mdx', status: 'added', additions: 12, deletions: 0 },
      ],
    })
    const report = await read()
    expect(summary(report)).toBe(
      `**Explain exit code 6**

1 page, 3 other files: [\`guides/restore.mdx\`](${diffOf('guides/restore.mdx')}) (+12 −0), [\`docs.json\`](${diffOf('docs.json')}) (+1 −0), [\`api/openapi.yaml\`](${diffOf('api/openapi.yaml')}) (+4 −1), [\`images/a.png\`](${diffOf('images/a.png')}) (+0 −0)`,
    )
    expect(line(report)).toBe(`[1 page, 3 other files](${PULL_URL}/files)`)
    expect(pullOutputs(report)).toEqual({
      'pr-title': 'Explain exit code 6',
      'pr-files':
        '[{"path":"guides/restore.mdx","status":"added","additions":12,"deletions":0},{"path":"docs.json","status":"modified","additions":1,"deletions":0},{"path":"api/openapi.yaml","status":"modified","additions":4,"deletions":1},{"path":"images/a.png","status":"removed","additions":0,"deletions":0}]',
      'preview-url': '',
      'preview-status': '',
    })
  })

  it('are the first 100 of all, of which ten are named', async () => {
    const { open, read } = await startFinishedJob()
    open({ files: Array.from({ length: 120 }, (_, index) => `page-${index}.mdx`) })
    const report = await read()
    expect(summary(report)).toMatch(
      /120 files: \[`page-0\.mdx`\].*`page-9\.mdx`\]\S+ \(\+0 −0\), and 110 more$/,
    )
    expect(summary(report)).not.toContain('page-10.mdx')
    expect(JSON.parse(pullOutputs(report)['pr-files'] ?? '')).toHaveLength(100)
  })

  it('are said to be none where there are none', async () => {
    const { open, read } = await startFinishedJob()
    open({ title: 'Nothing' })
    const report = await read()
    expect(summary(report)).toBe('**Nothing**\n\nThe pull request changes no file.')
    expect([line(report), pullOutputs(report)['pr-files']]).toEqual([
      `[0 files](${PULL_URL}/files)`,
      '[]',
    ])
  })

  it.each([
    [3, { nodes: [] }],
    [null, null],
  ])('are not known where GitHub counts %j and lists %j', async (changedFiles, files) => {
    const { github, open, read } = await startFinishedJob()
    open()
    const pullRequest = {
      title: 'Odd',
      changedFiles,
      files,
      headRefOid: 'a',
      createdAt: null,
      comments: null,
      commits: null,
    }
    github.faults.push({
      match: /PullReport/,
      end: { status: 200, body: { data: { repository: { pullRequest } } } },
    })
    const report = await read()
    expect([summary(report), pullOutputs(report)['pr-files']]).toEqual(['**Odd**', ''])
  })
})

it('the summary names five failed checks of others, and how many more there are', async () => {
  const { world, open, read } = await startFinishedJob()
  const sha = open({ files: ['a.mdx'] }).commits[0] ?? ''
  addCheck(world, sha, CHECK_STATES.failed)
  addCheck(world, sha, { ...CHECK_STATES.ready, name: 'Green', app: 'github-actions' })
  addCheck(world, sha, {
    ...CHECK_STATES.failed,
    name: 'Mintlify Deployment',
    app: 'github-actions',
  })
  expect(line(await read())).toContain(' · preview failed · 1 check fails')
  for (const name of ['Vale', 'Links', 'a', 'b', 'c'])
    addCheck(world, sha, { ...CHECK_STATES['timed out'], name })
  const report = await read()
  const link = (name: string, id: number): string =>
    `[${name}](https://github.com/acme/docs/runs/${id})`
  expect(summary(report)).toContain(
    `6 checks fail: ${link('Vale', 4)}, ${link('Links', 5)}, ${link('a', 6)}, ${link('b', 7)}, ${link('c', 8)}, and 1 more`,
  )
  expect(line(report)).toMatch(/ · 6 checks fail$/)
})

describe('a job without a pull request', () => {
  const text = (report: PullReport) => noPullRequestWords(report)?.headline
  it.each(STRAIGHT)('%s says which of the two it was', async (_what, commits, headline) => {
    const { world, github, read, log } = await startFinishedJob()
    for (const commit of commits ?? []) addCommit(world, commit)
    expect(text(await read({ prLink: null }))).toBe(headline)
    expect(github.requests).toEqual(['POST /graphql PullReport'])
    expect(log.join()).toBe('')
  })

  it('counts what came since the job was created, or since the message, to the second', async () => {
    const { world, read, createdAtMs, endedAtMs } = await startFinishedJob()
    const { sha } = addCommit(world, { ...mine, atMs: createdAtMs })
    addCommit(world, { ...mine, atMs: createdAtMs - 1000, branch: null })
    const report = await read({ prLink: null })
    const url = `https://github.com/acme/docs/commit/${sha}`
    expect(summary(report)).toBe(`[Show 1 commit](${url})`)
    expect(line(report)).toBe(`[1 commit](${url})`)
    expect(text(await read({ prLink: null, messageAtMs: endedAtMs }))).toBe(
      'Changed nothing on `main`',
    )
    expect(text(await read({ prLink: null, messageAtMs: createdAtMs + 999 }))).toMatch(/1 commit$/)
  })

  it('does not count commits that came in a pull request, by the index of GitHub', async () => {
    const { world, open, read } = await startFinishedJob()
    mergePull(world, open(), { how: 'rebase' })
    expect(text(await read({ prLink: null }))).toBe('Changed nothing on `main`')
  })

  it.each([
    ['the index can not be read', 'pull-requests: write', 'pull-requests: read'],
    ['the branch can not be read', 'contents: read', 'contents: read'],
  ])('is as before where %s', async (_what, scope, named) => {
    const { world, read, log } = await startFinishedJob()
    addCommit(world, mine)
    world.scopes.delete(scope)
    expect(text(await read({ prLink: null }))).toBeUndefined()
    expect(log.filter((one) => one.includes('::notice'))).toEqual([
      expect.stringContaining(`\`${named}\``),
    ])
  })
})

it('GitHub is asked nothing about a pull request on another server', async () => {
  const { github, read } = await startFinishedJob()
  for (const prLink of [
    'https://gitlab.com/a/b/-/merge_requests/1',
    'https://github.com.example/a/b/pull/1',
  ])
    expect(await read({ prLink })).toEqual({ kind: 'unknown' })
  expect(github.requests).toEqual([])
})

it.each([
  ['checks: read', 'checks'],
  ['pull-requests: write', 'pull-requests'],
])('without %s one notice names the permission, and the rest is told', async (scope, area) => {
  const { world, open, read, log } = await startFinishedJob()
  playBuild(world, open({ title: 'T' }).commits[0] ?? '', 'ready')
  world.scopes.delete(scope)
  const outputs = pullOutputs(await read())
  expect(outputs['pr-title']).toBe(area === 'checks' ? 'T' : '')
  expect(log).toEqual([expect.stringMatching(new RegExp(`^::notice.*\`${area}: read\``))])
})

it('a repository that the token can not see is a line in the log', async () => {
  const { open, read, log } = await startFinishedJob({ place: 'elsewhere without' })
  open()
  await read()
  expect(log).toEqual([
    "The job's result on GitHub is unknown: `github-token` can't see acme/elsewhere. To let a later run continue a pull request there, set `github-token` to a token that can read it, such as a GitHub App's.",
  ])
})

it('nothing that others wrote about the pull request comes alive', async () => {
  const { world, open, read, log } = await startFinishedJob()
  for (const text of HOSTILE_TEXTS) {
    world.pulls.clear()
    world.checks.length = 0
    const sha =
      open({ title: text, files: [{ filename: text || 'x', status: 'added' }] }).commits[0] ?? ''
    addCheck(world, sha, { ...CHECK_STATES.failed, summary: text, title: text })
    addCheck(world, sha, { ...CHECK_STATES.failed, app: 'github-actions', name: text })
    const report = await read()
    const published = { kind: 'published', branch: text, commits: 1, url: text } as const
    const headline = sentencesWithCode(noPullRequestWords(published)?.headline ?? '').source
    const texts = [report, published].flatMap((one) => [summary(one), line(one)])
    for (const source of [...texts, headline]) {
      const { html, links, images, mentions } = alive(source)
      expect([html.filter((tag) => !/^<\/?code>$/.test(tag)), images, mentions]).toEqual([
        [],
        [],
        [],
      ])
      expect(links.filter((url) => !url.startsWith('https://github.com/acme/docs/'))).toEqual([])
    }
  }
  expect(commandsIn(log.join('\n'))).toEqual([])
})
