import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recordField } from '../../src/lib/json.ts'
import {
  AFTER,
  BEFORE,
  type Event,
  example,
  issueComment,
  pullRequest,
  pushBy,
  reviewComment,
} from './events.ts'
import type { Scene } from './scene.ts'
import { octocat, usualSceneStarter } from './usual-scene.ts'
import { addComment } from './world.ts'

const newScene = usualSceneStarter()

/** One row of the table in `docs/context.md`. */
type Row = { readonly told: string; readonly requests: string; readonly permissions: string }

/** The rows by what stands in their first cell. */
function readTable(): Map<string, Row> {
  const text = readFileSync(join(import.meta.dirname, '../../docs/context.md'), 'utf8')
  const [, table = ''] = /<!-- events: .*-->\n\n((?:\|.*\n)+)/.exec(text) ?? []
  const rows = table.trim().split('\n').slice(2)
  return new Map(
    rows.map((line) => {
      const [event = '', told = '', requests = '', permissions = ''] = line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim())
      return [event, { told, requests, permissions }]
    }),
  )
}

const TABLE = readTable()

/** Events of a row: those that take the fewest and the most requests, and the others that it names. */
type Case = { readonly row: string; readonly events: readonly CaseEvent[] }
type CaseEvent = {
  readonly name: string
  readonly payload: object
  /** Requests that it takes. */
  readonly requests: number
  readonly prepare?: (scene: Scene) => void
}

const COMPARISON = {
  html_url: 'https://github.com/acme/docs/compare/a...b',
  total_commits: 1,
  commits: [{ commit: { message: 'Add a flag' } }],
  files: [{ filename: 'src/flag.ts', status: 'added', changes: 1, patch: '@@ -0,0 +1 @@\n+flag' }],
}

function manyFiles({ world }: Scene): void {
  world.files.set(
    5,
    Array.from({ length: 250 }, (_, index) => `src/${index}.ts`),
  )
  world.pulls.set(5, { ...world.pulls.get(5), changed_files: 250 })
}

/** Fields that GitHub's examples leave empty. */
const FILLED = { body: 'As discussed.', labels: [{ name: 'docs' }], state: 'open' }

function ofPull({ name, payload }: Event, requests: number, prepare?: (scene: Scene) => void): CaseEvent {
  const pull = { ...recordField(payload, 'pull_request'), ...FILLED, changed_files: undefined }
  return {
    name,
    payload: { ...payload, pull_request: pull, sender: octocat },
    requests,
    ...(prepare && { prepare }),
  }
}

function ofReview(requests: number): CaseEvent {
  const { payload } = pullRequest()
  const review = { id: 9, body: '/docs explain it', user: octocat, state: 'commented' }
  return ofPull(
    { name: 'pull_request_review', payload: { ...payload, action: 'submitted', review } },
    requests,
  )
}

function ofComment(event: Event, requests: number, prepare?: (scene: Scene) => void): CaseEvent {
  const issue = { ...recordField(event.payload, 'issue'), ...FILLED }
  return { name: event.name, payload: { ...event.payload, issue }, requests, ...(prepare && { prepare }) }
}

const comment = { id: 5001, body: '/docs explain it', author: octocat }

function ofReviewComment(requests: number, prepare?: (scene: Scene) => void): CaseEvent {
  const event = reviewComment(comment)
  const written = { ...recordField(event.payload, 'comment'), line: 1 }
  return ofPull({ ...event, payload: { ...event.payload, comment: written } }, requests, prepare)
}

function ofIssue(): CaseEvent {
  const payload = example('issues', 'opened')
  const issue = { ...recordField(payload, 'issue'), ...FILLED, user: octocat }
  return { name: 'issues', payload: { ...payload, issue, sender: octocat }, requests: 0 }
}

function ofRelease(requests: number, earlier: readonly object[]): CaseEvent {
  const payload = example('release', 'published')
  const release = {
    ...recordField(payload, 'release'),
    tag_name: 'v2',
    name: 'Second',
    body: 'New',
    published_at: '2026-08-10T00:00:00Z',
  }
  return {
    name: 'release',
    payload: { ...payload, release },
    requests,
    prepare({ world }) {
      world.releases.push(...earlier)
      world.comparisons.set('v1...v2', COMPARISON)
    },
  }
}

function ofTime(name: string, requests: number, lastSha = BEFORE): CaseEvent {
  return {
    name,
    payload: {},
    requests,
    prepare({ world }) {
      world.runs.push({
        workflow: 'weekly.yml',
        head_branch: 'main',
        conclusion: 'success',
        head_sha: lastSha,
        head_repository: { full_name: 'acme/docs' },
      })
    },
  }
}

const push: CaseEvent = { ...pushBy('octocat'), requests: 1 }
const created: CaseEvent = {
  name: 'push',
  payload: { ...push.payload, created: true, before: '0'.repeat(40) },
  requests: 0,
}

const CASES: readonly Case[] = [
  { row: '`push`', events: [push] },
  { row: '`push` of a new branch or tag', events: [created] },
  {
    row: '`pull_request`, `pull_request_target`, `pull_request_review`',
    events: [
      ofPull(pullRequest(), 1),
      ofPull({ ...pullRequest(), name: 'pull_request_target' }, 3, manyFiles),
      ofReview(1),
    ],
  },
  { row: '`pull_request_review_comment`', events: [ofReviewComment(1), ofReviewComment(3, manyFiles)] },
  {
    row: '`issue_comment` on a pull request',
    events: [ofComment(issueComment(comment), 2), ofComment(issueComment(comment), 4, manyFiles)],
  },
  {
    row: '`issues`, `issue_comment` on an issue',
    events: [ofIssue(), ofComment(issueComment({ ...comment, onIssue: true }), 0)],
  },
  {
    row: '`release`',
    events: [
      ofRelease(2, [{ tag_name: 'v1', published_at: '2026-08-01T00:00:00Z', draft: false }]),
      ofRelease(1, []),
    ],
  },
  {
    row: '`schedule`, `workflow_dispatch`, `repository_dispatch`',
    events: [ofTime('schedule', 2), ofTime('workflow_dispatch', 1, AFTER), ofTime('repository_dispatch', 2)],
  },
  { row: 'any other', events: [{ name: 'create', payload: { ref: 'v1', ref_type: 'tag' }, requests: 0 }] },
]

/** Requests that are made for the context, among all that a run makes. */
const FOR_CONTEXT = /^GET \/(?:compare\/|pulls\/\d+(?:\/files|$)|releases|actions\/)/

type Heard = { readonly told: string; readonly requests: number; readonly log: string }

/** Runs the action on an event with these scopes, and reads what the docs service was told. */
async function hear({ name, payload, prepare }: CaseEvent, scopes: readonly string[]): Promise<Heard> {
  const scene = await newScene()
  const user = { login: 'octocat' }
  scene.world.pulls.set(5, { ...FILLED, title: 'Add a flag', changed_files: 1, user })
  addComment(scene.world, {
    kind: name === 'issue_comment' ? 'main' : 'review',
    number: 5,
    author: octocat,
    body: '/docs',
  })
  prepare?.(scene)
  scene.world.comparisons.set(`${BEFORE}...${AFTER}`, COMPARISON)
  scene.world.scopes.clear()
  for (const scope of scopes) scene.world.scopes.add(scope)
  const run = await scene.run({
    event: { name, payload },
    inputs: { prompt: 'Document it.', wait: 'false', comment: 'never', 'ignore-authors': 'nobody' },
    env: {
      GITHUB_REF: 'refs/heads/main',
      GITHUB_SHA: AFTER,
      GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/weekly.yml@refs/heads/main',
    },
  })
  const lines = (scene.docs.jobs[0]?.prompt ?? '').split('\n')
  const names = lines
    .slice(lines.findIndex((line) => line.startsWith('Workflow run: ')) + 1)
    .flatMap((line) => /^([A-Z][A-Za-z ]*?)(?: \([^)]*\))?:(?: |$)/.exec(line)?.[1] ?? [])
  return {
    told: names.join(', '),
    requests: scene.github.requests.filter((line) => FOR_CONTEXT.test(line)).length,
    log: run.log,
  }
}

const DENIED = /::(?:notice|warning) .*GitHub could not be asked to (?:compare|list|look up)/

describe('the table of events in docs/context.md', () => {
  it('has the rows that are tried here', () => {
    expect([...TABLE.keys()]).toEqual(CASES.map(({ row }) => row))
  })

  it.each(CASES)('is right about $row', async ({ row, events }) => {
    const { told, requests, permissions } = TABLE.get(row) ?? { told: '', requests: '', permissions: '' }
    const scopes = permissions === 'none' ? [] : permissions.replaceAll('`', '').split(', ')
    const heard = await Promise.all(events.map((event) => hear(event, scopes)))
    const counts = heard.map((one) => one.requests)
    expect(counts).toEqual(events.map((event) => event.requests))
    const [fewest, most] = [Math.min(...counts), Math.max(...counts)]
    expect(requests).toBe(fewest === most ? `${most}` : `${fewest} to ${most}`)
    // What takes fewer requests for want of something to compare says less.
    const whole = heard.filter(
      (_, index) => row.startsWith('`p') || row.startsWith('`i') || counts[index] === most,
    )
    for (const one of whole) expect(one.told).toBe(told)
    for (const { log } of heard) expect(log).not.toMatch(DENIED)
    for (const missing of scopes) {
      const [event] = events
      const without =
        event &&
        (await hear(
          event,
          scopes.filter((scope) => scope !== missing),
        ))
      expect(without?.log.match(new RegExp(DENIED, 'g'))).toHaveLength(1)
      expect(without?.log).toMatch(new RegExp(`::notice .*GitHub could not be asked to .*\`${missing}\``))
    }
  })
})
