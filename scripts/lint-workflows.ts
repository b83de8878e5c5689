import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { metadataProblems } from './metadata-problems.ts'
import { type Tool, ToolError, toolPath, toolsFolder } from './tools.ts'

const ROOT = join(import.meta.dirname, '..')

/** Checks `action.yml`, the examples and `.github/`. Returns whether there are no problems. */
function lint(): boolean {
  const problems = metadataProblems()
  for (const problem of problems) console.error(`action.yml: ${problem}`)

  const tools = toolsFolder()
  const workflows = globSync(['.github/workflows/*.yml', 'examples/*.yml'], { cwd: ROOT }).sort()
  const zizmorOptions = ['--offline', '--quiet', '--config', '.github/zizmor.yml']
  const passed = [
    passes(tools, 'actionlint', workflows),
    passes(tools, 'zizmor', [...zizmorOptions, 'action.yml', '.github/dependabot.yml', ...workflows]),
    passes(tools, 'shellcheck', ['.ci/run']),
  ]
  return problems.length === 0 && passed.every(Boolean)
}

function passes(folder: string, tool: Tool, args: readonly string[]): boolean {
  const { status, error } = spawnSync(toolPath(folder, tool), args, {
    cwd: ROOT,
    stdio: 'inherit',
    // actionlint checks `run:` with the shellcheck that it finds there.
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` },
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
