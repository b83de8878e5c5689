import { describe, expect, it } from 'vitest'
import { docsLink, J1, opening, startScene } from '../stories/scene.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive, commandsIn } from '../support/rendered.ts'
import type { Reply } from '../support/scripted-service.ts'
import { AGENT, addPull } from '../support/world.ts'

type Fields = Partial<Parameters<typeof addPull>[1]>

/** A run that waits for a job whose docs pull request is 200, and no source comment. */
async function startWait(fields: Fields = {}) {
  const scene = await startScene()
  addPull(scene.world, { number: 200, user: AGENT, ...fields })
  const wait = (prLink: string | null = docsLink(200)) =>
    scene.push({
      inputs: { 'job-id': 'j1', comment: 'never' },
      replies: { get: [{ body: { status: 'completed', prLink } }] },
    })
  return { ...scene, wait }
}

const FILES = [
  { filename: 'images/a.png', status: 'removed', additions: 0, deletions: 0 },
  { filename: 'docs.json', status: 'modified', additions: 1, deletions: 0 },
  { filename: 'guides/restore.mdx', status: 'added', additions: 12, deletions: 3 },
]

describe('the files of the docs pull request', () => {
  it('are shown with their lines, pages first, in the summary and the reply', async () => {
    const { wait, command, said } = await startWait({ title: 'Explain it', files: FILES })
    const { summary, outputs } = await wait()
    await command('/docs Explain.', 77, { replies: opening('j2', 200) })
    const reply =
      said()
        .find(([first]) => first?.includes('octocat'))
        ?.at(-1) ?? ''
    for (const text of [summary, reply])
      expect(text).toMatch(
        /\*\*Explain it\*\*\n\n3 files: \[`guides\/restore.mdx`\]\(.*\) \(\+12 −3\)/,
      )
    const [page] = JSON.parse(outputs['pr-files'] ?? '')
    const added = { path: 'guides/restore.mdx', status: 'added', additions: 12, deletions: 3 }
    expect(page).toEqual(added)
  })

  it.each([
    { images: 220, first: 'page-0.mdx' },
    { images: 340, first: 'a-0.png' },
  ])('are 100 at most, of which ten are named, of $images, in three requests', async (row) => {
    const named = (length: number, name: string, ending: string) =>
      Array.from({ length }, (_, index) => `${name}-${index}.${ending}`)
    const files = [...named(row.images, 'a', 'png'), ...named(11, 'page', 'mdx')]
    const { wait } = await startWait({ files })
    const { summary, outputs, requests } = await wait()
    expect(summary).toContain(`${row.images + 11} files: [\`${row.first}\`]`)
    expect(summary).toContain(`, and ${row.images + 1} more\n`)
    expect(JSON.parse(outputs['pr-files'] ?? '')).toHaveLength(100)
    expect(requests.filter((line) => line.includes('DocsPull'))).toHaveLength(3)
  })

  it.each([
    { title: 'Odd', changedFiles: 3, files: { nodes: [] } },
    { title: 7, changedFiles: null, files: null },
    { title: null, changedFiles: 1, files: { nodes: [{ path: 8 }, null] } },
  ])('change nothing of the result if GitHub shows %j', async (pullRequest) => {
    const { wait, github } = await startWait()
    const body = { data: { docs: { nameWithOwner: 'acme/docs', pullRequest } } }
    github.faults.push({ match: /DocsPull/, end: { status: 200, body } })
    const { outputs, hasFailed } = await wait()
    const known = { result: 'pull-request', status: 'completed', 'pr-number': '200' }
    expect([hasFailed, outputs]).toEqual([false, expect.objectContaining(known)])
  })
})

it.each([
  { word: 'merged', sign: '✅', fields: { state: 'closed', merged: true } },
  { word: 'closed', sign: '⚠️', fields: { state: 'closed' } },
])('a docs pull request that was $word is not said to be ready for review', async (row) => {
  const { wait } = await startWait(row.fields)
  const { summary, titles } = await wait()
  expect(summary.split('\n')[0]).toContain(`## ${row.sign} The docs pull request was ${row.word}`)
  expect(titles).toEqual([expect.stringContaining(row.word)])
})

it('GitHub gets no request about a job without a pull request, or with one on another server', async () => {
  const { wait } = await startWait()
  const none = await wait(null)
  expect([none.requests, none.outputs['result']]).toEqual([[], 'no-pull-request'])
  for (const prLink of [
    'https://gitlab.com/acme/docs/-/merge_requests/7',
    'https://github.com.example/acme/docs/pull/7',
    'http://github.com/acme/docs/pull/7',
    'https://github.com/acme/docs/pull/7x',
    'https://github.com/acme/docs/issues/7',
    'https://github.com/acme/docs/pull/2147483648',
  ])
    expect(await wait(prLink)).toMatchObject({ requests: [], outputs: { 'pr-link': prLink } })
})

it('the outputs are those of the job and its docs pull request', async () => {
  const { push } = await startWait({ files: FILES.slice(2) })
  const { outputs } = await push(J1)
  const { job = '', 'pr-files': files = '', ...known } = outputs
  expect(known).toEqual({
    ...{ 'job-id': 'j1', status: 'completed', result: 'pull-request', 'pr-link': docsLink(200) },
    ...{ 'pr-number': '200', 'pr-operation': 'created', 'source-authors': 'octocat' },
  })
  expect([JSON.parse(job).id, JSON.parse(files).length]).toEqual(['j1', 1])
})

it('a link that is no http(s) URL is ignored with a warning', async () => {
  const { wait } = await startWait()
  const { outputs, warnings, hasFailed } = await wait('javascript:alert(1)')
  expect([outputs['pr-link'], outputs['result']]).toEqual(['', 'no-pull-request'])
  expect([warnings.length, hasFailed]).toEqual([1, false])
})

it.each<{ what: string; inputs: Record<string, string>; posted: Reply; openedMs?: number }>([
  { what: 'created', inputs: {}, posted: 'active' },
  { what: 'created', inputs: { 'job-id': 'j1' }, posted: 'active', openedMs: 4000 },
  { what: 'updated', inputs: { 'job-id': 'j1' }, posted: 'active', openedMs: -60_000 },
  { what: 'updated', inputs: { 'job-id': 'j1' }, posted: { body: { prLink: docsLink(200) } } },
  { what: '', inputs: { 'job-id': 'j1', prompt: '' }, posted: 'active' },
])('`pr-operation` is "$what" with $inputs, opened $openedMs ms after the message', async (row) => {
  const { push, inputs, clock, world } = await startScene()
  const openedAt = new Date(clock.now() + (row.openedMs ?? 0)).toISOString()
  if (row.openedMs === undefined) world.pulls.delete(200)
  else addPull(world, { number: 200, user: AGENT, created_at: openedAt })
  const [done = 'completed'] = opening('j1', 200).get?.slice(1) ?? []
  const replies = { post: [row.posted], get: ['active', done] }
  const { outputs } = await push({ inputs: { ...inputs, ...row.inputs }, replies })
  expect(outputs['pr-operation']).toBe(row.what)
})

it('nothing that others wrote about the docs pull request comes alive', async () => {
  for (let first = 0; first < HOSTILE_TEXTS.length; first += 5) {
    const texts = HOSTILE_TEXTS.slice(first, first + 5)
    const files = texts.map((text) => text || 'x')
    const { wait } = await startWait({ title: texts.join(' '), files })
    const { summary, log, printed } = await wait()
    const { html, links, images, mentions } = alive(summary)
    const strange = html.filter((tag) => !/^<\/?(?:code|sub|details|summary>.*)\b/.test(tag))
    expect([strange, images, mentions]).toEqual([[], [], []])
    expect(links.filter((url) => !url.startsWith('https://github.com/acme/docs'))).toEqual([])
    const own = /^::(?:add-mask|set-output|save-state|notice|warning|debug)\b/
    expect(commandsIn(printed).filter((line) => !own.test(line))).toEqual([])
    expect(log.length).toBeGreaterThan(0)
  }
})
