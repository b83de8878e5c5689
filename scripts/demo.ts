import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import type { Fault } from '../docs-service/faults/fault.ts'
import { readFault } from '../docs-service/faults/read-fault.ts'
import { npmWatch } from '../docs-service/npm-watch.ts'
import { type DocsService, startDocsService } from '../docs-service/service.ts'
import { type ActionRun, startAction } from '../test/bundle/run-action.ts'
import { PUSH_EVENT, startDemoGitHub } from './demo-github.ts'
import { coloured, RunnerLog } from './runner-log.ts'

const PROMPT = `Explain in the quickstart why an upgrade needs a fresh snapshot.
Brindle refuses an upgrade when the last snapshot is older than an hour.
Pass --force to upgrade all the same.`

const WATCH_MS = 1000

/** How the demo goes on after the run, and so whether its links can be followed. */
type Ending = 'key' | 'signal' | 'at once'

/**
 * Runs the main job on the embedded docs service, just as a runner would, and shows all that a user would see. Fails
 * if the run did not end with a pull request that exists.
 */
async function demo(): Promise<void> {
  const npmIsGone = npmWatch()
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
    await stayUp(docs, ending, npmIsGone)
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

async function runOnPush(docs: DocsService, show: (line: string) => void): Promise<ActionRun> {
  const github = await startDemoGitHub()
  try {
    const inputs = {
      'api-key': docs.key,
      'project-id': 'docs',
      'base-url': docs.url,
      prompt: PROMPT,
      'github-token': 'demo-token',
      // Its GitHub knows no comments and no pull requests.
      comment: 'never',
      'follow-up': 'false',
      'poll-interval': '1s',
    }
    const event = { name: 'push', payload: PUSH_EVENT }
    const env = {
      GITHUB_API_URL: github.apiUrl,
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_REPOSITORY: PUSH_EVENT.repository.full_name,
      GITHUB_REF: PUSH_EVENT.ref,
      GITHUB_REF_NAME: 'main',
      GITHUB_SHA: PUSH_EVENT.after,
    }
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

async function stayUp(docs: DocsService, ending: Ending, npmIsGone: () => boolean): Promise<void> {
  if (ending === 'at once') return
  print(`\nJobs and pull requests, to read and to merge: ${docs.url}/`)
  const told = new AbortController()
  const watch = setInterval(() => {
    if (npmIsGone()) told.abort()
  }, WATCH_MS)
  const ends = [
    once(process, 'SIGINT', told),
    once(process, 'SIGTERM', told),
    ...(ending === 'key' ? [once(process.stdin.setRawMode(true).resume(), 'data', told)] : []),
  ]
  print(
    ending === 'key' ? 'Press any key to end.' : 'The docs service is up until it is interrupted (Ctrl-C).',
  )
  await Promise.race(ends).catch(() => undefined)
  clearInterval(watch)
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
