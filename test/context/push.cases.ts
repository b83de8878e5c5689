/** What GitHub refuses, and why, as the log says it. */
export const REFUSALS = [
  [
    'no token',
    { 'github-token': '' },
    [],
    'the input `github-token` is empty: if it is taken from a secret, is that set and spelled so? Without the input, `github.token` is used.',
  ],
  [
    'a refused token',
    {},
    [{ match: /./, end: '401' as const }],
    'GitHub refused `github-token` (401, "Bad credentials"): it is invalid or has expired; the token of a GitHub App expires after one hour.',
  ],
  [
    'no `contents: read`',
    {},
    [],
    'GitHub returned "Resource not accessible by integration". The job\'s `github-token` needs the permission `contents: read` for this.',
  ],
] as const

/** Bodies that are no comparison, and what is said of them. */
export const NO_COMPARISONS = [
  [
    { commits: [], files: [{ filename: 5, status: 'modified', patch: 5 }] },
    'GitHub returned unexpected data (',
  ],
  // No change of no files.
  [{ commits: 'x', files: [] }, 'GitHub returned no comparison'],
  [{ files: [] }, 'GitHub returned no comparison'],
] as const
