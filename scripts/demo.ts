import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import type { Fault } from '../docs-service/faults/fault.ts'
import { readFault } from '../docs-service/faults/read-fault.ts'
import { type DocsService, startDocsService } from '../docs-service/service.ts'
import { type Event, pushTo } from '../test/support/events.ts'
import { startGitHub } from '../test/support/github.ts'
import { type ActionRun, startAction } from '../test/support/run-action.ts'
import { emptyWorld, person, type World } from '../test/support/world.ts'
import { coloured, RunnerLog } from './runner-log.ts'

const PROMPT = `Explain in the quickstart why an upgrade needs a fresh snapshot.
Brindle refuses an upgrade when the last snapshot is older than an hour.
Pass --force to upgrade all the same.`

const UPGRADE_PATCH = `@@ -12,6 +12,13 @@ export async function upgrade(project: Project, { force }: UpgradeOptions) {
   const current = await readVersion(project)
   if (current === LATEST) return report('Nothing to upgrade.')
 
+  const snapshot = await latestSnapshot(project)
+  if (!force && (snapshot === undefined || isOlderThan(snapshot, '1h'))) {
+    throw new UsageError(
+      'No snapshot of the last hour. Run "brindle snapshot" first, or pass --force.',
+    )
+  }
+
   await migrate(project, current, LATEST)
 }`
const OPTIONS_PATCH = `@@ -3,4 +3,6 @@ export type UpgradeOptions = {
   /** Print what would be done, and do nothing. */
   dryRun: boolean
+  /** Upgrade without a snapshot of the last hour. */
+  force: boolean
 }`

/** How the demo goes on after the run, and so whether its links can be followed. */
type Ending = 'key' | 'signal' | 'at once'

/**
 * Runs the main job on the embedded docs service, just as a runner would, and shows all that a user would see. Fails
 * if the run did not end with a pull request that exists.
 */
async function demo(): Promise<void> {
  const { values } = parseArgs({
    options: { open: { type: 'boolean', default: false }, fault: { type: 'string', multiple: true } },
  })
  const ending = endingOf(values.open)
  const docs = await startDocsService({ jobTimeMs: 3000, faults: (values.fault ?? []).map(faultNamed) })
  try {
    introduce(ending)
    const show = (text: string) => print(ending === 'at once' ? text.replaceAll(docs.url, '…') : text)
    const run = await runOnPush(docs, show)
    heading('Outputs')
    show(table(run.outputs))
    heading('Job summary (Markdown, as GitHub gets it)')
    show(run.summary.trim())
    const exists = await showPullRequest(docs, run)
    print('')
    if (exists) print(`${coloured({ text: 'The pull request exists.', colour: 'bold' })}`)
    else print(`The run ended with ${run.outputs['result'] || 'no result'} and exit code ${run.exitCode}.`)
    process.exitCode = exists && run.exitCode === 0 ? 0 : 1
    await stayUp(docs, ending)
  } finally {
    await docs.close()
  }
}

/** `--fault`, as `npm run service` takes it: shows a run that meets it. */
function faultNamed(name: string): Fault {
  const reading = readFault(name)
  if (reading.ok) return reading.fault
  throw new RangeError(reading.problems.join('\n'))
}

function endingOf(open: boolean): Ending {
  const terminal = process.stdin.isTTY && process.stdout.isTTY
  if (terminal) return 'key'
  return open ? 'signal' : 'at once'
}

function introduce(ending: Ending): void {
  print(`${coloured({ text: 'Docs Agent action: the main job, on this machine alone', colour: 'bold' })}

Somebody has pushed to acme/brindle. This step of a workflow hands the documentation work to the agent of an embedded
docs service, which edits and commits a real page in a repository of its own:

  - uses: your-org/docs-agent-action@v1
    with:
      api-key: \${{ secrets.DOCS_AGENT_KEY }}
      project-id: docs
      prompt: |
        ${PROMPT.replaceAll('\n', '\n        ')}`)
  if (ending === 'at once') {
    print('\nIts links are shortened to …/path: what they point to ends with the demo. To follow them, run')
    print('npm run demo -- --open')
  }
  heading("The step's log")
}

/** A push by somebody who changed two files. */
function pushTwoFiles(world: World): Event {
  const files = [
    { filename: 'src/commands/upgrade.ts', patch: UPGRADE_PATCH, additions: 7, deletions: 0, changes: 7 },
    { filename: 'src/options.ts', patch: OPTIONS_PATCH, additions: 2, deletions: 0, changes: 2 },
  ]
  return pushTo(world, {
    message: 'Refuse an upgrade without a fresh snapshot',
    author: person('mona'),
    files,
  })
}

async function runOnPush(docs: DocsService, show: (line: string) => void): Promise<ActionRun> {
  const world = emptyWorld('acme/brindle')
  const event = pushTwoFiles(world)
  const github = await startGitHub({ world })
  try {
    const inputs = {
      'api-key': docs.key,
      'project-id': 'docs',
      'base-url': docs.url,
      prompt: PROMPT,
      'github-token': github.token,
      'poll-interval': '1s',
    }
    const env = { GITHUB_API_URL: github.url, GITHUB_REPOSITORY: world.repository, GITHUB_REF_NAME: 'main' }
    const { child, ended } = await startAction({ inputs, event, env })
    const log = new RunnerLog()
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        const drawn = log.draw(line)
        if (drawn !== undefined) show(coloured(drawn))
      })
    }
    return await ended
  } finally {
    await github.close()
  }
}

/** Prints the branch's commits whole; whether there are any, and the pull request's page answers. */
async function showPullRequest({ repository }: DocsService, { outputs }: ActionRun): Promise<boolean> {
  const { result, ref = '', 'pr-link': link = '' } = outputs
  if (result !== 'pull-request' || repository === null || !URL.canParse(link)) return false
  heading('The pull request: its commit and diff')
  const log = execFileSync(
    'git',
    [
      '-C',
      repository,
      'log',
      '--reverse',
      '--stat',
      '--patch',
      process.stdout.isTTY ? '--color=always' : '--no-color',
      `main..${ref}`,
      '--',
    ],
    { encoding: 'utf8' },
  )
  print(log.trim())
  const page = await fetch(link)
  return log !== '' && page.status === 200
}

async function stayUp(docs: DocsService, ending: Ending): Promise<void> {
  if (ending === 'at once') return
  print(`\nJobs and pull requests, to read and to merge: ${docs.url}/`)
  const ends = [once(process, 'SIGINT'), once(process, 'SIGTERM'), once(process, 'SIGHUP')]
  if (ending === 'key') ends.push(once(process.stdin.setRawMode(true).resume(), 'data'))
  print(
    ending === 'key' ? 'Press any key to end.' : 'The docs service is up until it is interrupted (Ctrl-C).',
  )
  await Promise.race(ends)
  if (ending === 'key') process.stdin.setRawMode(false).pause()
}

function heading(text: string): void {
  print(
    `\n${coloured({ text: `── ${text} ${'─'.repeat(Math.max(3, 76 - text.length))}`, colour: 'bold' })}\n`,
  )
}

function table(outputs: Readonly<Record<string, string>>): string {
  const rows = Object.entries(outputs).filter(([, value]) => value !== '')
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

await demo()
