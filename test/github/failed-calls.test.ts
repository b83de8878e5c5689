import { describe, expect, it } from 'vitest'
import type { GitHub } from '../../src/github/client.ts'
import type { GitHubCall } from '../../src/github/github-errors.ts'
import { docsLink } from '../../src/lib/text.ts'
import {
  clientFor,
  EMPTY,
  EXPIRED,
  FORBIDDEN,
  failing,
  LIMITED,
  type Options,
  OTHER_TOKEN,
  OUTAGE,
  type Reply,
  retryAfter,
  SAML,
  said,
} from './client.ts'

const patch = (github: GitHub) => github.call((octokit) => octokit.request('PATCH /x'))

describe('a call that the run can not do without', () => {
  const needed: GitHubCall = { purpose: 'list the tags', permission: 'contents: read' }
  const every15s = [27, 42, 57, 72, 87, 102, 117]

  it.each<{ reply: Reply; atS: readonly number[] }>([
    { reply: 502, atS: [0, 3, 12, ...every15s] },
    { reply: failing(), atS: [0, 3, 12, ...every15s] },
    { reply: retryAfter(429, 15), atS: [0, 15, 30, 45, 60, 75, 90, 105] },
    { reply: retryAfter(429, 16), atS: [0] },
    { reply: FORBIDDEN, atS: [0] },
    { reply: 422, atS: [0] },
    { reply: 401, atS: [0] },
  ])('is made for up to two minutes, if it is answered $reply', async ({ reply, atS }) => {
    const { github, arrived } = await clientFor([reply])
    const query = reply === 502 ? 'GET /x' : 'POST /graphql'
    const made = github.need(needed, () => github.call((octokit) => octokit.request(query)))
    await expect(made).rejects.toThrow(/^Could not list the tags: GitHub/)
    expect(arrived).toEqual(atS.map((time) => `${time} ${query}`))
  })

  it('gives its result as soon as GitHub answers', async () => {
    const { github, clock, lines } = await clientFor([502, 502, 502, 502, { body: { a: 1 } }])
    expect(await github.need(needed, () => patch(github))).toEqual({ a: 1 })
    expect([clock.now(), lines]).toEqual([42_000, []])
  })

  it('is given up if the run is canceled', async () => {
    const cancel = new AbortController()
    const { github, clock } = await clientFor([502], { cancel: cancel.signal })
    clock.at(20_000, () => cancel.abort())
    const made = github.need(needed, () => patch(github))
    await expect(made).rejects.toThrow('Could not list the tags')
    expect(clock.now()).toBe(20_000)
  })
})

describe('calls that the run can do without', () => {
  const list: GitHubCall = { purpose: 'list the comments', permission: 'issues: write' }
  const write: GitHubCall = { ...list, purpose: 'write a comment' }
  const other: GitHubCall = { ...write, permission: 'contents: read' }
  const attempt = (github: GitHub, one: GitHubCall) =>
    github.attemptAndReport(one, () => patch(github))
  /** The lines that these calls log; the last one is the notice, if there is one. */
  async function logOf(replies: readonly Reply[], calls: readonly GitHubCall[], options?: Options) {
    const { github, lines } = await clientFor(replies, options)
    for (const one of calls) await attempt(github, one)
    github.reportFailures()
    return lines
  }

  it('give their result, or are a line each and one notice together', async () => {
    const { github, lines } = await clientFor([{ body: { a: 1 } }, 422, 409])
    expect(await attempt(github, list)).toEqual({ known: true, value: { a: 1 } })
    expect(github.reportFailures()).toBe(false)
    const failed = { known: false, why: 'GitHub returned 422', error: { status: 422 } }
    expect(await attempt(github, write)).toMatchObject(failed)
    await attempt(github, list)
    expect(github.reportFailures()).toBe(true)
    expect(lines).toEqual([
      'info: Could not write a comment: GitHub returned 422.',
      'info: Could not list the comments: GitHub returned 409.',
      'notice (GitHub rejected a request (422)): The run continued, but the action could not write a comment and list the comments: GitHub returned 422.',
    ])
  })

  it('have no notice if the run was canceled, or if an error explains them', async () => {
    const cancel = new AbortController()
    cancel.abort()
    const canceled = await logOf([409], [list], { cancel: cancel.signal })
    expect(canceled).toEqual(['info: Could not list the comments: GitHub returned 409.'])
    const { github, lines } = await clientFor([409])
    await attempt(github, list)
    github.explain()
    expect([github.reportFailures(), lines]).toEqual([false, canceled])
  })

  it.each([
    { reply: 200, options: { token: '' }, cause: '`github-token` is empty', why: EMPTY },
    {
      reply: 401,
      cause: 'GitHub rejected `github-token` (401)',
      title: '`github-token` is invalid or expired',
      why: EXPIRED,
    },
    {
      reply: said(403, 'API rate limit exceeded for installation.'),
      cause: "GitHub's API rate limit was exceeded (403)",
      title: "GitHub's API rate limit was exceeded",
      why: LIMITED,
    },
    {
      reply: said(502, 'Oh no'),
      cause: 'GitHub returned 502 ("Oh no")',
      title: 'GitHub is unavailable (502)',
      why: OUTAGE,
    },
    {
      reply: said(403, SAML),
      cause: `GitHub returned 403 ("${SAML}")`,
      title: 'The organization requires SSO for `github-token`',
      why: `Authorize the token under Settings → Developer settings → Personal access tokens → Configure SSO, ${OTHER_TOKEN}`,
    },
    {
      reply: said(403, '`acme` forbids access via a personal access token (classic).'),
      cause: 'GitHub returned 403 ("`acme` forbids access via a personal access token (classic).")',
      title: 'The organization forbids this kind of `github-token`',
      why: `Use a kind of token that the organization allows, ${OTHER_TOKEN}`,
    },
    {
      reply: said(403, 'The `acme` organization has an IP allow list enabled.'),
      cause: 'GitHub returned 403 ("The `acme` organization has an IP allow list enabled.")',
      title: "The organization's IP allow list blocks this runner",
      why: 'Use a runner whose address is on the list, or add its address.',
    },
    {
      reply: said(403, 'This installation has been suspended'),
      cause: 'GitHub returned 403 ("This installation has been suspended")',
      title: 'The account or App of `github-token` is suspended',
      why: `An owner can end the suspension. Until then, use another token ${docsLink('manage.md#change-the-token')}.`,
    },
    {
      reply: FORBIDDEN,
      cause: 'GitHub returned 403 ("Forbidden")',
      title: 'Missing permission: `issues: write`',
      why: "The workflow doesn't grant `issues: write`. Add `issues: write` under `permissions:`.",
    },
    {
      reply: said(403, 'Resource not accessible by personal access token'),
      cause: 'GitHub returned 403 ("Resource not accessible by personal access token")',
      title: 'Missing permission: `issues: write`',
      why: "`github-token` doesn't have `issues: write`. Add `issues: write` to the token.",
    },
  ])('have one notice which explains that $cause', async ({ reply, options, cause, ...notice }) => {
    const { title = cause, why } = notice
    expect(title.length).toBeLessThanOrEqual(60)
    const lines = await logOf([reply], [list, write, list], options)
    expect(lines.at(-1)).toBe(
      `notice (${title}): The run continued, but the action could not list the comments and write a comment: ${cause}. ${why}`,
    )
    expect(lines.filter((line) => line.includes(why))).toHaveLength(1)
  })

  it('have one notice with all missing permissions', async () => {
    const [notice] = (await logOf([FORBIDDEN], [list, other, write])).slice(-1)
    expect(notice).toMatch(/^notice \(Missing permission: `issues: write`\): /)
    expect(notice).toContain(
      "doesn't grant `issues: write` and `contents: read`. Add `issues: write` and",
    )
  })

  it('miss no permission that has worked before', async () => {
    const [notice] = (await logOf([200, FORBIDDEN], [list, write])).slice(-1)
    expect(notice).toMatch(/^notice \(GitHub rejected a request \(403\)\): /)
    expect(notice).not.toContain('permission')
  })

  it.each<[Reply, [boolean, boolean]]>([
    [404, [true, false]],
    [FORBIDDEN, [true, false]],
    [said(403, 'Unable to create comment because issue is locked.'), [true, true]],
    [422, [true, true]],
    [401, [false, false]],
    [retryAfter(403, 99), [false, false]],
    [502, [false, false]],
  ])('that is answered %j is refused for good: %j', async (reply, expected) => {
    const { github } = await clientFor([200, reply])
    await attempt(github, { ...write, permission: 'works' })
    const asked = await github.attempt(() => github.call((octokit) => octokit.request('PATCH /x')))
    const isRefused = (one: string) => !asked.known && github.isRefusedForGood(asked.error, one)
    expect(['never worked', 'works'].map(isRefused)).toEqual(expected)
  })
})
