import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Scene, sceneStarter } from '../support/decisions.ts'
import {
  bareEvent,
  type Event,
  event,
  issueComment,
  newIssue,
  person,
  pullRequest,
  pushBy,
  review,
  reviewComment,
} from '../support/events.ts'
import { AFTER, addCommit, addPull, addStatus, BEFORE } from '../support/world.ts'
import { COMPARISON, RUN, tell } from './told.ts'

const newScene = sceneStarter()
const octocat = person('octocat')
const FILES = [{ filename: 'src/a.ts', additions: 1, deletions: 0, changes: 1, patch: '@@ -1 +1,2 @@\n+a' }]
const merged = {
  title: 'Add a flag',
  html_url: 'https://github.com/acme/docs/pull/5',
  user: octocat,
  labels: [{ name: 'feature' }, { name: 'docs-wanted' }],
  state: 'closed',
  merged: true,
  merged_at: '2026-03-01T06:30:00Z',
  merge_commit_sha: AFTER,
  base: { ref: 'main' },
  head: { ref: 'flag', repo: { full_name: 'acme/docs' } },
  body: 'It is on.',
  changed_files: 1,
}

/** A GitHub with a pull request of one commit and one file. */
async function pullScene(pull: object = merged): Promise<Scene> {
  const scene = await newScene()
  addPull(scene.world, { ...pull, number: 5, files: FILES })
  return scene
}

function withPull(made: Event, change: object): Event {
  return { ...made, payload: { ...made.payload, pull_request: { number: 5, ...change } } }
}

describe('a pull request', () => {
  const known = [
    'Pull request: 5',
    'Title: Add a flag',
    'URL: https://github.com/acme/docs/pull/5',
    'Author: octocat',
    'Labels: feature, docs-wanted',
    `State: merged as ${AFTER}`,
    'Base: main',
    'Head: flag',
  ]
  const body = ['Body:', '  It is on.', 'Commits:', expect.stringMatching(/^- [0-9a-f]{7} Add a flag$/)]
  const files = [
    'Changed files: 1 (+1 -0), first what readers would notice',
    'modified src/a.ts (+1 -0)',
    '@@ -1 +1,2 @@',
    '+a',
  ]
  const requests = ['GET /pulls/5/files', 'GET /pulls/5/commits']

  it('is told with its files, diff and the subjects of its commits', async () => {
    const made = withPull(pullRequest({ action: 'closed' }), merged)
    const told = await tell(await pullScene(), { event: made })
    const head = ['Repository: acme/docs', 'Event: pull_request (closed)', RUN]
    expect(told).toEqual({ lines: [...head, ...known, ...body, ...files], requests, logged: [] })
  })

  it('commented on in its main thread is looked up first', async () => {
    const told = await tell(await pullScene(), {
      event: issueComment({ id: 1, body: '/docs', author: octocat }),
    })
    expect(told.lines.slice(3)).toEqual([...known, ...body, ...files])
    expect(told.requests).toEqual(['GET /pulls/5', ...requests])
  })

  it.each([
    [{ state: 'open', draft: true }, 'State: open (draft)'],
    [{ state: 'open' }, 'State: open'],
    [{ state: 'closed' }, 'State: closed'],
    [{ merged_at: '2026-03-01T06:30:00Z' }, 'State: merged'],
  ])('is told with its state: %j', async (change, line) => {
    const { lines } = await tell(await pullScene(), { event: withPull(pullRequest(), change) })
    expect(lines).toContain(line)
  })

  it.each([
    [{ full_name: 'someone/docs' }, 'Head: flag of the fork someone/docs'],
    [null, 'Head: flag of the fork (deleted)'],
    [{ full_name: 'Acme/Docs' }, 'Head: flag'],
  ])('from %j is told with its branch', async (repo, line) => {
    const made = {
      ...withPull(pullRequest(), { head: { ref: 'flag', repo } }),
      name: 'pull_request_target',
    }
    expect((await tell(await pullScene(), { event: made })).lines).toContain(line)
  })

  it.each([
    [{}, 'src/a.ts, line 7'],
    [{ start_line: 5 }, 'src/a.ts, lines 5 to 7'],
    [{ start_line: 7 }, 'src/a.ts, line 7'],
    [{ side: 'LEFT' }, 'src/a.ts, line 7 of the old version'],
    [{ line: null, original_line: 3 }, 'src/a.ts, line 3 (changed since)'],
    [{ line: null }, 'src/a.ts'],
  ])('commented on in a review is told with the lines commented on: %j', async (change, place) => {
    const made = reviewComment({ id: 1, body: '/docs', author: octocat })
    const comment = {
      ...made.payload.comment,
      path: 'src/a.ts',
      line: 7,
      original_line: null,
      diff_hunk: '@@ -6 +6,2 @@\n a\n+b',
      ...change,
    }
    const about = { ...withPull(made, merged), name: made.name }
    const start = { event: { ...about, payload: { ...about.payload, comment } } }
    const { lines } = await tell(await pullScene(), start)
    expect(lines).toContain(`Comment on: ${place}`)
    expect(lines.slice(-8)).toEqual([
      'Lines commented on (the comment is about the last one):',
      '@@ -6 +6,2 @@',
      ' a',
      '+b',
      ...files,
    ])
    expect((await tell(await pullScene(), { ...start, inputs: { context: 'files' } })).lines).not.toContain(
      '+b',
    )
  })

  it.each([
    [650, 650, 'Changed files: 650 (+600 -0), first what readers would notice', 6],
    [120, 120, 'Changed files: 120 (+120 -0), first what readers would notice', 2],
    [
      3,
      5,
      'Changed files: 5 (+3 -0), first what readers would notice; GitHub counts 5 files, but lists 3',
      1,
    ],
    [650, undefined, 'Changed files: 600 or more (+600 -0), first what readers would notice', 6],
  ])('of %d files, counted as %s, is asked for page by page', async (listed, counted, line, pages) => {
    const scene = await newScene()
    const many = Array.from({ length: listed }, (_, index) => ({
      filename: `${index}.ts`,
      additions: 1,
      deletions: 0,
      changes: 1,
    }))
    addPull(scene.world, { ...merged, number: 5, files: many })
    const { lines, requests } = await tell(scene, {
      event: withPull(pullRequest(), { ...merged, changed_files: counted }),
    })
    expect(lines).toContain(line)
    expect(requests.filter((one) => one.includes('/files'))).toHaveLength(pages)
  })

  it('that GitHub tells nothing of is told as the payload has it, and the permission is named once', async () => {
    const scene = await pullScene()
    scene.world.scopes.clear()
    const { lines, logged } = await tell(scene, {
      event: issueComment({ id: 1, body: '/docs', author: octocat }),
    })
    expect(lines).toEqual(expect.arrayContaining(['Pull request: 5', 'State: open']))
    expect(lines.at(-1)).toMatch(/^Changed files: not known: GitHub returned 403/)
    expect(logged).toEqual([
      expect.stringMatching(/^notice: Failed to look up the pull request: .*`pull-requests: read`/),
    ])
  })
})

describe('any other event', () => {
  const issue = {
    number: 1,
    title: 'It <!-- x -->hurts',
    html_url: 'https://github.com/acme/docs/issues/1',
    user: octocat,
    labels: [{ name: 'bug' }],
    body: 'When I\nlaugh',
  }
  const hurts = [
    'Issue: 1',
    'Title: It hurts',
    'URL: https://github.com/acme/docs/issues/1',
    'Author: octocat',
    'Labels: bug',
    'Body:',
    '  When I',
    '  laugh',
  ]
  const workflowRun = {
    name: 'CI',
    html_url: 'https://github.com/acme/docs/actions/runs/900',
    event: 'push',
    head_branch: 'feature',
    head_sha: BEFORE,
    conclusion: 'failure',
  }

  it.each<readonly [string, object, readonly string[]]>([
    ['issues', { issue }, ['Branch: main', RUN, ...hurts]],
    ['issue_comment', { issue }, ['Branch: main', RUN, ...hurts]],
    ['discussion', { discussion: issue }, ['Branch: main', RUN, ...hurts.with(0, 'Discussion: 1')]],
    [
      'workflow_run',
      { workflow_run: workflowRun },
      [
        RUN,
        'Finished workflow: CI (https://github.com/acme/docs/actions/runs/900, started by push)',
        'Branch: feature',
        `Commit: ${BEFORE}`,
        'Conclusion: failure',
      ],
    ],
    ['create', { ref: 'v1', ref_type: 'tag' }, ['Tag: v1', RUN]],
    ['delete', { ref: 'flag', ref_type: 'branch' }, ['Branch: flag', RUN]],
    ['watch', {}, ['Branch: main', RUN]],
  ])('%s asks nobody', async (name, payload, lines) => {
    const told = await tell(await newScene(), { event: { name, payload }, inputs: { command: '' } })
    expect(told).toEqual({
      lines: ['Repository: acme/docs', `Event: ${name}`, ...lines],
      requests: [],
      logged: [],
    })
  })

  it('has the comment that started it, unless that is the request itself', async () => {
    const asked = async (command: string): Promise<readonly string[]> => {
      const made = issueComment({ id: 1, body: '/docs Explain', author: octocat, number: 1, onIssue: true })
      return (await tell(await newScene(), { event: made, inputs: { command } })).lines.slice(-2)
    }
    expect(await asked('')).toEqual([
      'Comment by octocat (https://github.com/acme/docs/issues/1#issuecomment-1):',
      '  /docs Explain',
    ])
    expect((await asked('/docs')).join()).not.toContain('Comment by')
  })

  it.each([
    ['merged', 'merged'],
    ['invisible', 'not visible to this run'],
  ] as const)('names the pull request of the agent that went before: %s', async (state, words) => {
    const previous = { prLink: 'https://github.com/acme/docs/pull/3', state }
    const { lines } = await tell(await newScene(), { event: bareEvent('merge_group'), previous })
    expect(lines).toContain(
      `Earlier pull request of the docs agent: https://github.com/acme/docs/pull/3 (${words})`,
    )
  })
})

/** An event of a row in the table of docs/context.md, and what GitHub has of it. */
type Case = readonly [row: string, made: Event, prepare?: (scene: Scene) => void]

const older = 'e'.repeat(40)
const pushed = pushBy('octocat')
const tag: Event = {
  name: 'push',
  payload: { ...pushed.payload, ref: 'refs/tags/v1.1.0', created: true, before: '0'.repeat(40), commits: [] },
}
const published = event('release', {
  action: 'published',
  release: { tag_name: 'v1.1.0', name: 'Ship', body: 'Notes', draft: false },
})

function hasJob({ world }: Scene): void {
  const context = 'Docs agent: docs (docs.yml, docs, agent)'
  world.commits.clear()
  addCommit(world, { sha: older, parents: [] })
  addCommit(world, { sha: BEFORE, parents: [older] })
  addCommit(world, { sha: AFTER, parents: [BEFORE] })
  addStatus(world, older, { context, state: 'success', description: 'Done (job_1)' })
  world.comparisons.set(`${older}...${AFTER}`, COMPARISON)
}

function isReleased({ world }: Scene): void {
  for (const name of ['v1.1.0', 'v1.0.0']) {
    world.tags.set(name, AFTER)
    world.releases.push({ tag_name: name, draft: false })
  }
  world.comparisons.set('v1.0.0...v1.1.0', COMPARISON)
}

const CASES: readonly Case[] = [
  ['`push`', pushed, ({ world }) => void world.comparisons.set(`${BEFORE}...${AFTER}`, COMPARISON)],
  [
    '`push`',
    { ...pushed, payload: { ...pushed.payload, forced: true } },
    (scene) => {
      const { world } = scene
      hasJob(scene)
      world.comparisons.set(`${BEFORE}...${AFTER}`, { ...COMPARISON, behind_by: 1 })
      addPull(world, { ...merged, number: 7, head: { ref: 'x', sha: BEFORE }, merge_commit_sha: AFTER })
    },
  ],
  [
    '`push` of a new branch',
    {
      ...pushed,
      payload: {
        ...pushed.payload,
        before: '0'.repeat(40),
        commits: [{ id: AFTER, message: 'Add', added: ['a'] }],
      },
    },
  ],
  ['`push` of a tag', tag],
  ['`push` of a tag', tag, isReleased],
  ...[
    pullRequest(),
    { ...pullRequest(), name: 'pull_request_target' },
    review({ id: 1, body: '/docs', author: octocat }),
  ].map(
    (made): Case => [
      '`pull_request`, `pull_request_target`, `pull_request_review`',
      withPull(made, merged),
      hasPull,
    ],
  ),
  [
    '`pull_request_review_comment`',
    withPull(reviewComment({ id: 1, body: '/docs', author: octocat }), merged),
    hasPull,
  ],
  ['`issue_comment` on a pull request', issueComment({ id: 1, body: '/docs', author: octocat }), hasPull],
  ['`issues`, `issue_comment` on an issue', newIssue({ body: '/docs', author: octocat })],
  [
    '`issues`, `issue_comment` on an issue',
    issueComment({ id: 1, body: '/docs', author: octocat, onIssue: true }),
  ],
  [
    '`discussion`, `discussion_comment`',
    { name: 'discussion_comment', payload: { discussion: { ...merged, number: 90 } } },
  ],
  ['`release`', published],
  ['`release`', published, isReleased],
  ...['schedule', 'workflow_dispatch', 'repository_dispatch'].flatMap((name): Case[] => [
    ['`schedule`, `workflow_dispatch`, `repository_dispatch`', bareEvent(name)],
    ['`schedule`, `workflow_dispatch`, `repository_dispatch`', bareEvent(name), hasJob],
  ]),
  ['`workflow_run`', event('workflow_run', { workflow_run: { conclusion: 'success' } })],
  ['any other', event('create')],
  ['any other', event('merge_group')],
]

function hasPull({ world }: Scene): void {
  addPull(world, { ...merged, number: 5, files: FILES })
}

/** What stands in one row: all that any of its events tells, and the least and the most that they take. */
async function rowOf(cases: readonly Case[]): Promise<string[]> {
  const told = await Promise.all(
    cases.map(async ([, made, prepare]) => {
      const scene = await newScene()
      prepare?.(scene)
      return await tell(scene, { event: made })
    }),
  )
  const labels = told.flatMap(({ lines }) =>
    lines.flatMap((line) => /^([A-Z][A-Za-z ]+?)(?: #.*| \(.*\))?:(?: .*)?$/.exec(line)?.[1] ?? []),
  )
  const counts = told.map(({ requests }) => requests.length)
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  const permissions = told.flatMap(({ requests }) =>
    requests.map((request) =>
      request.startsWith('GET /pulls/') ? '`pull-requests: read`' : '`contents: read`',
    ),
  )
  return [
    [...new Set(labels)].toSorted().join(', '),
    least === most ? `${most}` : `${least} to ${most}`,
    [...new Set(permissions)].join(', ') || 'none',
  ]
}

describe('the table of events in docs/context.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/context.md'), 'utf8')
  const [, table = ''] = /<!-- events: .*-->\n\n((?:\|.*\n)+)/.exec(page) ?? []
  const rows = table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
  const always = ['Repository', 'Event', 'Workflow run']

  it('has a row for each event', () => {
    expect(rows.map(([row]) => row)).toEqual([...new Set(CASES.map(([row]) => row))])
  })

  it.each(rows)('tells %s', async (row, told = '', requests, permissions) => {
    const [labels = '', ...rest] = await rowOf(CASES.filter(([name]) => name === row))
    const isSaid = (label: string): boolean =>
      !always.includes(label) &&
      (row === '`workflow_run`' || !/^(?:Branch|Tag)$/.test(label) || told.includes(`, ${label},`))
    expect([labels.split(', ').filter(isSaid).join(', '), ...rest]).toEqual([
      told.replace('Merged pull requests', 'Merged pull request').split(', ').toSorted().join(', '),
      requests,
      permissions,
    ])
  })
})
