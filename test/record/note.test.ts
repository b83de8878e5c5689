import { describe, expect, it } from 'vitest'
import type { SourceItem } from '../../src/context/gather.ts'
import { eventRow } from '../../src/events/event-table.ts'
import type { Trigger } from '../../src/events/trigger.ts'
import { createLine, writeNote } from '../../src/record/note.ts'
import { readEnvironment } from '../../src/runner/environment.ts'
import { Run } from '../../src/runner/run.ts'
import { VirtualClock } from '../support/clock.ts'
import { startGitHub } from '../support/github.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { alive } from '../support/rendered.ts'
import { environmentOf } from '../support/run-action.ts'
import { ACTIONS, AGENT, addComment, addPull, type Comment, person } from '../support/world.ts'

const PULL = 'https://github.com/acme/docs/pull/1'
const DAY_MS = 24 * 3_600_000
const START_MS = Date.UTC(2026, 0, 5)

const pull = (number: number, title = `Change ${number}`, author = 'octocat'): SourceItem => {
  return { kind: 'pull', url: `https://github.com/acme/app/pull/${number}`, title, author }
}
const command: SourceItem = {
  kind: 'command',
  url: 'https://github.com/acme/docs/pull/5#issuecomment-5001',
  title: 'explain it',
  author: 'octocat',
}

/** A GitHub with the agent's pull request 1, and runs that write into its note. */
async function startNotes() {
  const clock = new VirtualClock(START_MS)
  const github = await startGitHub({ pause: (ms) => clock.pause(ms) })
  const { world } = github
  addPull(world, { number: 1, user: AGENT })
  let runId = 1000

  /** One run for these items; returns whether its line is there. */
  async function write(
    items: readonly SourceItem[],
    given: {
      readonly inputs?: Record<string, string>
      readonly prLink?: string
      readonly job?: string
      /** When the job was named first, if the run continues it. */
      readonly namedAtMs?: number
    } = {},
  ): Promise<boolean> {
    const { prLink = PULL, job = 'job_1', namedAtMs, inputs } = given
    const access = {
      'api-key': 'mint_harness_key',
      'project-id': 'docs',
      'github-token': github.token,
    }
    const env = environmentOf({ inputs: { ...access, ...inputs } }, '/nowhere', '/nowhere')
    const environment = readEnvironment({
      ...env,
      GITHUB_API_URL: github.url,
      GITHUB_RUN_ID: `${++runId}`,
    })
    const cancel = new AbortController().signal
    const run = new Run(environment, { clock, random: () => 0.5, cancel })
    const event = { name: 'push', row: eventRow('push'), payload: {} }
    const trigger: Trigger = { event, command: undefined }
    const line = createLine({ jobId: job, atMs: clock.now() }, items, trigger, run)
    return await clock.work(() => writeNote(prLink, line, namedAtMs, run))
  }

  const notes = (): Comment[] =>
    world.comments.filter(({ history }) => /^<!-- docs-agent/.test(history[0] ?? ''))
  return {
    ...{ clock, github, world, write, notes },
    /** What the newest note says, paragraph by paragraph, without its marker. */
    text: (): string => (notes().at(-1)?.history.at(-1) ?? '').replace(/^.*\n/, ''),
    /** Its lines. */
    lines: (): string[] =>
      (notes().at(-1)?.history.at(-1) ?? '').split('\n').filter((one) => one.startsWith('- ')),
  }
}

const RUN = (id: number): string =>
  `[workflow run](https://github.com/acme/docs/actions/runs/${id})`

describe('the note on the agent’s pull request', () => {
  it('is one for the project, edited in place, with a line for each job and message, newest first', async () => {
    const { clock, write, notes, text } = await startNotes()
    await write([pull(41)])
    await clock.sleep(DAY_MS)
    await write(
      [
        pull(42),
        {
          kind: 'release',
          url: 'https://github.com/acme/app/releases/tag/v2',
          title: 'v2',
          author: '',
        },
      ],
      { namedAtMs: START_MS },
    )
    await write([{ kind: 'signals', url: '', title: '', author: '' }], { namedAtMs: START_MS })
    expect(notes()).toHaveLength(1)
    expect(text()).toBe(
      '💬 **The code changes that these docs are for**\n\n' +
        `- 2026-01-06, ${RUN(1003)}: what readers missed\n` +
        `- 2026-01-06, ${RUN(1002)}: https://github.com/acme/app/pull/42 Change 42 by **octocat**; [v2](https://github.com/acme/app/releases/tag/v2)\n` +
        `- 2026-01-05, ${RUN(1001)}: https://github.com/acme/app/pull/41 Change 41 by **octocat**`,
    )
  })

  it('names at most five items in a line, with titles cut to 80 characters', async () => {
    const { write, lines } = await startNotes()
    await write([
      pull(1, 'x'.repeat(81)),
      pull(2, 'y'.repeat(80)),
      ...[3, 4, 5, 6, 7].map((number) => pull(number)),
    ])
    const [line = ''] = lines()
    expect(line).toContain(`${'x'.repeat(79)}… by`)
    expect(line).toContain(`${'y'.repeat(80)} by`)
    expect(line).toMatch(/pull\/5 Change 5 by \*\*octocat\*\*; and 2 more$/)
  })

  it('has the newest 20 lines, and counts the rest', async () => {
    const { write, lines } = await startNotes()
    for (let number = 1; number <= 23; number++) await write([pull(number)])
    expect(lines()).toHaveLength(21)
    expect(lines()[0]).toContain('/pull/23 ')
    expect(lines()[19]).toContain('/pull/4 ')
    expect(lines()[20]).toBe('- and 3 earlier')
  })

  it('stays below 60 KiB: the oldest lines go', async () => {
    const { write, notes, lines } = await startNotes()
    const wide = (number: number) =>
      Array.from({ length: 5 }, () => pull(number, '語'.repeat(80), 'o'.repeat(2000)))
    for (let number = 1; number <= 6; number++) await write(wide(number))
    const body = notes().at(-1)?.history.at(-1) ?? ''
    expect(Buffer.byteLength(body)).toBeLessThan(61 * 1024)
    expect(Buffer.byteLength(body)).toBeGreaterThan(30 * 1024)
    expect(lines()[0]).toContain('/pull/6 ')
    expect(lines().at(-1)).toMatch(/^- and \d earlier$/)
  })

  it('says "an earlier job" for what an earlier run could not write', async () => {
    const { clock, write, lines } = await startNotes()
    await clock.sleep(DAY_MS)
    await write([pull(2)], { namedAtMs: START_MS })
    await write([pull(3)], { namedAtMs: START_MS })
    expect(lines().map((line) => line.slice(2, 30))).toEqual([
      expect.stringMatching(/^2026-01-06, \[workflow run\]/),
      expect.stringMatching(/^2026-01-06, \[workflow run\]/),
      '2026-01-05: an earlier job',
    ])
  })

  it('says that a command there continues, where one led to it and it is in this repository', async () => {
    const { write, text } = await startNotes()
    await write([pull(2)])
    expect(text()).not.toContain('`/docs')
    await write([command])
    expect(text()).toMatch(
      /\n\nTo have it changed, comment `\/docs …` here, such as `\/docs shorter/,
    )
    await write([pull(3)])
    expect(text()).toContain('comment `/docs …` here')
    await write([pull(3)], { inputs: { 'follow-up': 'false' } })
    expect(text()).not.toContain('`/docs')
    await write([pull(3)], { inputs: { command: '' } })
    expect(text()).not.toContain('To have it changed')
  })

  it('of another account, another key or another project stays as it is, and so does a copy of it', async () => {
    const { world, write, notes } = await startNotes()
    await write([pull(1)])
    const first = notes()[0]?.history.at(-1) ?? ''
    await write([pull(2)], { inputs: { 'api-key': 'mint_another_key' } })
    await write([pull(3)], { inputs: { 'project-id': 'guides' } })
    world.viewer = { login: 'acme-docs[bot]', id: 4711, type: 'Bot' }
    await write([pull(4)])
    world.viewer = ACTIONS
    expect(notes().map(({ history }) => history.length)).toEqual([1, 1, 1, 1])
    // Copied to another pull request, it does not count there.
    addPull(world, { number: 2, user: AGENT })
    addComment(world, { kind: 'main', number: 2, author: ACTIONS, body: first })
    await write([pull(5)], { prLink: PULL.replace('/1', '/2') })
    expect(
      notes()
        .filter(({ number }) => number === 2)
        .map(({ history }) => history),
    ).toEqual([[first], [expect.stringContaining('/pull/5 ')]])
    // Nor one that somebody else has copied on the same pull request.
    addComment(world, { kind: 'main', number: 1, author: person('mallory'), body: first })
    await write([pull(6)])
    expect(notes()[0]?.history).toEqual([first, expect.stringContaining('/pull/6 ')])
  })

  it('that was deleted begins anew', async () => {
    const { world, write, notes, lines } = await startNotes()
    await write([pull(1)])
    world.comments.splice(0)
    await write([pull(2)], { namedAtMs: START_MS })
    expect(notes()).toHaveLength(1)
    expect(lines()).toEqual([expect.stringContaining('/pull/2 '), '- 2026-01-05: an earlier job'])
  })

  it('is written in another repository where the token can comment there, and does not count elsewhere', async () => {
    const { github, world, write, notes } = await startNotes()
    world.agentRepository = 'acme/guides'
    addPull(world, { number: 1, user: AGENT }, world.elsewhere)
    const prLink = 'https://github.com/acme/guides/pull/1'
    expect(await write([command], { prLink })).toBe(false)
    world.commentsElsewhere = true
    expect(await write([command], { prLink })).toBe(true)
    expect(notes().map(({ repository }) => repository)).toEqual(['acme/guides'])
    expect(notes()[0]?.history.at(-1)).not.toContain('`/docs')
    // Its marker names its repository.
    addComment(world, {
      kind: 'main',
      number: 1,
      author: ACTIONS,
      body: notes()[0]?.history.at(-1) ?? '',
    })
    await write([pull(2)])
    expect(notes()).toHaveLength(3)
    expect(github.violations).toEqual([])
  })

  it.each<[string, Parameters<Awaited<ReturnType<typeof startNotes>>['write']>[1]]>([
    ['with `comment: never`', { inputs: { comment: 'never' } }],
    ['in a dry run', { inputs: { 'dry-run': 'true' } }],
    ['on another server', { prLink: 'https://gitlab.com/acme/docs/-/merge_requests/1' }],
    ['on what is no pull request', { prLink: 'https://github.com/acme/docs/commit/1' }],
  ])('is not written %s', async (_what, given) => {
    const { github, write } = await startNotes()
    expect(await write([pull(1)], given)).toBe(false)
    expect(github.requests).toEqual([])
  })

  it('costs one create, else the list, the account and an edit', async () => {
    const { github, write } = await startNotes()
    await write([pull(1)])
    expect(github.requests).toEqual(['GET /issues/1/comments', 'POST /issues/1/comments'])
    await write([pull(2)])
    expect(github.requests.slice(2)).toEqual([
      'GET /issues/1/comments',
      'POST /graphql',
      'PATCH /issues/comments/5001',
    ])
  })
})

it.each(HOSTILE_TEXTS)(
  'nothing in titles, logins and links of a note comes alive: %j',
  async (text) => {
    const { write, text: written } = await startNotes()
    const kinds = ['pull', 'commit', 'release', 'command'] as const
    const items = kinds.map((kind) => ({ kind, url: PULL, title: text, author: text }))
    await write([...items, { kind: 'pull', url: text, title: text, author: text }])
    const { html, mentions, images, links } = alive(written())
    expect(html.filter((tag) => !/^<\/?code>/.test(tag))).toEqual([])
    expect([...mentions, ...images]).toEqual([])
    expect(
      links.filter((url) => ![PULL, text].includes(url) && !url.includes('/actions/runs/')),
    ).toEqual([])
  },
)
