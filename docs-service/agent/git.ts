import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs git in a folder and gives what it printed; `atMs` dates the commits it makes. */
export type Git = (options: { folder: string; atMs?: number }, ...args: string[]) => Promise<string>

/** Why git could not do what the agent needed. */
export class GitError extends Error {
  override readonly name = 'GitError'
}

/**
 * Git without anybody's configuration: same author, same dates, no hooks, wherever it runs.
 * What it gives throws {@link GitError}: git missing, or git's own words.
 */
export function gitOf(program: string): Git {
  const run = promisify(execFile)
  return async ({ folder, atMs = 0 }, ...args) => {
    const options = { cwd: folder, env: environment(atMs), maxBuffer: 64 * 1024 * 1024 }
    try {
      const { stdout } = await run(program, [...SETTINGS, ...args], options)
      return stdout
    } catch (cause) {
      throw new GitError(problemOf(cause, program, args), { cause })
    }
  }
}

/** `gc.auto=0`: a clean-up in the background would still write while the folder is being deleted. */
const SETTINGS = [
  '-c',
  'gc.auto=0',
  '-c',
  'maintenance.auto=false',
  '-c',
  'core.quotePath=false',
  '-c',
  'core.autocrlf=false',
]

/** Made from nothing: a `GIT_DIR` of the caller, say of a git hook, would lead every command to another repository. */
function environment(atMs: number): Record<string, string> {
  const date = `@${Math.max(0, Math.floor(atMs / 1000))} +0000`
  const person = { name: 'Docs Agent', email: 'docs-agent@example.com' }
  return {
    PATH: process.env['PATH'] ?? '',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
    GIT_AUTHOR_NAME: person.name,
    GIT_AUTHOR_EMAIL: person.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: person.name,
    GIT_COMMITTER_EMAIL: person.email,
    GIT_COMMITTER_DATE: date,
  }
}

function problemOf(cause: unknown, program: string, args: readonly string[]): string {
  if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') {
    return `The docs service needs git for its sample repository, and '${program}' was not found. Install git, or start the service with the agent 'none' (--agent none).`
  }
  const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause)
  return `git ${args[0]} failed: ${said}`
}
