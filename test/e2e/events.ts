import type { Commits } from './run-example.ts'

/** A push of one commit to main. */
export function push({ before, after }: Commits, author = 'octocat'): object {
  const commit = {
    id: after,
    message: 'Add pets',
    author: { name: author, username: author },
    committer: { name: author, username: author },
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
    pusher: { name: author },
    sender: { login: author, type: 'User' },
  }
}

const OCTOCAT = { login: 'octocat', id: 583231, type: 'User' }

/** A comment on pull request 7. */
export function comment(body: string): object {
  return {
    action: 'created',
    issue: {
      number: 7,
      title: 'Add pets',
      html_url: 'https://github.com/acme/docs/pull/7',
      user: OCTOCAT,
      pull_request: { html_url: 'https://github.com/acme/docs/pull/7' },
    },
    comment: {
      id: 4711,
      body,
      user: OCTOCAT,
      html_url: 'https://github.com/acme/docs/pull/7#issuecomment-4711',
    },
    sender: OCTOCAT,
  }
}

/** A comment on a line of pull request 7. */
export function reviewComment(body: string): object {
  return {
    action: 'created',
    number: 7,
    pull_request: {
      number: 7,
      title: 'Add pets',
      html_url: 'https://github.com/acme/docs/pull/7',
      user: OCTOCAT,
      base: { ref: 'main', sha: 'a'.repeat(40), repo: { full_name: 'acme/docs' } },
      head: { ref: 'pets', sha: 'b'.repeat(40), repo: { full_name: 'acme/docs' } },
    },
    comment: {
      id: 4712,
      body,
      user: OCTOCAT,
      path: 'src/pets.ts',
      html_url: 'https://github.com/acme/docs/pull/7#discussion_r4712',
    },
    sender: OCTOCAT,
  }
}
