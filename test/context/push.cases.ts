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
