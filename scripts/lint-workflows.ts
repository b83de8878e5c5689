import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { metadataProblems } from './metadata-problems.ts'
import { ACTIONLINT, findGoTool, pythonTools, ToolError } from './tools.ts'

const ROOT = join(import.meta.dirname, '..')

/** Checks `action.yml`, the examples and the project's own workflows. Returns whether all is well. */
function lint(): boolean {
  const problems = metadataProblems()
  for (const problem of problems) console.error(`action.yml: ${problem}`)

  const workflows = globSync(['.github/workflows/*.yml', 'examples/*.yml'], { cwd: ROOT }).sort()
  const programs = pythonTools()
  const actionlint = findGoTool(ACTIONLINT, (version) => version === ACTIONLINT.version)
  // actionlint reads `run:` with the shellcheck that it finds.
  const path = `${programs}${delimiter}${process.env['PATH'] ?? ''}`
  const checks = [
    passes(actionlint, workflows, path),
    passes(
      join(programs, 'zizmor'),
      [
        '--offline',
        '--quiet',
        '--config',
        '.github/zizmor.yml',
        'action.yml',
        '.github/dependabot.yml',
        ...workflows,
      ],
      path,
    ),
  ]
  return problems.length === 0 && checks.every(Boolean)
}

function passes(command: string, args: readonly string[], path: string): boolean {
  const { status, error } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
  })
  if (error !== undefined) throw error
  return status === 0
}

try {
  if (!lint()) process.exitCode = 1
} catch (error) {
  if (!(error instanceof ToolError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
