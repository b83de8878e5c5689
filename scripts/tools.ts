import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Pins each tool by version and hash. */
const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt')
const CACHE = join(import.meta.dirname, '../node_modules/.cache/tools')
const WINDOWS = process.platform === 'win32'

export type Tool = 'act' | 'actionlint' | 'gh' | 'shellcheck' | 'zizmor'

/** The tools can't be installed on this machine. The message says what to do. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/**
 * The folder of the pinned tools. The first call installs them into a virtual environment under `node_modules/.cache`.
 *
 * @throws {ToolError} if Python is missing or the packages can't be installed
 */
export function toolsFolder(): string {
  const pins = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12)
  const environment = join(CACHE, pins)
  const programs = join(environment, WINDOWS ? 'Scripts' : 'bin')
  const installed = join(environment, 'installed')
  if (existsSync(installed)) return programs

  rmSync(environment, { recursive: true, force: true })
  createEnvironment(environment)
  run(join(programs, WINDOWS ? 'python.exe' : 'python'), [
    ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'],
    // Wheels alone: no code of a package runs while it is being installed.
    ...['--only-binary', ':all:', '--require-hashes', '--requirement', REQUIREMENTS],
  ])
  writeFileSync(installed, '')
  return programs
}

/** The path of a tool in the folder of {@link toolsFolder}. */
export function toolPath(folder: string, tool: Tool): string {
  return join(folder, WINDOWS ? `${tool}.exe` : tool)
}

function createEnvironment(folder: string): void {
  const python = ['python3', 'python'].find(isPython3)
  if (python === undefined) {
    throw new ToolError('Python 3 is needed for the tools in scripts/requirements.txt and was not found.')
  }
  try {
    run(python, ['-m', 'venv', folder])
  } catch (error) {
    throw new ToolError(
      "Python's venv module is needed and does not work. On Debian and Ubuntu: apt-get install python3-venv.",
      { cause: error },
    )
  }
}

function isPython3(command: string): boolean {
  try {
    return execFileSync(command, ['--version'], { encoding: 'utf8', stdio: 'pipe' }).startsWith('Python 3')
  } catch {
    return false
  }
}

function run(command: string, args: readonly string[]): void {
  try {
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    throw new ToolError(`${command} ${args.join(' ')} failed:\n${output}`, { cause: error })
  }
}
