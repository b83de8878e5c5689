import { execSync } from 'node:child_process'
import { join } from 'node:path'

/** Builds `dist/` from the source as it is, so that no test passes on an older one. */
export function setup(): void {
  const cwd = join(import.meta.dirname, '../..')
  execSync('npm run build', { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
}
