import { execFileSync } from 'node:child_process'
import { basename } from 'node:path'

/**
 * Tells whether the `npm run` that started this program has ended. Between the two is a shell, which hands no signal
 * on, and a killed npm can't: without a watch, the program would outlive them. Whoever loses its parent gets another,
 * which is what shows it. Call it first thing, while all of them are there.
 */
export function npmWatch(): () => boolean {
  const byNpm = process.env['npm_lifecycle_script']?.includes(basename(process.argv[1] ?? '')) ?? false
  if (!byNpm || process.platform === 'win32') return () => false
  const shell = process.ppid
  const npm = parentOf(shell)
  return () => process.ppid !== shell || (npm !== undefined && parentOf(shell) !== npm)
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }))
  } catch {
    // No `ps` here, or the process has just ended.
    return undefined
  }
}
