import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The archive that a runner would download if the work tree were committed as it is: what `.gitattributes` leaves in
 * it, as an uncompressed tar. The index of the checkout is not touched.
 */
export function archiveOfWorkTree(): Buffer {
  const scratch = mkdtempSync(join(tmpdir(), 'action-archive-'))
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', args, {
      cwd: join(import.meta.dirname, '..'),
      env: { ...process.env, GIT_INDEX_FILE: join(scratch, 'index') },
      maxBuffer: 256 * 1024 ** 2,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  try {
    git('read-tree', 'HEAD')
    git('add', '--all', '.')
    return git('archive', '--format=tar', git('write-tree').toString().trim())
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Unpacks {@link archiveOfWorkTree} into a folder: the action as a runner would have it. */
export function unpackArchive(folder: string): void {
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-x', '-f', '-'], { cwd: folder, input: archiveOfWorkTree() })
}
