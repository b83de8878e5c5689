import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DocsService, startDocsService } from '../docs-service/service.ts'
import { readActionMetadata } from './action-metadata.ts'
import { readCommandFile } from './command-file.ts'
import { renderPage } from './summary-page.ts'

const PROMPT = 'Explain in the quickstart how to take a snapshot before an upgrade, and why.'
const ROOT = join(import.meta.dirname, '..')

/** Runs the main job on the embedded docs service, just as a runner would, and shows what a user would see. */
async function demo(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'docs-agent-demo-'))
  const docs = await startDocsService({ jobTimeMs: 3000 })
  try {
    console.log(
      `The embedded docs service runs at ${docs.url}. The action starts with this prompt:\n\n  ${PROMPT}\n`,
    )
    const exitCode = await runBundle(docs, folder)
    const outputs = readCommandFile(readFileSync(join(folder, 'output'), 'utf8'))
    console.log(`\nThe step ended with exit code ${exitCode}. Its outputs:\n`)
    showTable(outputs)
    console.log(`\nThe job summary as a page: ${writePage(folder)}`)
    process.exitCode = exitCode === 0 && pullRequestExists(docs, outputs) ? 0 : 1
  } finally {
    await docs.close()
  }
}

function runBundle(docs: DocsService, folder: string): Promise<number | null> {
  for (const name of ['output', 'state', 'summary']) writeFileSync(join(folder, name), '')
  const given = {
    'api-key': docs.key,
    'project-id': 'docs',
    'base-url': docs.url,
    prompt: PROMPT,
    context: 'false',
  }
  const inputs = Object.entries(readActionMetadata().inputs).map(([name, input]) => [
    `INPUT_${name.toUpperCase()}`,
    new Map(Object.entries(given)).get(name) ?? (input.default ?? '').replace(/^\$\{\{.*\}\}$/, ''),
  ])
  const child = spawn(process.execPath, [join(ROOT, 'dist/index.js')], {
    cwd: folder,
    stdio: 'inherit',
    env: {
      ...Object.fromEntries(inputs),
      GITHUB_OUTPUT: join(folder, 'output'),
      GITHUB_STATE: join(folder, 'state'),
      GITHUB_STEP_SUMMARY: join(folder, 'summary'),
      GITHUB_WORKSPACE: folder,
      GITHUB_EVENT_NAME: 'workflow_dispatch',
      GITHUB_REPOSITORY: 'acme/docs',
    },
  })
  return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
}

function showTable(outputs: Readonly<Record<string, string>>): void {
  const width = Math.max(...Object.keys(outputs).map((name) => name.length))
  for (const [name, value] of Object.entries(outputs)) console.log(`  ${name.padEnd(width)}  ${value}`)
}

function writePage(folder: string): string {
  const path = join(folder, 'summary.html')
  writeFileSync(path, renderPage(readFileSync(join(folder, 'summary'), 'utf8')))
  return path
}

function pullRequestExists(docs: DocsService, outputs: Readonly<Record<string, string>>): boolean {
  const { result, ref = '' } = outputs
  if (result !== 'pull-request' || docs.repository === null) return false
  const log = execFileSync(
    'git',
    ['-C', docs.repository, 'log', '--oneline', '--stat', `main..${ref}`, '--'],
    { encoding: 'utf8' },
  )
  console.log(`\nThe branch in the sample repository:\n\n${log.replace(/^/gm, '  ')}`)
  return log !== ''
}

await demo()
