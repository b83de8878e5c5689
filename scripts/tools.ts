import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Pins each tool by version and hash. */
const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt')
const CACHE = join(import.meta.dirname, '../node_modules/.cache/tools')
const WINDOWS = process.platform === 'win32'

export type Tool = 'act' | 'actionlint' | 'gh' | 'shellcheck' | 'zizmor'

/**
 * The folder of the pinned tools. The first call installs them into a virtual environment under `node_modules/.cache`.
 *
 * @throws {Error} if Python is missing or the packages can't be installed, with what to do
 */
export function toolsFolder(): string {
  const pins = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12)
  const environment = join(CACHE, pins)
  const programs = join(environment, WINDOWS ? 'Scripts' : 'bin')
  const installed = join(environment, 'installed')
  if (existsSync(installed)) return programs

  rmSync(environment, { recursive: true, force: true })
  const advice =
    'The tools need Python 3 with venv. On Debian and Ubuntu: apt-get install python3-venv.'
  run(advice, WINDOWS ? 'python' : 'python3', '-m', 'venv', environment)
  run(
    'The packages of scripts/requirements.txt could not be installed.',
    join(programs, WINDOWS ? 'python.exe' : 'python'),
    ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'],
    // Wheels alone: no code of a package runs while it is being installed.
    ...['--only-binary', ':all:', '--require-hashes', '--requirement', REQUIREMENTS],
  )
  writeFileSync(installed, '')
  return programs
}

/** The path of a tool in the folder of {@link toolsFolder}. */
export function toolPath(folder: string, tool: Tool): string {
  return join(folder, WINDOWS ? `${tool}.exe` : tool)
}

function run(advice: string, command: string, ...args: readonly string[]): void {
  try {
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })
  } catch (cause) {
    const said =
      cause instanceof Error && 'stderr' in cause ? String(cause.stderr ?? '').trim() : ''
    throw new Error(`${advice}\n${said}`.trim(), { cause })
  }
}
