import { describe, expect, it } from 'vitest'
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
import { type DocsPlace, startFinishedJob } from './finished-job.ts'
import { PREVIEW_ROWS, STATES } from './result.cases.ts'

const outputs = (url: string, status: string) => ({
  outputs: { 'preview-url': url, 'preview-status': status },
})

it.each(STATES)(
  'a preview whose check is $state ($trouble) has the status "$status"',
  async ({ state, trouble, status }) => {
    const { world, github, open, read } = await startFinishedJob()
    const pull = open({ files: ['guides/restore.mdx'] })
    const sha = pull.fields.head?.sha ?? ''
    if (trouble === '403') world.scopes.delete('checks: read')
    if (trouble === '502') github.faults.push({ match: /PullReport$/, end: '502' })
    if (trouble === 'stranger')
      playBuild(world, sha, state, { app: 'github-actions', author: person('mallory') })
    else if (trouble !== 'never') playBuild(world, sha, state)
    if (trouble === 'replaced') playBuild(world, pushToPull(world, pull).sha, 'queued')
    const end = await read()
    expect(end.outputs['preview-status']).toBe(status)
    expect(['', trouble === 'stranger' ? '' : PREVIEW_URL]).toContain(end.outputs['preview-url'])
    expect(end.warnings).toEqual([])
  },
)

it.each<{ place: DocsPlace; checks: boolean; status: string }>([
  { place: 'elsewhere public', checks: false, status: 'failed' },
  { place: 'elsewhere with a token', checks: true, status: 'failed' },
  { place: 'elsewhere with a token', checks: false, status: '' },
  { place: 'elsewhere without', checks: true, status: '' },
])(
  'a failed preview of docs $place (checks: $checks) has the status "$status"',
  async ({ place, checks, status }) => {
    const { world, open, read } = await startFinishedJob(place)
    if (!checks) world.scopes.delete('checks: read')
    playBuild(world, open().commits[0] ?? '', 'failed')
    expect((await read()).outputs['preview-status']).toBe(status)
  },
)

describe('the preview', () => {
  const CHECK = '([check](https://github.com/acme/docs/runs/1))'
  const syntax = '\n \n  Page `x` has a syntax error. \nMore.'
  it.each<[CheckState, Parameters<typeof addCheck>[2], string]>([
    ['ready', {}, ' ready'],
    ['building', {}, ' being built'],
    ['neutral', {}, ''],
    [
      'failed',
      { title: 'No build', summary: syntax },
      ` failed: Page \\\`x\\\` has a syntax error. ${CHECK}`,
    ],
    ['failed', { title: 'No build', summary: '' }, ` failed: No build ${CHECK}`],
    ['failed', {}, ` failed ${CHECK}`],
  ])('is shown as %s, with the text of the check: %j', async (state, words, told) => {
    const { world, open, read, reply } = await startFinishedJob()
    const sha = open({ title: '', files: ['a.mdx'] }).commits[0] ?? ''
    addCheck(world, sha, words)
    playBuild(world, sha, state)
    for (const text of [(await read()).summary, await reply()])
      expect(text).toContain(`\n\n[Preview](${PREVIEW_URL})${told}\n\n`)
  })

  it('is that of Mintlify’s newest check, and its comment begins with the marker', async () => {
    const { world, open, read } = await startFinishedJob()
    const sha = open().commits[0] ?? ''
    addCheck(world, sha, CHECK_STATES.failed)
    addCheck(world, sha, CHECK_STATES.ready)
    addCheck(world, sha, { ...CHECK_STATES.failed, app: 'acme-docs' })
    addCheck(world, sha, { ...CHECK_STATES.failed, name: 'mintlify deployment' })
    const say = (author: Account, body: string) =>
      addComment(world, { kind: 'main', number: 12, author, body })
    const copy = (host: string): string => previewBody('ready', `https://${host}/`)
    say(AGENT, `Look:\n${copy('late-marker.example')}`)
    say(person('octocat'), copy('person.example'))
    say(person('mintlify'), copy('user.example'))
    say(bot('stranger[bot]'), copy('bot.example'))
    say(bot('acme-docs[bot]'), copy('acme.example'))
    say(AGENT, copy('own.example'))
    const inputs = { 'ignore-authors': 'acme-docs[bot], octocat' }
    expect(await read({ inputs })).toMatchObject(outputs('https://own.example/', 'ready'))
  })

  it('is seen among 420 checks of others and 360 comments, in five requests', async () => {
    const { world, open, read } = await startFinishedJob()
    const sha = open().commits[0] ?? ''
    const others = (count: number) => {
      for (let index = 0; index < count; index++) {
        addCheck(world, sha, {
          ...CHECK_STATES.ready,
          app: `ci-${world.checks.length}`,
          name: 'CI',
        })
        addComment(world, { kind: 'main', number: 12, author: person('hubot'), body: '+1' })
      }
    }
    others(120)
    for (let index = 0; index < 60; index++)
      addCheck(world, sha, { ...CHECK_STATES.failed, app: 'actions', name: `Test ${index}` })
    playBuild(world, sha, 'ready')
    others(240)
    const { outputs: found, requests } = await read()
    expect(found).toMatchObject({ 'preview-url': PREVIEW_URL, 'preview-status': 'ready' })
    expect(requests.length).toBeLessThanOrEqual(5)
  })

  it('has no state where GitHub lists another commit than the head, and no link where it is skipped', async () => {
    const { world, open, read } = await startFinishedJob()
    const pull = open()
    const sha = pull.commits[0] ?? ''
    const { fields } = pull
    addCheck(world, sha, CHECK_STATES.ready)
    pull.fields = { ...fields, head: { ...fields.head, sha: 'e'.repeat(40) } }
    expect(await read()).toMatchObject(outputs('', ''))
    pull.fields = fields
    playBuild(world, sha, 'ready')
    playBuild(world, sha, 'skipped')
    const end = await read()
    expect(end).toMatchObject(outputs('', ''))
    expect(end.summary).not.toContain('Preview')
  })

  it.each(PREVIEW_ROWS)('of the comment alone is %s', async (_what, rows, url, status) => {
    const { world, open, read } = await startFinishedJob()
    open()
    const body = `<!-- mintlify-preview-comment-1 -->\n${rows}`
    addComment(world, { kind: 'main', number: 12, author: AGENT, body })
    expect(await read()).toMatchObject(outputs(url, status))
  })

  it('of a check from before the message has no state', async () => {
    const { clock, world, open, read } = await startFinishedJob()
    playBuild(world, open().commits[0] ?? '', 'failed')
    await clock.sleep(1000)
    const message = { prompt: 'More.', context: 'none' }
    expect(await read()).toMatchObject(outputs(PREVIEW_URL, 'failed'))
    expect(await read({ inputs: message })).toMatchObject(outputs(PREVIEW_URL, ''))
  })

  it('of a comment from before the job, or before the message, is its link alone', async () => {
    const { clock, world, open, read, createdAtMs } = await startFinishedJob()
    open()
    const body = previewBody('ready')
    const comment = addComment(world, { kind: 'main', number: 12, author: AGENT, body })
    const message = { prompt: 'More.', context: 'none' }
    for (const [editedAtMs, inputs, status] of [
      [createdAtMs, {}, 'ready'],
      [createdAtMs - 1000, {}, ''],
      [clock.now() - 1000, message, ''],
      [clock.now() + 60_000, message, 'ready'],
    ] as const) {
      comment.editedAtMs = editedAtMs
      expect(await read({ inputs })).toMatchObject(outputs(PREVIEW_URL, status))
    }
  })
})
