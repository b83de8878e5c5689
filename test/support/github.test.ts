import { getOctokit } from '@actions/github'
import { expect, it, onTestFinished } from 'vitest'
import { BEFORE } from './events.ts'
import { startGitHub } from './github.ts'

it('the fake GitHub notes each request that GitHub would not take', async () => {
  const { token, url, violations, close } = await startGitHub()
  onTestFinished(close)
  const octokit = getOctokit(token, { baseUrl: url })
  const history = 'object(expression: "main") { ... on Commit { history { nodes { oid } } } }'
  await Promise.allSettled([
    octokit.request('GET /repos/acme/docs/pulls/5/files?per_page=500'),
    octokit.request('GET /repos/acme/docs/pulls/5?sideways=1'),
    octokit.request('GET /repos/acme/docs/unicorns'),
    octokit.request('POST /repos/acme/docs/statuses/{sha}', { sha: BEFORE, state: 'good' }),
    octokit.graphql('query { viewer { shoeSize } }'),
    octokit.graphql('query { viewer { login bio } }'),
    octokit.graphql(`query { repository(owner: "acme", name: "docs") { ${history} } }`),
  ])
  expect(violations.toSorted()).toEqual([
    'GET /repos/acme/docs/pulls/5/files: per_page: at most 100',
    'GET /repos/acme/docs/pulls/5: there is no parameter sideways',
    'GET /repos/acme/docs/unicorns: there is no GET /repos/acme/docs/unicorns',
    'POST /graphql: Cannot query field "shoeSize" on type "User".',
    'POST /graphql: a connection needs `first` or `last`, from 1 to 100',
    'POST /graphql: the fake GitHub does not know User.bio',
    `POST /repos/acme/docs/statuses/${BEFORE}: data/state must be equal to one of the allowed values`,
  ])
})
