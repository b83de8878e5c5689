import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { readOptions, runScript } from './options.ts'
import { type Tool, toolPath, toolsFolder } from './tools.ts'

const USAGE = `Checks action.yml, the examples, the workflows in the docs and .github/ with actionlint, zizmor and shellcheck.

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

/** Writes the whole workflows of README and docs into a folder of their own, and returns their paths. */
function workflowsOfDocs(): string[] {
  const folder = join(ROOT, 'node_modules/.cache/docs/.github/workflows')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return globSync(['README.md', 'docs/*.md'], { cwd: ROOT }).flatMap((page) => {
    const blocks = [
      ...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```yaml\n([\s\S]+?)^```/gm),
    ]
    const workflows = blocks
      .map(([, text = '']) => text)
      .filter((text) => /^on:[\s\S]+^jobs:/m.test(text))
    return workflows.map((text, index) => {
      const path = join(folder, `${basename(page, '.md')}-${index}.yml`)
      writeFileSync(path, text)
      return path
    })
  })
}

const { online } = readOptions(USAGE, {
  options: { online: { type: 'boolean', default: false } },
}).values
await runScript(async () => {
  const files = globSync(['.github/workflows/*.yml', 'examples/*.yml'], { cwd: ROOT }).sort()
  const workflows = [...files, ...workflowsOfDocs()]
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
