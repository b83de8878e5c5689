import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { readOptions, runScript } from './options.ts'
import { readRecipes } from './recipes.ts'
import { type Tool, toolPath, toolsFolder } from './tools.ts'

const USAGE = `Checks action.yml, the examples, the recipes, and the workflows in .github/ with actionlint, zizmor and shellcheck.

  npm run lint:workflows
  npm run lint:workflows -- --online     with zizmor's audits that ask GitHub; needs GH_TOKEN`
const ROOT = join(import.meta.dirname, '..')

function passes(tool: Tool, ...args: readonly string[]): boolean {
  const folder = toolsFolder()
  const { status, error } = spawnSync(toolPath(folder, tool), args, {
    cwd: ROOT,
    stdio: 'inherit',
    // actionlint checks `run:` with the shellcheck that it finds there.
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` },
  })
  if (error !== undefined) throw error
  return status === 0
}

/** Writes the workflows of the recipes into a folder of their own, and returns their paths. */
function recipeFiles(): string[] {
  const folder = join(ROOT, 'node_modules/.cache/recipes/.github/workflows')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return [...readRecipes()].map(([heading, workflow]) => {
    const path = join(folder, `${heading.toLowerCase().replaceAll(' ', '-')}.yml`)
    writeFileSync(path, workflow)
    return path
  })
}

const { online } = readOptions(USAGE, {
  options: { online: { type: 'boolean', default: false } },
}).values
await runScript(async () => {
  const files = globSync(['.github/workflows/*.yml', 'examples/*.yml'], { cwd: ROOT }).sort()
  const workflows = [...files, ...recipeFiles()]
  // action.yml, too: ci.yml uses this action.
  const audited = ['action.yml', '.github/dependabot.yml', ...workflows]
  const offline = online ? [] : ['--offline']
  const passed = [
    passes('actionlint', ...workflows),
    passes('zizmor', ...offline, '--quiet', '--config', '.github/zizmor.yml', ...audited),
    passes('shellcheck', '.ci/run', ...globSync('bench/*.sh', { cwd: ROOT })),
  ]
  if (passed.includes(false)) process.exitCode = 1
})
