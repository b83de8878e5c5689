import { getOctokit } from '@actions/github'
import { expect, it, onTestFinished } from 'vitest'
import { BEFORE, pushTo } from './events.ts'
import { startGitHub } from './github.ts'
import { addPull, addStatus } from './world.ts'

const REPO = { owner: 'acme', repo: 'docs' }

async function newGitHub() {
  const github = await startGitHub()
  onTestFinished(() => github.close())
  return { ...github, octokit: getOctokit(github.token, { baseUrl: github.url }) }
}

it('notes each request that GitHub would not take', async () => {
  const { octokit, violations } = await newGitHub()
  const history = 'ref(qualifiedName: "main") { target { ... on Commit { history { nodes { oid } } } } }'
  await Promise.allSettled([
    octokit.rest.issues.listComments({ ...REPO, issue_number: 5, per_page: 500 }),
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

it("answers what only the examples' own steps ask as GitHub's description has it", async () => {
  const { octokit, violations, world } = await newGitHub()
  const { rest } = octokit
  addPull(world, { number: 5 })
  for (const state of ['pending', 'success']) addStatus(world, BEFORE, { context: 'Docs', state })
  await rest.issues.addLabels({ ...REPO, issue_number: 5, labels: ['docs'] })
  await rest.pulls.requestReviewers({ ...REPO, pull_number: 5, reviewers: ['hubot'] })
  const { data } = await rest.repos.getCombinedStatusForRef({ ...REPO, ref: BEFORE })
  expect(data.statuses).toMatchObject([{ context: 'Docs', state: 'success' }])
  expect(violations).toEqual([])
})

it('compares commits of its history', async () => {
  const { octokit, world } = await newGitHub()
  const { before } = pushTo(world, { message: 'One', files: ['a.ts'] }).payload
  pushTo(world, { message: 'Two', files: ['b.ts'] })
  const basehead = `${before}...main`
  const { data } = await octokit.rest.repos.compareCommitsWithBasehead({ ...REPO, basehead })
  expect(data).toMatchObject({ status: 'ahead', files: [{ filename: 'a.ts' }, { filename: 'b.ts' }] })
  expect(data.commits.map(({ commit }) => commit.message)).toEqual(['One', 'Two'])
})
