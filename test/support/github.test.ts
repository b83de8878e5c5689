import { getOctokit } from '@actions/github'
import { expect, it, onTestFinished } from 'vitest'
import { BEFORE } from './events.ts'
import { startGitHub } from './github.ts'
import { addCommit, addPull, addReview, addStatus, MAY_WRITE, person, pushToPull } from './world.ts'

it('the fake GitHub notes each request that GitHub would not take', async () => {
  const { token, url, violations, close } = await startGitHub()
  onTestFinished(close)
  const octokit = getOctokit(token, { baseUrl: url })
  const history =
    'ref(qualifiedName: "main") { target { ... on Commit { history { nodes { oid } } } } }'
  await Promise.allSettled([
    octokit.request('GET /repos/acme/docs/issues/5/comments?per_page=500'),
    octokit.request('GET /repos/acme/docs/pulls/5?sideways=1'),
    octokit.request('GET /repos/acme/docs/unicorns'),
    octokit.request('POST /repos/acme/docs/statuses/{sha}', { sha: BEFORE, state: 'good' }),
    octokit.graphql('query { viewer { shoeSize } }'),
    octokit.graphql('query { viewer { login bio } }'),
    octokit.graphql(`query { repository(owner: "acme", name: "docs") { ${history} } }`),
  ])
  expect(violations.toSorted()).toEqual([
    'GET /repos/acme/docs/issues/5/comments: per_page: at most 100',
    'GET /repos/acme/docs/pulls/5: there is no parameter sideways',
    'GET /repos/acme/docs/unicorns: there is no GET /repos/acme/docs/unicorns',
    'POST /graphql: Cannot query field "shoeSize" on type "User".',
    'POST /graphql: a connection needs `first` or `last`, from 1 to 100',
    'POST /graphql: the fake GitHub does not know User.bio',
    `POST /repos/acme/docs/statuses/${BEFORE}: data/state must be equal to one of the allowed values`,
  ])
})

it('the fake GitHub limits, pages and moves what a busy repository has as GitHub does', async () => {
  const { token, url, violations, close, world } = await startGitHub()
  onTestFinished(close)
  const octokit = getOctokit(token, { baseUrl: url })
  const statusesOf = (context: string) =>
    octokit.request(`POST ${here}/statuses/${tip}`, { ...good, context })
  const refusal = async (sent: Promise<unknown>) =>
    await sent.then(
      () => '',
      ({ message }) => message,
    )
  const [here, good] = ['/repos/acme/docs', { state: 'success' }]
  for (let count = 0; count < 350; count++) addCommit(world)
  const tip = world.branches.get('main') ?? ''
  for (let count = 0; count < 1000; count++) addStatus(world, tip, { ...good, context: 'CI' })
  const pull = addPull(world, { number: 7 })
  for (let count = 0; count < 299; count++) pushToPull(world, pull)
  addReview(world, { number: 7, author: person('ann'), comments: [{ body: 'Wrong' }] })
  world.roles.set('ann', MAY_WRITE)
  world.renamed.set('acme/old', 'acme/docs')

  expect(await octokit.paginate(`GET ${here}/pulls/7/commits`, { per_page: 100 })).toHaveLength(250)
  expect(await octokit.paginate(`GET ${here}/commits`, { per_page: 100 })).toHaveLength(351)
  expect((await octokit.request('GET /repos/acme/old/pulls/7')).data.number).toBe(7)
  expect(await refusal(statusesOf('CI'))).toContain('has reached the maximum number of statuses')
  expect(await refusal(statusesOf('🚀'))).toContain("doesn't accept 4-byte Unicode")
  const ask = (reviewer: string) =>
    octokit.request(`POST ${here}/pulls/7/requested_reviewers`, { reviewers: [reviewer] })
  expect(await refusal(ask('bob'))).toContain('Reviews may only be requested from collaborators')
  expect((await ask('ann')).status).toBe(201)
  expect(pull.reviewRequests).toEqual(['ann'])
  expect(violations).toEqual([])
})
