import type { Commits } from './run-workflow.ts'

const OCTOCAT = { login: 'octocat', id: 583231, type: 'User' }
const PULL_URL = 'https://github.com/acme/docs/pull/7'
const ISSUE_URL = 'https://github.com/acme/docs/issues/8'

/** A push of one commit to main. */
export function push({ before, after }: Commits): object {
  const commit = {
    id: after,
    message: 'Add pets',
    author: { name: 'octocat', username: 'octocat' },
    committer: { name: 'octocat', username: 'octocat' },
    added: [],
    removed: [],
    modified: ['src/pets.ts'],
  }
  return {
    ref: 'refs/heads/main',
    before,
    after,
    created: false,
    deleted: false,
    forced: false,
    compare: `https://github.com/acme/docs/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: [commit],
    head_commit: commit,
    pusher: { name: 'octocat' },
    sender: OCTOCAT,
  }
}

/** A comment on pull request 7. */
export function comment(body: string): object {
  const issue = {
    number: 7,
    title: 'Add pets',
    html_url: PULL_URL,
    user: OCTOCAT,
    pull_request: { html_url: PULL_URL },
  }
  return { action: 'created', issue, comment: written(4711, body), sender: OCTOCAT }
}

/** A comment on a line of pull request 7. */
export function reviewComment(body: string): object {
  return {
    action: 'created',
    number: 7,
    pull_request: pull(),
    comment: { ...written(4712, body), path: 'src/pets.ts' },
    sender: OCTOCAT,
  }
}

/** A review of pull request 7; `null` if it has no text. */
export function review(body: string | null): object {
  return {
    action: 'submitted',
    pull_request: pull(),
    review: { ...written(4713, body), state: 'commented', submitted_at: '2026-08-03T09:00:00Z' },
    sender: OCTOCAT,
  }
}

/** Issue 8, just opened. */
export function openedIssue(body: string): object {
  return { action: 'opened', issue: { ...issueEight(), body }, sender: OCTOCAT }
}

/** A label put on issue 8. */
export function labeledIssue(label: string): object {
  return { action: 'labeled', issue: issueEight(), label: { name: label }, sender: OCTOCAT }
}

/** A label put on pull request 7, which comes from a fork. */
export function labeledPull(label: string): object {
  return { action: 'labeled', number: 7, pull_request: pull(), label: { name: label }, sender: OCTOCAT }
}

/** Pull request 7, closed: merged or not. */
export function closedPull({
  merged = true,
  labels = [] as readonly string[],
  author = 'contributor',
}): object {
  return {
    action: 'closed',
    number: 7,
    pull_request: {
      ...pull(),
      merged,
      state: 'closed',
      merge_commit_sha: 'e'.repeat(40),
      labels: labels.map((name) => ({ name })),
      user: { login: author, id: 99, type: author.endsWith('[bot]') ? 'Bot' : 'User' },
    },
    sender: OCTOCAT,
  }
}

/** A release. */
export function release({ prerelease = false }): object {
  return {
    action: 'published',
    release: {
      id: 31,
      tag_name: 'v1.4.0',
      name: '1.4.0',
      body: 'Pets can be listed.',
      html_url: 'https://github.com/acme/docs/releases/tag/v1.4.0',
      draft: false,
      prerelease,
      published_at: '2026-08-03T09:00:00Z',
      created_at: '2026-08-03T09:00:00Z',
    },
    sender: OCTOCAT,
  }
}

function issueEight(): object {
  return {
    number: 8,
    title: 'Document pets',
    html_url: ISSUE_URL,
    user: OCTOCAT,
    labels: [],
    body: 'Nothing yet.',
  }
}

function pull(): object {
  return {
    number: 7,
    title: 'Add pets',
    body: 'Lists the pets.',
    html_url: PULL_URL,
    state: 'open',
    merged: false,
    user: OCTOCAT,
    labels: [],
    changed_files: 1,
    base: { ref: 'main', sha: 'a'.repeat(40), repo: { full_name: 'acme/docs' } },
    head: { ref: 'pets', sha: 'b'.repeat(40), repo: { full_name: 'contributor/docs' } },
  }
}

function written(id: number, body: string | null): object {
  return { id, node_id: `N_${id}`, body, user: OCTOCAT, html_url: `${PULL_URL}#${id}` }
}
