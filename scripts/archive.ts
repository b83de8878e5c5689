import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/**
 * The archive that a runner would download if the work tree were committed as it is: what `.gitattributes` leaves in
 * it, as an uncompressed tar. Neither the index nor the object store of the checkout is touched.
 */
export function archiveOfWorkTree(): Buffer {
  const scratch = mkdtempSync(join(tmpdir(), 'action-archive-'))
  try {
    mkdirSync(join(scratch, 'objects'))
    const objects = git({}, 'rev-parse', '--path-format=absolute', '--git-path', 'objects').toString().trim()
    const env = {
      GIT_INDEX_FILE: join(scratch, 'index'),
      GIT_OBJECT_DIRECTORY: join(scratch, 'objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: objects,
    }
    git(env, 'read-tree', 'HEAD')
    git(env, 'add', '--all', '.')
    return git(env, 'archive', '--format=tar', git(env, 'write-tree').toString().trim())
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Unpacks {@link archiveOfWorkTree} into a folder: the action as a runner would have it. */
export function unpackArchive(folder: string): void {
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-x', '-f', '-'], { cwd: folder, input: archiveOfWorkTree() })
}

function git(env: Readonly<Record<string, string>>, ...args: readonly string[]): Buffer {
  return execFileSync('git', args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    maxBuffer: 256 * 1024 ** 2,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
