import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { CameOfIt } from '../../src/job/came-of-it.ts'
import { cameOfItOutputs, contextCounts, noPullRequestWords } from '../../src/job/came-of-it-words.ts'
import { sentencesWithCode } from '../../src/lib/markdown.ts'
import { CHECK_STATES, playBuild } from '../support/builds.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive, commandsIn } from '../support/rendered.ts'
import { addCheck, addCommit, addPull, mergePull, pushToPull } from '../support/world.ts'
import { mine, PUBLISHED, STRAIGHT } from './came-of-it.cases.ts'
import { finishedJobStarter, line, PULL_URL, summary } from './finished-job.ts'

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
    const cameOfIt = await read()
    expect(summary(cameOfIt)).toBe(
      `**Explain exit code 6**

1 page, 3 other files: [\`guides/restore.mdx\`](${diffOf('guides/restore.mdx')}) (+12 −0), [\`docs.json\`](${diffOf('docs.json')}) (+1 −0), [\`api/openapi.yaml\`](${diffOf('api/openapi.yaml')}) (+4 −1), [\`images/a.png\`](${diffOf('images/a.png')}) (+0 −0)`,
    )
    expect(line(cameOfIt)).toBe(`[1 page, 3 other files](${PULL_URL}/files)`)
    expect(cameOfItOutputs(cameOfIt)).toEqual({
      'pr-title': 'Explain exit code 6',
      'pr-files':
        '[{"path":"guides/restore.mdx","status":"added","additions":12,"deletions":0},{"path":"docs.json","status":"modified","additions":1,"deletions":0},{"path":"api/openapi.yaml","status":"modified","additions":4,"deletions":1},{"path":"images/a.png","status":"removed","additions":0,"deletions":0}]',
      'preview-url': '',
      'preview-status': '',
      published: '',
    })
  })

  it('are the first 100 of all, of which ten are named', async () => {
    const { open, read } = await startFinishedJob()
    open({ files: Array.from({ length: 120 }, (_, index) => `page-${index}.mdx`) })
    const cameOfIt = await read()
    expect(summary(cameOfIt)).toMatch(
      /120 files: \[`page-0\.mdx`\].*`page-9\.mdx`\]\S+ \(\+0 −0\), and 110 more$/,
    )
    expect(summary(cameOfIt)).not.toContain('page-10.mdx')
    expect(JSON.parse(cameOfItOutputs(cameOfIt)['pr-files'] ?? '')).toHaveLength(100)
  })

  it('are said to be none where there are none', async () => {
    const { open, read } = await startFinishedJob()
    open({ title: 'Nothing' })
    const cameOfIt = await read()
    expect(summary(cameOfIt)).toBe('**Nothing**\n\nThe pull request changes no file.')
    expect([line(cameOfIt), cameOfItOutputs(cameOfIt)['pr-files']]).toEqual([
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
    const pullRequest = { title: 'Odd', changedFiles, files, headRefOid: 'a', comments: null, commits: null }
    github.faults.push({ match: /CameOfIt/, end: { status: 200, body: { data: { job: { pullRequest } } } } })
    const cameOfIt = await read()
    expect([summary(cameOfIt), cameOfItOutputs(cameOfIt)['pr-files']]).toEqual(['**Odd**', ''])
  })

  it('are told since the message as well, where the head before it is known', async () => {
    const { world, github, open, read, endedAtMs } = await startFinishedJob()
    const pull = open({ files: ['a.mdx', 'b.mdx'] })
    const headBefore = pull.commits[0] ?? ''
    const message = { messageAtMs: endedAtMs - 60_000, headBefore }
    expect(summary(await read(message))).toContain('\n\nSince this message: no file')
    const head = pushToPull(world, pull).sha
    const compare = (status: string, filename: string, ...parents: string[]): void => {
      const commits = [{ parents: parents.map((sha) => ({ sha, url: 'https://api.github.com/' })) }]
      const files = [{ filename, status: 'modified', additions: 2, deletions: 1 }]
      world.comparisons.set(`${headBefore}...${head}`, { status, files, commits })
    }
    compare('ahead', 'b.mdx', headBefore)
    const since = `\n\nSince this message: [\`b.mdx\`](${diffOf('b.mdx')}) (+2 −1)`
    expect(summary(await read(message)).slice(-since.length)).toBe(since)
    expect(summary(await read({ messageAtMs: message.messageAtMs }))).not.toContain('Since')
    compare('diverged', 'forced.mdx', headBefore)
    expect(summary(await read(message))).not.toContain('Since')
    compare('ahead', 'merged.mdx', headBefore, 'c'.repeat(40))
    expect(summary(await read(message))).not.toContain('Since')
    const comparison = `GET /compare/${headBefore.slice(0, 7)}...${head.slice(0, 7)}`
    const graphql = 'POST /graphql CameOfIt'
    expect(github.requests.slice(1, 4)).toEqual([graphql, comparison, graphql])
  })
})

it('the summary names five failed checks of others, and how many more there are', async () => {
  const { world, open, read } = await startFinishedJob()
  const sha = open({ files: ['a.mdx'] }).commits[0] ?? ''
  addCheck(world, sha, CHECK_STATES.failed)
  addCheck(world, sha, { ...CHECK_STATES.ready, name: 'Green', app: 'github-actions' })
  addCheck(world, sha, { ...CHECK_STATES.failed, name: 'Mintlify Deployment', app: 'github-actions' })
  expect(line(await read())).toContain(' · preview failed · 1 check fails')
  for (const name of ['Vale', 'Links', 'a', 'b', 'c'])
    addCheck(world, sha, { ...CHECK_STATES['timed out'], name })
  const cameOfIt = await read()
  const link = (name: string, id: number): string => `[${name}](https://github.com/acme/docs/runs/${id})`
  expect(summary(cameOfIt)).toContain(
    `6 checks fail: ${link('Vale', 4)}, ${link('Links', 5)}, ${link('a', 6)}, ${link('b', 7)}, ${link('c', 8)}, and 1 more`,
  )
  expect(line(cameOfIt)).toMatch(/ · 6 checks fail$/)
})

describe('a job without a pull request', () => {
  const text = (cameOfIt: CameOfIt) => noPullRequestWords(cameOfIt)?.headline
  it.each(STRAIGHT)('%s says which of the two it was', async (_what, commits, headline) => {
    const { world, github, read, log } = await startFinishedJob()
    for (const commit of commits ?? []) addCommit(world, commit)
    expect(text(await read({ prLink: null }))).toBe(headline)
    expect(github.requests).toEqual(['POST /graphql CameOfIt'])
    expect(log.join()).toBe('')
  })

  it('counts what came since the job was created, or since the message, to the second', async () => {
    const { world, read, createdAtMs, endedAtMs } = await startFinishedJob()
    const { sha } = addCommit(world, { ...mine, atMs: createdAtMs })
    addCommit(world, { ...mine, atMs: createdAtMs - 1000, branch: null })
    const cameOfIt = await read({ prLink: null })
    const url = `https://github.com/acme/docs/commit/${sha}`
    expect(summary(cameOfIt)).toBe(`[Show 1 commit](${url})`)
    expect(line(cameOfIt)).toBe(`[1 commit](${url})`)
    expect(text(await read({ prLink: null, messageAtMs: endedAtMs }))).toBe('Changed nothing on `main`')
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
    expect(log.filter((one) => one.includes('::notice'))).toEqual([expect.stringContaining(`\`${named}\``)])
  })
})

describe('the earlier pull request, once it is merged', () => {
  it.each(PUBLISHED)('whose check is %s: published is %j', async (state, published, words) => {
    const { world, read, log } = await startFinishedJob()
    const mergeCommit = mergePull(world, addPull(world, { number: 7 })).at(-1) ?? ''
    if (state !== undefined) addCheck(world, mergeCommit, { ...CHECK_STATES[state], summary: 'Broken page.' })
    addCheck(world, mergeCommit, { ...CHECK_STATES.ready, app: 'github-actions' })
    const prLink = 'https://github.com/acme/docs/pull/7'
    const cameOfIt = await read({ prLink: null, earlierPull: { prLink, mergeCommit } })
    expect(cameOfItOutputs(cameOfIt).published).toBe(published)
    expect(summary(cameOfIt)).toBe(words && `[acme/docs#\u200b7](${prLink})${words}`)
    expect(log.filter((one) => one.includes('::warning'))).toHaveLength(state === 'failed' ? 1 : 0)
    const text =
      "The pull request acme/docs#7 was merged, but the service's check failed: Broken page. The pages may still have been published. https://github.com/acme/docs/runs/1"
    expect(log.join()).toContain(state === 'failed' ? `::${text}` : '')
  })
})

it('GitHub is asked nothing about a pull request on another server', async () => {
  const { github, read } = await startFinishedJob()
  for (const prLink of ['https://gitlab.com/a/b/-/merge_requests/1', 'https://github.com.example/a/b/pull/1'])
    expect((await read({ prLink })).found).toEqual({ kind: 'unknown' })
  expect(github.requests).toEqual([])
})

it.each([
  ['checks: read', 'checks'],
  ['pull-requests: write', 'pull-requests'],
])('without %s one notice names the permission, and the rest is told', async (scope, area) => {
  const { world, open, read, log } = await startFinishedJob()
  playBuild(world, open({ title: 'T' }).commits[0] ?? '', 'ready')
  world.scopes.delete(scope)
  const outputs = cameOfItOutputs(await read())
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
    const sha = open({ title: text, files: [{ filename: text || 'x', status: 'added' }] }).commits[0] ?? ''
    addCheck(world, sha, { ...CHECK_STATES.failed, summary: text, title: text })
    addCheck(world, sha, { ...CHECK_STATES.failed, app: 'github-actions', name: text })
    const cameOfIt = await read()
    const published = { kind: 'published', branch: text, commits: 1, url: text } as const
    const branch: CameOfIt = { found: published, published: undefined }
    const headline = sentencesWithCode(noPullRequestWords(branch)?.headline ?? '').source
    const texts = [cameOfIt, branch].flatMap((one) => [summary(one), line(one)])
    for (const source of [...texts, headline]) {
      const { html, links, images, mentions } = alive(source)
      expect([html.filter((tag) => !/^<\/?code>$/.test(tag)), images, mentions]).toEqual([[], [], []])
      expect(links.filter((url) => !url.startsWith('https://github.com/acme/docs/'))).toEqual([])
    }
  }
  expect(commandsIn(log.join('\n'))).toEqual([])
})

it('the context of the agent is told as counts of commits, files and merged pull requests', () => {
  const told = { commits: 12, files: 34, mergedPulls: 2, isUnknown: false }
  expect(contextCounts(told)).toBe('context: 12 commits, 34 files, 2 merged pull requests')
  const names = { commits: 1, files: 1, mergedPulls: 0, isUnknown: false }
  expect(contextCounts(names)).toBe('context: 1 commit, 1 file')
  expect(contextCounts({ ...names, isUnknown: true })).toBe('context: what has changed is not known')
})
