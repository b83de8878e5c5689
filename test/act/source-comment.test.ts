import { describe, expect } from 'vitest'
import type { Release } from '../../src/look/event.ts'
import { itWithScene, markerIn, octocat, PULL, RUN, type Scene, type Told } from '../look/runs.ts'
import {
  bareEvent,
  type Event,
  event,
  newIssue,
  pullRequest,
  pushOf,
  pushTo,
  workflowRun,
} from '../support/events.ts'
import {
  ACTIONS,
  AGENT,
  addComment,
  addCommit,
  addPull,
  type Comment,
  mergePull,
  person,
} from '../support/world.ts'
import { ended, moveDocs } from './docs-pull-scene.ts'

const it = itWithScene()

/** The source comments, oldest first. */
function commentsIn({ world }: Scene): Comment[] {
  const own = world.comments.filter(({ author }) => author === world.viewer)
  return own.filter(({ history }) => markerIn(history[0] ?? '').kind === 'source')
}

/** The newest one as it is now. */
function textIn(scene: Scene): string {
  return commentsIn(scene).at(-1)?.history.at(-1) ?? ''
}

/** Its lines. */
function linesIn(scene: Scene): string[] {
  return textIn(scene)
    .split('\n')
    .filter((line) => line.startsWith('- '))
}

type Visibility = 'PUBLIC' | 'INTERNAL' | 'PRIVATE'
const WEB = 'https://github.com/acme/docs'

/** What GitHub says of two repositories; `undefined` of one that the token can't read. */
function visibilities(docs: Visibility | undefined, own: Visibility | undefined) {
  const shown = {
    docs: docs ? { databaseId: 42, nameWithOwner: 'acme/guides', visibility: docs } : null,
    own: own ? { visibility: own } : null,
  }
  return { status: 200, body: { data: shown } }
}

/** The event of a release, whose tag is on the newest commit. */
function released({ world }: Scene, release: Release & { readonly tag_name: string }): Event {
  world.tags.set(release.tag_name, world.branches.get('main') ?? '')
  return event('release', { release })
}

/** A run for an event, or for the push of a commit with that message, whose job ends with pull request 1. */
function write(scene: Scene, made: Event | string = 'Fix it', { inputs, ...told }: Told = {}) {
  const event = typeof made === 'string' ? pushTo(scene.world, { message: made }) : made
  const usual = { prompt: 'Document it.', context: 'diff', 'ignore-authors': '', ...inputs }
  return scene.tell(event, { end: 'pull-request', ...told, inputs: usual })
}

/** The push of squash merges of pull requests with these titles. */
function mergedPulls({ world }: Scene, ...titles: string[]): Event {
  const before = world.branches.get('main') ?? ''
  for (const [index, title] of titles.entries())
    mergePull(world, addPull(world, { number: 41 + index, title }))
  return pushOf(world, before)
}

type Row = { readonly what: string; readonly make: (scene: Scene) => Event; readonly line: RegExp }

it.for<Row>([
  {
    what: 'the merged pull requests that its commits came in',
    make: (scene) => mergedPulls(scene, 'Add a flag', 'Drop it'),
    line: /: https:\/\/github\.com\/acme\/docs\/pull\/42 Drop it by \*\*octocat\*\*; https:\S+41 Add a flag by \*\*octocat\*\*$/,
  },
  {
    what: 'the commits that came in none',
    make: ({ world }) => pushTo(world, { message: 'Fix it' }),
    line: /: \[Fix it\]\(https:\/\/github\.com\/acme\/docs\/commit\/\w{40}\) by \*\*octocat\*\*$/,
  },
  {
    what: 'a commit without a readable subject by its SHA',
    make: ({ world }) => pushTo(world, { message: '\u200b\u3164 ' }),
    line: /: \[(\w{7})\]\(https:\S+\/commit\/\1\w{33}\) by/,
  },
  {
    what: 'the pull request',
    make: () => pullRequest({ sender: octocat, pull: { title: 'Add a flag', user: octocat } }),
    line: /: https:\S+\/pull\/5 Add a flag by \*\*octocat\*\*$/,
  },
  {
    what: 'a pull request by its title if its address is odd',
    make: () =>
      pullRequest({ sender: octocat, pull: { title: 'Add', html_url: 'https://x/pull/5 @me' } }),
    line: /: \[Add\]\(https:\/\/x\/pull\/5%20@me\) by/,
  },
  {
    what: 'the release',
    make: (scene) =>
      released(scene, { name: 'v2', tag_name: 'v2.0.0', html_url: `${WEB}/releases/tag/v2` }),
    line: /: \[v2\]\(https:\S+\/releases\/tag\/v2\)$/,
  },
  {
    what: 'the issue',
    make: () => newIssue({ number: 8, body: 'How?', author: octocat }),
    line: /: \[Spelling error[^\]]+\]\(https:\S+\/issues\/8\) by \*\*octocat\*\*$/,
  },
  {
    what: 'the workflow that was followed',
    make: ({ world }) => {
      const head_sha = world.branches.get('main')
      return workflowRun({ event: 'workflow_dispatch', name: 'CI', head_sha })
    },
    line: /: \[CI\]\(https:\S+\)$/,
  },
  {
    what: 'no commits of a first schedule',
    make: ({ world }) => {
      for (let count = 0; count < 12; count++) addCommit(world)
      return bareEvent('schedule')
    },
    line: /: schedule$/,
  },
  {
    what: 'at most five of them, with titles of at most 80 characters, cut between two',
    make: (scene) => {
      const titles = ['x'.repeat(80), `y${'👩‍🚀'.repeat(20)}`]
      return mergedPulls(scene, 'a', 'b', 'c', 'd', 'e', ...titles)
    },
    line: /\/47 y(?:👩‍🚀){15}… by \S+; \S+46 x{80} by .*43 c by \*\*octocat\*\*; and 2 more$/,
  },
])('the source comment has a line with $what', async ({ make, line }, { scene }) => {
  const { outputs } = await write(scene, make(scene))
  expect(linesIn(scene)).toEqual([expect.stringMatching(line)])
  expect(linesIn(scene)[0]).toContain(`- 2026-01-05, ${RUN}: `)
  // No review is requested for the commits that a first schedule starts with.
  if (line.source === ': schedule$') expect(outputs['source-authors']).toBe('')
})

describe('the source comment', () => {
  it('stays below 60 KiB: the oldest lines go', async ({ scene }) => {
    for (let count = 0; count < 20; count++)
      await write(scene, mergedPulls(scene, ...Array.from({ length: 5 }, () => '語'.repeat(80))))
    const bytes = Buffer.byteLength(textIn(scene))
    expect(bytes).toBeLessThan(61 * 1024)
    expect(bytes).toBeGreaterThan(50 * 1024)
    expect(linesIn(scene)[0]).toContain('runs/1020')
    expect(linesIn(scene).at(-1)).toMatch(/^- and \d older$/)
    const html_url = `${WEB}/releases/${'x'.repeat(60_000)}`
    await write(scene, released(scene, { tag_name: 'v9.0.0', html_url }))
    expect(linesIn(scene)).toEqual(['- and 21 older'])
  })

  it('says that a command there continues, where one led to it', async ({ scene }) => {
    const how = 'To request changes, comment `/docs …` here.'
    await write(scene)
    expect(textIn(scene)).not.toContain(how)
    await scene.ask({ end: 'pull-request' })
    await write(scene)
    expect(textIn(scene)).toContain(how)
    for (const inputs of [{ 'follow-up': 'false' }, { command: '' }]) {
      await write(scene, 'Fix it', { inputs })
      expect(textIn(scene)).not.toContain(how)
    }
  })

  it('of another account, key or project stays as it is, and so does a copy of it', async ({
    scene,
  }) => {
    const { world } = scene
    await write(scene)
    const body = textIn(scene)
    await write(scene, 'Fix it', { inputs: { 'api-key': 'mint_another_key' } })
    await write(scene, 'Fix it', { inputs: { 'project-id': 'guides' } })
    addComment(world, { kind: 'main', number: 1, author: person('mallory'), body })
    world.viewer = { login: 'acme-docs[bot]', id: 4711, type: 'Bot' }
    await write(scene)
    world.viewer = ACTIONS
    expect(commentsIn(scene).map(({ history }) => history.length)).toEqual([1, 1, 1])
    // A copy on another pull request does not count there.
    addPull(world, { number: 2, user: AGENT })
    addComment(world, { kind: 'main', number: 2, author: ACTIONS, body })
    await write(scene, 'Fix it', ended(PULL.replace('/1', '/2')))
    await write(scene)
    expect(commentsIn(scene).map(({ history }) => history.length)).toEqual([2, 1, 1, 1, 1])
  })

  it('that was deleted is started again, with "earlier job"', async ({ scene }) => {
    await write(scene)
    scene.world.comments.splice(0)
    await write(scene, 'Rename it')
    await write(scene, 'Drop it')
    expect(linesIn(scene)).toEqual([
      expect.stringContaining('Drop it'),
      expect.stringContaining('Rename it'),
      '- 2026-01-05: earlier job (details unavailable)',
    ])
  })

  it('has a line of a job that a run waited for until there was a pull request', async ({
    scene,
  }) => {
    await write(scene, 'Fix it', { end: 'timed-out', inputs: { timeout: '1s' } })
    expect(commentsIn(scene)).toEqual([])
    const wait = { inputs: { prompt: '', 'job-id': 'job_1' } }
    const body = { status: 'completed', prLink: PULL, createdAt: '2026-01-03T00:00:00Z' }
    const made = { replies: { get: [{ body }] }, ...wait }
    await write(scene, 'Wait', made)
    await write(scene, 'Wait', made)
    expect(linesIn(scene)).toEqual(['- 2026-01-03: earlier job (details unavailable)'])
    const { calls } = await scene.tell(scene.comment('/docs shorter', { number: 1 }), ended(PULL))
    expect(calls[1]).toBe('POST /job/job_1/message')
  })

  it('is written in another repository if the token can comment there, and is left out without a warning if not', async ({
    scene,
  }) => {
    const { world } = scene
    const there = moveDocs(scene, false)
    expect((await scene.ask(there)).warnings).toEqual([])
    expect(commentsIn(scene)).toEqual([])
    world.commentsElsewhere = true
    await scene.ask(there)
    expect(commentsIn(scene).map(({ repository }) => repository)).toEqual(['acme/guides'])
    expect(linesIn(scene)).toHaveLength(2)
    expect(textIn(scene)).not.toContain('`/docs')
    // A copy of it here counts for nothing: its marker names its repository.
    addComment(world, { kind: 'main', number: 1, author: ACTIONS, body: textIn(scene) })
    await write(scene)
    expect(commentsIn(scene)).toHaveLength(3)
  })

  it('has a line of a message whose run was cancelled', async ({ scene }) => {
    await scene.ask({ end: 'pull-request' })
    const get = [{ body: { status: 'completed', prLink: PULL } }, 'active']
    await scene.ask({ words: '/docs second', replies: { get }, cancelAtMs: 6000 })
    await scene.ask({ words: '/docs third', end: 'pull-request' })
    expect(linesIn(scene)).toEqual(
      ['third', 'second', 'explain it'].map((words) => expect.stringContaining(`: ${words}`)),
    )
  })

  it('has the line of the run that a re-run repeats, once', async ({ scene }) => {
    const event = mergedPulls(scene, 'Add a flag')
    await write(scene, event, { end: 'timed-out', inputs: { timeout: '1s' } })
    for (const attempt of [2, 3]) {
      const { outputs } = await write(scene, event, { runId: 1001, attempt, ...ended(PULL) })
      expect(outputs['source-authors']).toBe('octocat')
    }
    expect(linesIn(scene)).toEqual([expect.stringMatching(/runs\/1001\): \S+41 Add a flag by/)])
  })

  it('is not written without a permission, which is a line of the log alone', async ({ scene }) => {
    scene.github.faults.push({ match: /^POST .*comments$/, end: '403' })
    const { log, titles } = await write(scene)
    expect(titles).toHaveLength(1)
    expect(log.filter((line) => line.includes('acme/docs#1'))).toHaveLength(1)
  })

  it.for<{ docs?: Visibility; own?: Visibility; hasLines: boolean }>([
    { docs: 'PUBLIC', own: 'INTERNAL', hasLines: false },
    { docs: 'INTERNAL', own: 'PRIVATE', hasLines: false },
    { docs: 'PRIVATE', own: 'INTERNAL', hasLines: true },
    // The payload says that the run's repository is internal.
    { docs: 'INTERNAL', hasLines: true },
    { own: 'PUBLIC', hasLines: false },
  ])(
    'has lines ($hasLines) if the docs are $docs and the code is $own',
    async ({ docs, own, hasLines }, { scene }) => {
      const { world, github } = scene
      const there = moveDocs(scene)
      github.faults.push({ match: /DocsRepository/, end: visibilities(docs, own) })
      for (const subject of ['Launch the secret', 'And the next']) {
        const pushed = pushTo(world, { message: subject })
        const repository = { ...pushed.payload.repository, visibility: 'internal' }
        await write(scene, { ...pushed, payload: { ...pushed.payload, repository } }, there)
      }
      expect(commentsIn(scene)).toHaveLength(1)
      const body = textIn(scene)
      const marker = JSON.stringify(markerIn(body))
      expect(markerIn(body).job).toBe('job_1')
      expect(linesIn(scene)).toHaveLength(hasLines ? 2 : 0)
      if (hasLines) expect(body).toContain('Launch the secret')
      for (const secret of ['secret', 'octocat', 'acme/docs', 'runs'])
        expect(`${body}${marker}`.includes(secret)).toBe(hasLines)
    },
  )

  it('is written in a docs repository that was renamed', async ({ scene }) => {
    moveDocs(scene)
    scene.world.renamed.set('acme/old', 'acme/guides')
    await write(scene, 'Fix it', ended(PULL.replace('docs', 'old')))
    expect(linesIn(scene)).toEqual([expect.stringContaining('Fix it')])
  })

  it.for<[string, Told]>([
    ['with `comment: never`', { inputs: { comment: 'never' } }],
    ['after a cancel, if no pull request is known', { end: 'cancelled' }],
    ['on another server', ended('https://gitlab.com/acme/docs/-/merge_requests/1')],
  ])('is not written %s', async ([_what, told], { scene }) => {
    await write(scene, 'Fix it', told)
    expect(commentsIn(scene)).toEqual([])
  })
})
