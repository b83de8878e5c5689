import { describe, expect, it } from 'vitest'
import { readChecks, readPreview } from '../../src/pull/preview.ts'
import { pullOutputs } from '../../src/pull/pull-words.ts'
import {
  CHECK_STATES,
  type CheckState,
  PREVIEW_URL,
  playBuild,
  previewBody,
} from '../support/builds.ts'
import {
  type Account,
  AGENT,
  addCheck,
  addComment,
  bot,
  person,
  pushToPull,
} from '../support/world.ts'
import { type DocsPlace, finishedJobStarter, line, PULL_URL, summary } from './finished-job.ts'
import { EXPECTED, PREVIEW_ROWS } from './pull-report.cases.ts'

const startFinishedJob = finishedJobStarter()

const PLACES: readonly DocsPlace[] = [
  'here',
  'elsewhere public',
  'elsewhere with a token',
  'elsewhere without',
]

describe.each(PLACES)('a preview of docs %s', (place) => {
  const isSeen = place === 'here' || place === 'elsewhere public'
  const cases = (isSeen ? Object.keys(CHECK_STATES) : ['ready']).flatMap((state) =>
    (['early', 'late', 'never', 'replaced', '403', '502', 'stranger'] as const).map(
      (trouble) => [state as CheckState, trouble] as const,
    ),
  )
  it.each(cases)('whose check is %s (%s) is ready only when it is', async (state, trouble) => {
    const { world, github, open, later, wait, log } = await startFinishedJob({ place })
    const pull = open({ files: ['guides/restore.mdx'] })
    const sha = pull.fields.head?.sha ?? ''
    if (trouble === '403') world.scopes.delete('checks: read')
    if (trouble === '502') github.faults.push({ match: /PullReport$/, end: '502' })
    if (trouble === 'stranger')
      playBuild(world, sha, state, { app: 'github-actions', author: person('mallory') })
    else if (trouble === 'late') later(15, () => playBuild(world, sha, state))
    else if (trouble !== 'never') playBuild(world, sha, state)
    if (trouble === 'replaced') playBuild(world, pushToPull(world, pull).sha, 'queued')
    const { status, url } = await wait(20)
    const isPublic = place === 'elsewhere public' && trouble === '403'
    const expected =
      place === 'elsewhere without' ? '' : (EXPECTED[state][isPublic ? 'early' : trouble] ?? '')
    expect(status).toBe(expected)
    if (url !== '') expect(url).toBe(PREVIEW_URL)
    if (trouble === 'stranger') expect(url).toBe('')
    expect(log.join('\n')).not.toContain('::warning')
  })
})

describe('the preview', () => {
  it.each<[string, string, string]>([
    ['ready', `[Preview](${PREVIEW_URL}) ready`, `[preview](${PREVIEW_URL}) ready`],
    ['building', `[Preview](${PREVIEW_URL}) being built`, `[preview](${PREVIEW_URL}) being built`],
    ['neutral', `[Preview](${PREVIEW_URL})`, `[preview](${PREVIEW_URL})`],
    ['skipped', '', ''],
  ])('is told as %s', async (state, long, short) => {
    const { world, open, read } = await startFinishedJob()
    const pull = open({ title: '', files: ['a.mdx'] })
    playBuild(world, pull.commits[0] ?? '', state as CheckState)
    const cameOfIt = await read()
    expect(summary(cameOfIt).split('\n\n').slice(1).join()).toBe(long)
    expect(line(cameOfIt)).toBe(`[1 page](${PULL_URL}/files)${short && ` · ${short}`}`)
  })

  it.each([
    [
      '\n \n  Page `x` has a syntax error. \nMore.',
      'The build failed',
      'Page \\`x\\` has a syntax error.',
    ],
    ['', 'The build failed', 'The build failed'],
    [null, null, ''],
  ])('that failed (%j, %j) is told with what the check says', async (text, title, words) => {
    const { world, open, read } = await startFinishedJob()
    const sha = open().commits[0] ?? ''
    addCheck(world, sha, { ...CHECK_STATES.failed, title, summary: text })
    const cameOfIt = await read()
    const check = '([check](https://github.com/acme/docs/runs/1))'
    const told = `Preview failed${words && `: ${words}`} ${check}`
    expect(summary(cameOfIt).slice(-told.length)).toBe(told)
    expect(line(cameOfIt)).toMatch(/ · preview failed$/)
  })

  it('is that of the newest check of one of the Apps, and its comment begins with the marker', async () => {
    const { world, open, read } = await startFinishedJob({
      inputs: { 'ignore-authors': 'Acme-Docs[bot], octocat' },
    })
    const sha = open().commits[0] ?? ''
    addCheck(world, sha, { ...CHECK_STATES.failed, app: 'acme-docs' })
    addCheck(world, sha, { ...CHECK_STATES.ready, app: 'mintlify' })
    addCheck(world, sha, { ...CHECK_STATES.failed, name: 'mintlify deployment' })
    const say = (author: Account, body: string) =>
      addComment(world, { kind: 'main', number: 12, author, body })
    const copy = (host: string): string => previewBody('ready', `https://${host}/`)
    say(AGENT, `Look:\n${copy('late-marker.example')}`)
    say(person('octocat'), copy('person.example'))
    say(person('mintlify'), copy('user.example'))
    say(bot('stranger[bot]'), copy('bot.example'))
    say(bot('acme-docs[bot]'), copy('acme.example'))
    expect(pullOutputs(await read())).toMatchObject({
      'preview-url': 'https://acme.example/',
      'preview-status': 'ready',
    })
  })

  it('has no state where GitHub lists another commit than the head', async () => {
    const { world, open, wait } = await startFinishedJob()
    const pull = open()
    addCheck(world, pull.commits[0] ?? '', CHECK_STATES.ready)
    pull.fields = { ...pull.fields, head: { ...pull.fields.head, sha: 'e'.repeat(40) } }
    expect(await wait()).toEqual({ status: '', url: '', waitedS: 60 })
  })

  it('that is skipped has no link, whatever its comment says of an earlier build', async () => {
    const { world, open, read } = await startFinishedJob()
    const sha = open().commits[0] ?? ''
    playBuild(world, sha, 'ready')
    playBuild(world, sha, 'skipped')
    expect(pullOutputs(await read())).toMatchObject({ 'preview-url': '', 'preview-status': '' })
  })

  it('is read past what GitHub leaves out: accounts, Apps and entries that are null', () => {
    const apps = new Set(['mintlify'])
    const body = previewBody('ready')
    const author = { __typename: 'Bot', login: 'Mintlify' }
    const comments = {
      nodes: [null, { body: null, author }, { body, author: null }, { body, author }],
    }
    const checks = readChecks(
      { checkSuites: { nodes: [null, { app: null, deployments: null }] } },
      apps,
    )
    expect(checks).toEqual({ isRead: true, deployment: undefined, failed: [] })
    expect(readChecks(null, apps).isRead).toBe(false)
    expect(readPreview(checks, comments, { sinceMs: 0, apps })).toEqual({
      state: 'unknown',
      url: PREVIEW_URL,
    })
  })

  it.each(PREVIEW_ROWS)('of the comment alone is %s', async (_what, rows, url, status) => {
    const { world, open, read } = await startFinishedJob()
    open()
    const body = `<!-- mintlify-preview-comment-1 -->\n${rows}`
    addComment(world, { kind: 'main', number: 12, author: AGENT, body })
    expect(pullOutputs(await read())).toMatchObject({
      'preview-url': url,
      'preview-status': status,
    })
  })

  it('of a comment from before the job, or before the message, is its link alone', async () => {
    const { world, open, read, createdAtMs, endedAtMs } = await startFinishedJob()
    open()
    const comment = addComment(world, {
      kind: 'main',
      number: 12,
      author: AGENT,
      body: previewBody('ready'),
    })
    const status = async (editedAtMs: number, messageAtMs?: number): Promise<unknown> => {
      comment.editedAtMs = editedAtMs
      const outputs = pullOutputs(await read({ messageAtMs }))
      expect(outputs['preview-url']).toBe(PREVIEW_URL)
      return outputs['preview-status']
    }
    expect(await status(createdAtMs)).toBe('ready')
    expect(await status(createdAtMs - 1000)).toBe('')
    expect(await status(endedAtMs - 2000, endedAtMs - 1000)).toBe('')
    expect(await status(endedAtMs, endedAtMs - 1000)).toBe('ready')
  })
})

describe('waiting for the preview', () => {
  it.each<[string, CheckState, number, number, string]>([
    ['ends when it is ready', 'ready', 95, 100, 'ready'],
    ['ends when it has failed', 'failed', 20, 20, 'failed'],
    ['ends when it is skipped', 'skipped', 5, 10, ''],
    ['takes at most five minutes', 'ready', 301, 300, 'building'],
  ])('%s', async (_what, state, atS, waitedS, status) => {
    const { world, github, open, later, wait } = await startFinishedJob()
    const sha = open().commits[0] ?? ''
    playBuild(world, sha, 'building')
    later(atS, () => playBuild(world, sha, state))
    expect(await wait()).toMatchObject({ status, waitedS })
    expect(github.requests).toHaveLength(waitedS / 10 + 1)
  })

  it('ends after a minute without a sign of a build, at the deadline, and with a cancel', async () => {
    const silent = await startFinishedJob()
    silent.open()
    expect(await silent.wait()).toEqual({ status: '', url: '', waitedS: 60 })
    const short = await startFinishedJob()
    short.open()
    expect(await short.wait(25)).toMatchObject({ waitedS: 25 })
    const cancelled = await startFinishedJob({ cancelAtS: 33 })
    playBuild(cancelled.world, cancelled.open().commits[0] ?? '', 'building')
    expect(await cancelled.wait()).toMatchObject({ status: 'building', waitedS: 33 })
    expect(cancelled.github.requests).toHaveLength(4)
  })

  it('ends where the checks can no longer be read, with what was known', async () => {
    const { world, github, open, later, wait } = await startFinishedJob()
    playBuild(world, open().commits[0] ?? '', 'building')
    later(25, () => github.faults.push({ match: /PullReport$/, end: '403' }))
    expect(await wait()).toMatchObject({ status: 'building', waitedS: 30 })
    const without = await startFinishedJob()
    without.world.scopes.delete('checks: read')
    without.open()
    expect(await without.wait()).toMatchObject({ status: '', waitedS: 0 })
  })
})
