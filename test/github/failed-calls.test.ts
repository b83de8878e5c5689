import { describe, expect, it } from 'vitest'
import type { GitHub } from '../../src/github/client.ts'
import type { GitHubCall } from '../../src/github/github-errors.ts'
import type { Problem } from '../../src/lib/text.ts'
import {
  clientFor,
  FORBIDDEN,
  failing,
  type Options,
  type Reply,
  retryAfter,
  SAML,
  said,
} from './client.ts'

const get = (github: GitHub) => github.call((octokit) => octokit.request('GET /x'))
const query = (github: GitHub) => github.call((octokit) => octokit.request('POST /graphql'))

describe('a call that the run can not do without', () => {
  const call: GitHubCall = { purpose: 'set the status', permission: 'statuses: write' }
  const problemOf = (github: GitHub, send = get): Promise<Problem> =>
    github.need(call, () => send(github)).then(expect.fail, (problem: Problem) => problem)

  it.each<{ reply: Reply; send?: typeof get; atS: readonly number[] }>([
    { reply: 502, atS: [0, 1, 3, 7, 15, 31, 61, 91, 120] },
    { reply: failing(), send: query, atS: [0, 1, 3, 7, 15, 31, 61, 91, 120] },
    { reply: retryAfter(429, 50), atS: [0, 50, 100] },
    { reply: retryAfter(429, 120), atS: [0] },
    { reply: 422, atS: [0] },
  ])('is made for up to two minutes, if it is answered $reply', async ({ reply, send, atS }) => {
    const { github, arrived, lines } = await clientFor([reply])
    const { name, isTransient } = await problemOf(github, send)
    expect([name, isTransient]).toEqual(['Problem', reply !== 422])
    expect(arrived.map((line) => Number(line.split(' ')[0]))).toEqual(atS)
    expect(lines.filter((line) => line.includes('for up to 2 min'))).toHaveLength(
      atS.length > 1 ? 1 : 0,
    )
  })

  it('returns its result as soon as GitHub answers, and nothing if that may be missing', async () => {
    const { github, clock } = await clientFor([502, 502, 502, 502, { body: { a: 1 } }, 404])
    expect(await github.needIfFound(call, () => get(github))).toEqual({ a: 1 })
    expect(clock.now()).toBe(15_000)
    expect(await github.needIfFound(call, () => get(github))).toBeUndefined()
    expect(await problemOf(github)).toMatchObject({ isTransient: false })
  })

  it('is given up if the run is canceled', async () => {
    const cancel = new AbortController()
    const { github, clock } = await clientFor([502], { cancel: cancel.signal })
    clock.at(20_000, () => cancel.abort())
    await problemOf(github)
    expect(clock.now()).toBe(20_000)
  })

  it.each<{ reply: Reply; token?: string; title: string; says: string }>([
    { reply: 200, token: '', title: '`github-token` is empty', says: 'remove the input' },
    { reply: 401, title: '`github-token` is invalid or expired', says: 'Save a new token' },
    {
      reply: said(403, 'API rate limit exceeded for installation.'),
      title: "GitHub's API rate limit was exceeded",
      says: 'within an hour. Nothing was started. To try again, re-run this job.',
    },
    { reply: 502, title: 'GitHub is unavailable (502)', says: 'githubstatus.com' },
    ...[
      SAML,
      '`acme` forbids access via a personal access token (classic).',
      'The `acme` organization has an IP allow list enabled.',
      'This installation has been suspended',
    ].map((words) => ({
      reply: said(403, words),
      title: 'The organization rejects `github-token`',
      says: words,
    })),
    {
      reply: said(422, 'This SHA and context has reached the maximum number of statuses.'),
      title: 'This commit has 1,000 commit statuses of this name',
      says: 'Push a new commit',
    },
    { reply: 'lost', title: 'Could not reach GitHub', says: 'the request to 127.0.0.1' },
  ])('is a problem that explains $reply', async ({ reply, token = 'ghs_1', title, says }) => {
    const { github } = await clientFor([reply], { token })
    const problem = await problemOf(github)
    expect(problem).toMatchObject({ title, paste: '' })
    expect(title.length).toBeLessThanOrEqual(60)
    for (const text of ['Could not set the status: ', says, 'Nothing was started.'])
      expect(problem.text).toContain(text)
  })

  it.each([{ reply: FORBIDDEN }, { reply: 404 }])(
    'that is answered $reply names the permission, and the block for every event to paste',
    async ({ reply }) => {
      const { title, text, paste } = await problemOf((await clientFor([reply])).github)
      expect(title).toBe('Missing permission: `statuses: write`')
      expect(text).toContain("`github-token` doesn't have `statuses: write`")
      expect(text.includes("or the item doesn't exist")).toBe(reply === 404)
      expect(paste.split(/\n */)).toEqual([
        'permissions:',
        'contents: read',
        'issues: write',
        'pull-requests: write',
        'statuses: write',
      ])
    },
  )
})

describe('calls that the run can do without', () => {
  const list: GitHubCall = { purpose: 'list the comments', permission: 'issues: read' }
  const write: GitHubCall = { purpose: 'write a comment', permission: 'issues: write' }

  /** Makes the calls, and returns the lines of the log; the last one is the notice, if there is one. */
  async function logOf(replies: readonly Reply[], options?: Options, isExplained = false) {
    const { github, lines } = await clientFor(replies, options)
    for (const one of [list, write, list]) await github.optional(one, () => get(github))
    if (isExplained) github.explain()
    github.reportFailures()
    github.reportFailures()
    return lines
  }

  it('return their result, or are a line each and one notice for all', async () => {
    const { github } = await clientFor([200, 422])
    expect(await github.optional(list, () => get(github))).toEqual({
      known: true,
      value: { ok: true },
    })
    const error = { status: 422 }
    expect(await github.optional(list, () => get(github))).toMatchObject({ known: false, error })
    expect(await logOf([200])).toEqual([])
    expect(await logOf([200, 422, 409])).toEqual([
      'Could not write a comment: GitHub returned 422.',
      'Could not list the comments: GitHub returned 409.',
      'GitHub rejected a request (422): The run continued, but the action could not write a comment and list the comments: GitHub returned 422.',
    ])
  })

  it('have no notice if the run was canceled, or if a problem explains them', async () => {
    const cancel = AbortSignal.abort()
    for (const lines of [await logOf([409], { cancel }), await logOf([409], {}, true)])
      expect(lines).toEqual([
        'Could not list the comments: GitHub returned 409.',
        'Could not write a comment: GitHub returned 409.',
        'Could not list the comments: GitHub returned 409.',
      ])
  })

  it('have one notice with all missing permissions', async () => {
    const [notice] = (await logOf([FORBIDDEN])).slice(-1)
    expect(notice).toMatch(/^Missing permission: `issues: read`: /)
    expect(notice).toContain("doesn't have `issues: read` and `issues: write`. Add this block")
  })
})
