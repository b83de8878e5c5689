import { getOctokit } from '@actions/github'
import { afterEach, describe, expect, it } from 'vitest'
import { AFTER, BEFORE, issueComment, pullRequest, pushBy, pushTo } from './events.ts'
import { type FakeGitHub, startGitHub } from './github.ts'
import { AGENT, addComment, addPull, addStatus, learn, mergePull, person, pushToPull } from './world.ts'

const open: FakeGitHub[] = []
afterEach(() => Promise.all(open.splice(0).map((github) => github.close())))

async function newGitHub() {
  const github = await startGitHub()
  open.push(github)
  const octokit = getOctokit(github.token, { baseUrl: github.url })
  return { github, world: github.world, octokit, rest: octokit.rest, repo: { owner: 'acme', repo: 'docs' } }
}

const HISTORY = `query History($owner: String!, $name: String!, $sha: GitObjectID!, $context: String!) {
  viewer { login databaseId }
  repository(owner: $owner, name: $name) {
    object(oid: $sha) {
      ... on Commit {
        history(first: 100) {
          nodes {
            oid messageHeadline committedDate
            status { context(name: $context) { state description targetUrl createdAt creator { __typename login ... on Bot { databaseId } } } }
            associatedPullRequests(first: 2) { nodes { number merged mergeCommit { oid } author { login } labels(first: 9) { nodes { name } } } }
          }
        }
      }
    }
    pullRequest(number: 5) {
      state title headRefOid mergeable
      commits(last: 1) { nodes { commit { oid } } }
      timelineItems(itemTypes: HEAD_REF_FORCE_PUSHED_EVENT, first: 9) {
        nodes { ... on HeadRefForcePushedEvent { beforeCommit { oid } afterCommit { oid } } }
      }
    }
  }
}`

describe('the fake GitHub', () => {
  it("answers each call as GitHub's description has it", async () => {
    const { github, world, rest, repo } = await newGitHub()
    world.roles.set('octocat', { permission: 'write', role_name: 'write', permissions: { push: true } })
    const pull = addPull(world, { number: 5, files: ['a.ts'], labels: [{ name: 'docs' }] })
    world.issues.add(6)
    const main = addComment(world, { kind: 'main', number: 5, author: person('octocat'), body: 'Hello' })
    const inReview = addComment(world, { kind: 'review', number: 5, author: person('octocat'), body: 'Here' })
    world.tags.set('v1.0.0', BEFORE)
    world.releases.push({ tag_name: 'v1.0.0' })
    world.runs.push({ workflow: 'docs.yml', head_branch: 'main', conclusion: 'success', head_sha: BEFORE })
    const [sha = ''] = pull.commits
    const onIssue = { ...repo, issue_number: 5 }
    const onPull = { ...repo, pull_number: 5 }
    await rest.repos.get(repo)
    await rest.repos.getCollaboratorPermissionLevel({ ...repo, username: 'octocat' })
    await rest.repos.createCommitStatus({
      ...repo,
      sha,
      state: 'pending',
      context: 'docs',
      description: 'Working',
    })
    await rest.repos.getCombinedStatusForRef({ ...repo, ref: sha })
    await rest.repos.listCommitStatusesForRef({ ...repo, ref: sha })
    await rest.repos.listPullRequestsAssociatedWithCommit({ ...repo, commit_sha: sha })
    await rest.repos.compareCommitsWithBasehead({
      ...repo,
      basehead: `${BEFORE}...${sha}`,
      page: 2,
      per_page: 100,
    })
    await rest.repos.listReleases(repo)
    await rest.repos.listTags(repo)
    await rest.git.listMatchingRefs({ ...repo, ref: 'tags/v' })
    await rest.actions.listWorkflowRuns({
      ...repo,
      workflow_id: 'docs.yml',
      branch: 'main',
      status: 'success',
    })
    await rest.issues.listComments(onIssue)
    await rest.issues.addLabels({ ...onIssue, labels: ['docs'] })
    const { data: comment } = await rest.issues.createComment({ ...onIssue, body: 'Done' })
    await rest.issues.getComment({ ...repo, comment_id: comment.id })
    await rest.issues.updateComment({ ...repo, comment_id: comment.id, body: 'Done again' })
    await rest.issues.deleteComment({ ...repo, comment_id: comment.id })
    const { data: reaction } = await rest.reactions.createForIssueComment({
      ...repo,
      comment_id: main.id,
      content: 'eyes',
    })
    await rest.reactions.createForIssueComment({ ...repo, comment_id: main.id, content: 'eyes' })
    await rest.reactions.listForIssueComment({ ...repo, comment_id: main.id })
    await rest.reactions.deleteForIssueComment({ ...repo, comment_id: main.id, reaction_id: reaction.id })
    await rest.reactions.createForIssue({ ...onIssue, content: 'eyes' })
    await rest.reactions.listForIssue(onIssue)
    await rest.pulls.get(onPull)
    await rest.pulls.listCommits(onPull)
    await rest.pulls.listFiles(onPull)
    await rest.pulls.requestReviewers({ ...onPull, reviewers: ['hubot'] })
    await rest.pulls.listReviewComments({ ...onPull, sort: 'created', direction: 'desc' })
    const { data: reply } = await rest.pulls.createReplyForReviewComment({
      ...onPull,
      comment_id: inReview.id,
      body: 'Done',
    })
    await rest.pulls.getReviewComment({ ...repo, comment_id: reply.id })
    await rest.pulls.updateReviewComment({ ...repo, comment_id: reply.id, body: 'Done again' })
    await rest.reactions.createForPullRequestReviewComment({
      ...repo,
      comment_id: inReview.id,
      content: 'rocket',
    })
    await rest.reactions.listForPullRequestReviewComment({ ...repo, comment_id: inReview.id })
    expect(github.violations).toEqual([])
    expect(github.requests).toContain(`POST /statuses/${sha.slice(0, 7)} pending`)
    expect(github.requests).toContain(`GET /compare/aaaaaaa...${sha.slice(0, 7)}?page=2`)
    expect(github.requests).toContain('POST /issues/comments/5001/reactions eyes')
  })

  it('notes each request that GitHub would not take', async () => {
    const { github, rest, repo, octokit } = await newGitHub()
    const refused = [
      rest.issues.listComments({ ...repo, issue_number: 5, per_page: 500 }),
      octokit.request('GET /repos/acme/docs/pulls/5?sideways=1'),
      octokit.request('GET /repos/acme/docs/unicorns'),
      octokit.request('POST /repos/acme/docs/statuses/{sha}', { sha: BEFORE, state: 'good' }),
      octokit.graphql('query { viewer { shoeSize } }'),
      octokit.graphql('query { viewer { login bio } }'),
      octokit.graphql(
        'query { repository(owner: "acme", name: "docs") { ref(qualifiedName: "main") { target { ... on Commit { history { totalCount } } } } } }',
      ),
    ]
    await Promise.allSettled(refused)
    expect(github.violations.toSorted()).toEqual([
      'GET /repos/acme/docs/issues/5/comments: per_page: at most 100',
      'GET /repos/acme/docs/pulls/5: there is no parameter sideways',
      'GET /repos/acme/docs/unicorns: there is no GET /repos/acme/docs/unicorns',
      'POST /graphql: Cannot query field "shoeSize" on type "User".',
      'POST /graphql: a connection needs `first` or `last`, from 1 to 100',
      'POST /graphql: the fake GitHub does not know User.bio',
      'POST /repos/acme/docs/statuses/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: data/state must be equal to one of the allowed values',
    ])
  })

  it('tells history, statuses and pull requests in one query', async () => {
    const { github, world, octokit } = await newGitHub()
    const pull = addPull(world, { number: 5, title: 'Add a flag', user: AGENT, labels: [{ name: 'docs' }] })
    pushToPull(world, pull, { force: true })
    const [, merge = ''] = mergePull(world, pull)
    pull.indexedAtMs = Number.POSITIVE_INFINITY
    addStatus(world, BEFORE, { context: 'Docs', state: 'success', description: 'Done' })
    world.scopes.delete('statuses: write')
    const ask = (): Promise<unknown> =>
      octokit.graphql(HISTORY, { owner: 'acme', name: 'docs', sha: merge, context: 'Docs' })
    await expect(ask()).rejects.toMatchObject({
      errors: expect.arrayContaining([expect.objectContaining({ type: 'FORBIDDEN' })]),
      data: { viewer: { login: 'github-actions[bot]', databaseId: 41898282 } },
    })
    world.scopes.add('statuses: read')
    expect(await ask()).toMatchObject({
      repository: {
        object: {
          history: {
            nodes: [
              {
                oid: merge,
                messageHeadline: 'Merge pull request #5 from acme/change-5',
                associatedPullRequests: { nodes: [] },
              },
              { oid: pull.fields.head?.sha, status: null },
              {
                oid: BEFORE,
                status: {
                  context: { state: 'SUCCESS', description: 'Done', creator: { login: 'github-actions' } },
                },
              },
            ],
          },
        },
        pullRequest: {
          state: 'MERGED',
          commits: { nodes: [{ commit: { oid: pull.fields.head?.sha } }] },
          timelineItems: { nodes: [{ afterCommit: { oid: pull.fields.head?.sha } }] },
        },
      },
    })
    pull.indexedAtMs = 0
    const found = {
      nodes: [{ number: 5, merged: true, mergeCommit: { oid: merge }, author: { login: 'mintlify' } }],
    }
    expect(await ask()).toMatchObject({
      repository: { object: { history: { nodes: [{ associatedPullRequests: found }, {}, {}] } } },
    })
    expect(github.requests).toEqual(Array(3).fill('POST /graphql History'))
    expect(github.violations).toEqual([])
  })

  it('compares commits of its history, and sees pull requests of other repositories where it may', async () => {
    const { world, rest, repo } = await newGitHub()
    const first = pushTo(world, { message: 'One', files: ['a.ts'] })
    pushTo(world, { message: 'Two', files: ['b.ts'] })
    const basehead = `${first.payload.before}...main`
    const { data } = await rest.repos.compareCommitsWithBasehead({ ...repo, basehead })
    expect(data).toMatchObject({
      status: 'ahead',
      ahead_by: 2,
      files: [{ filename: 'a.ts' }, { filename: 'b.ts' }],
    })
    expect(data.commits.map(({ commit }) => commit.message)).toEqual(['One', 'Two'])
    const there = { owner: 'acme', repo: 'other-docs', pull_number: 3 }
    await expect(rest.pulls.get(there)).rejects.toMatchObject({ status: 404 })
    addPull(world, { number: 3, repository: 'acme/other-docs', mergeable_state: 'dirty' })
    expect(await rest.pulls.get(there)).toMatchObject({
      data: { number: 3, mergeable: false, mergeable_state: 'dirty' },
    })
  })

  it('learns from payloads what they name', async () => {
    const { world } = await newGitHub()
    learn(world, pushBy('octocat', 'mintlify[bot]').payload)
    expect([...world.commits.keys()]).toEqual([BEFORE, '1'.repeat(40), AFTER])
    learn(world, issueComment({ id: 1, body: '', author: person('octocat') }).payload)
    learn(world, pullRequest({ number: 7 }).payload)
    expect([...world.pulls.keys()]).toEqual([5, 7])
  })

  it('fails as told, as often as told', async () => {
    const { github, octokit, rest, repo } = await newGitHub()
    github.faults.push(
      { match: /^GET \/releases/, end: '502', times: 1 },
      { match: /graphql/, end: 'data-null' },
    )
    await expect(rest.repos.listReleases(repo)).rejects.toMatchObject({ status: 502 })
    expect(await rest.repos.listReleases(repo)).toMatchObject({ status: 200, data: [] })
    await expect(octokit.graphql('{ viewer { login } }')).rejects.toThrow('Something went wrong')
    expect(github.journal.map(({ status }) => status)).toEqual([502, 200, 200])
  })
})
