import type { Changes } from '../../src/changes/changes.ts'
import type { ChangedFile } from '../../src/changes/ranks.ts'

/** A changed file with this diff. */
export function file(
  path: string,
  patch = '@@ -1 +1 @@\n+x',
  change: Partial<ChangedFile> = {},
): ChangedFile {
  return { status: 'modified', path, oldPath: path, added: 1, removed: 0, patch, ...change }
}

/** Changes that GitHub lists whole; none by default. */
export function changesOf(some: Partial<Changes>): Changes {
  const { commits = [], files = [] } = some
  const known = { commitCount: commits.length, fileCount: files.length }
  const whole = { isArbitrary: false, isWhole: true, isRewritten: false }
  return { since: '', url: '', commits, files, ...known, ...whole, ...some }
}
