import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { styleText } from 'node:util'
import { bareEvent, commentIn, docsReview, type Event, pushTo } from '../test/support/events.ts'
import { type ActionRun, startAction } from '../test/support/run-action.ts'
import { startServices } from '../test/support/services.ts'
import {
  AGENT,
  addCommit,
  addReview,
  type Comment,
  MAY_WRITE,
  person,
} from '../test/support/world.ts'
import { readOptions, runScript } from './options.ts'

const USAGE = `Shows the action at work on this machine: a push, a /docs comment, a review, and the visitors report.

  npm run demo              runs it and ends; links are shortened to …/path, since they end with it
  npm run demo -- --open    stays up until Ctrl-C, so that the links can be followed`

const PROMPT = `Bring the docs up to date with the changes below.
If the docs are right as they are, change nothing.`
const COMMAND = '/docs Explain exit code 6: an upgrade without a fresh snapshot.'
/** On a line that the push's job adds. */
const REVIEW = {
  path: 'guides/snapshots.mdx',
  line: 30,
  body: 'Add the command that takes a snapshot.',
}
const SUBJECT = 'Upgrades need a fresh snapshot'
const REPORT = { 'visitors-summary': 'true', 'content-gaps': 'report' }
const MONA = person('mona')

const PATCH = `@@ -12,5 +12,10 @@ export async function upgrade(project: Project, { force }: UpgradeOptions) {
   const current = await readVersion(project)
   if (current === LATEST) return report('Nothing to upgrade.')
 
+  const snapshot = await latestSnapshot(project)
+  if (!force && (snapshot === undefined || isOlderThan(snapshot, '1h'))) {
+    throw new UsageError('No snapshot of the last hour. Run "brindle snapshot" first, or pass --force.')
+  }
+
   await migrate(project, current, LATEST)
 }`

const NEXT = `1. Follow the quick start in README.md. It takes about ten minutes. If your docs are in another, private repository,
   follow docs/private-docs.md instead.
2. To see the prompt for your own repository, start the workflow of the quick start by hand. By default, that is a dry
   run, which sends nothing to Mintlify.
3. docs/recipes.md shows what you can change in the workflow.`

const { values } = readOptions(USAGE, { options: { open: { type: 'boolean' } } })
let runId = 1001
const { docs, github, world, access, close } = await startServices({
  agent: 'git',
  repository: '',
  jobTimeMs: 900,
})
world.roles.set('mona', MAY_WRITE)
await runScript(async () => {
  show(`This demo shows the log, the job summary, and the comments of four runs. The action is the real one, as a runner
starts it. GitHub and Mintlify are stand-ins on this machine, and the agent edits and commits a sample site. Its jobs
take a second; real ones take about a minute.`)
  await showPush()
  await showCommand()
  await showReview()
  await showReport()
  heading('What to do next')
  show(NEXT)
  if (!values.open) return
  show(`\nPull requests: ${docs.url}/\nCtrl-C ends the demo.`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
})
await close()

async function showPush(): Promise<void> {
  heading('1. A push leads to a docs pull request (README, Quick start)')
  show(`Mona pushes "${SUBJECT}" to main. The workflow's step:\n`)
  const file = {
    filename: 'src/upgrade.ts',
    status: 'modified',
    additions: 5,
    deletions: 0,
    patch: PATCH,
  }
  addCommit(world, { author: MONA, message: 'Add upgrades' })
  const event = pushTo(world, { author: MONA, message: SUBJECT, files: [file] })
  const run = await runStep(event, { prompt: PROMPT })
  show(`\nThe first lines of the prompt:\n\n${box(firstLines(docs.jobs[0]?.prompt ?? ''))}`)
  show(`\nThe job's summary:\n\n${box(picture(run.summary))}`)
  const link = run.outputs['pr-link']
  show(
    `\nThe pull request, ${link}:\n\n${box(git(run, '--format=%s%n%n%b', '--patch', '--no-color'))}`,
  )
  check(run, 'pull-request')
}

async function showCommand(): Promise<void> {
  heading('2. A /docs comment gets a reply (README, Review and merge)')
  show('Mona comments on that pull request. The step of a workflow on issue_comment:\n')
  const run = await runStep(commentIn(world, { number: 1, author: MONA, body: COMMAND }), {})
  const reactions = github.requests.some((line) => line.endsWith('/reactions eyes')) ? '\n👀' : ''
  const thread = world.comments.filter(({ author }) => author !== AGENT)
  const words = thread.map((one) => `${said(one)}${one.author === MONA ? reactions : ''}`)
  show(`\nThe pull request's conversation:\n\n${box(words.join('\n\n'))}`)
  show(`\nIts commits:\n\n${box(git(run, '--reverse', '--format=%h %s'))}`)
  check(run, 'pull-request')
}

function said({ author, history }: Comment): string {
  return `${bold(author.login)}\n${picture(history.at(-1) ?? '')}`
}

async function showReview(): Promise<void> {
  heading('3. A review gets a reply, too (README, Review and merge)')
  show(
    'Mona comments on a line, and begins the summary of her review with /docs. The step on pull_request_review:\n',
  )
  const review = addReview(world, { number: 1, author: MONA, body: '/docs', comments: [REVIEW] })
  const run = await runStep(docsReview(review), {})
  show(`\nThe message to the agent:\n\n${box(docs.jobs[0]?.messages.at(-1) ?? '')}`)
  const reply = world.comments.findLast(({ author }) => author === world.viewer)
  show(`\nThe reply:\n\n${box(reply ? said(reply) : '')}`)
  check(run, 'pull-request')
}

async function showReport(): Promise<void> {
  heading('4. The visitors report (docs/visitors.md)')
  show('The step of a workflow on a schedule:\n')
  const run = await runStep(bareEvent('schedule'), REPORT)
  show("\nThe job's summary (GitHub draws the chart):\n")
  show(box(picture(run.summary)))
  check(run, '')
}

/** Shows the step, runs the action as the runner would, and shows its log line by line. */
async function runStep(event: Event, inputs: Readonly<Record<string, string>>): Promise<ActionRun> {
  const secret = inputs === REPORT ? 'DOCS_READ_KEY' : 'DOCS_API_KEY'
  const own = [`api-key: \${{ secrets.${secret} }}`, `project-id: \${{ vars.DOCS_PROJECT_ID }}`]
  const given = Object.entries(inputs).map(([name, value]) => {
    return `${name}: ${value.includes('\n') ? `|\n${value.replaceAll(/^/gm, '      ')}` : value}`
  })
  show(`- uses: your-org/docs-agent-action@main\n  with:\n    ${[...own, ...given].join('\n    ')}`)
  show("\nThe step's log:\n")
  const { child, ended } = await startAction({
    inputs: {
      ...access,
      // A demo shouldn't wait 5 seconds for its first poll. The report has no job to poll.
      ...(inputs !== REPORT && { 'poll-interval': '400ms' }),
      ...inputs,
    },
    event,
    // The pull requests of the embedded docs service are in this repository.
    env: {
      GITHUB_API_URL: github.url,
      GITHUB_SERVER_URL: docs.url,
      GITHUB_ACTOR: 'mona',
      GITHUB_RUN_ID: `${runId++}`,
    },
  })
  for (const input of [child.stdout, child.stderr].filter((stream) => stream !== null)) {
    createInterface({ input }).on('line', (line) => {
      const drawn = logLine(line)
      if (drawn !== undefined) show(`  ${drawn}`)
    })
  }
  return ended
}

/** A line of a log as a runner shows it; `undefined` for one that only the runner reads. */
function logLine(line: string): string | undefined {
  const [, command = '', value = ''] = /^::([a-z-]+)(?: [^:]*)?::(.*)$/.exec(line) ?? []
  const text = value.replaceAll('%0A', '\n  ').replaceAll('%25', '%')
  const [first = '', ...rest] = command
  if (/^(?:notice|warning|error)$/.test(command))
    return bold(`${first.toUpperCase()}${rest.join('')}: ${text}`)
  if (command === 'group') return `▼ ${text}`
  return command === '' ? line : undefined
}

/** A summary or comment as text: without the chart, without folded parts, and without tags. */
function picture(markdown: string): string {
  return markdown
    .replaceAll(/^```mermaid\n[\s\S]*?^```$/gm, '[a chart: people, AI, and all, week by week]')
    .replaceAll(/<details>[\s\S]*?<\/details>/g, '')
    .replaceAll(/<!--[\s\S]*?-->|<\/?[a-z][^>]*>|\u200b/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\\([^a-z0-9\s])/gi, '$1')
    .replaceAll(/(?:^\|.*\|$\n?)+/gm, plainTable)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

/** The beginning of a prompt, its lines cut to the width of a terminal. */
function firstLines(prompt: string): string {
  const lines = prompt.split('\n')
  const shown = lines
    .slice(0, 24)
    .map((line) => (line.length > 110 ? `${line.slice(0, 109)}…` : line))
  return [...shown, `… and ${lines.length - shown.length} more lines`].join('\n')
}

/** A table with columns as wide as their cells. */
function plainTable(table: string): string {
  const lines = table.trim().split('\n')
  const rows = lines
    .filter((line) => !/^[|: -]+$/.test(line))
    .map((line) => line.slice(1, -1).split('|'))
    .map((row) => row.map((cell) => cell.trim()))
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const padded = rows.map((row) => row.map((cell, column) => cell.padEnd(widthOf(column))))
  return `${padded.map((row) => row.join('  ')).join('\n')}\n`
}

/** The commits of a run's branch, as `git log` prints them. */
function git({ outputs }: ActionRun, ...options: readonly string[]): string {
  const { source } = JSON.parse(outputs['job'] ?? '')
  const args = ['-C', docs.repository, 'log', ...options, `main..${source.ref}`]
  return execFileSync('git', args, { encoding: 'utf8' })
}

/** @throws {Error} if the run failed or ended with another result */
function check(
  { exitCode, outputs: { result: ended = '' }, log }: ActionRun,
  result: string,
): void {
  if (exitCode === 0 && ended === result) return
  throw new Error(
    `\nThe demo failed: a run ended as "${ended}" with exit code ${exitCode}:\n${log}`,
  )
}

function heading(text: string): void {
  show(`\n${bold(`── ${text} ${'─'.repeat(Math.max(3, 100 - text.length))}`)}\n`)
}

function box(text: string): string {
  return text.trim().replaceAll(/^(.*?) *$/gm, (_, line) => `  │ ${line}`.trimEnd())
}

function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout })
}

function show(text: string): void {
  console.log(
    values.open
      ? text
      : text.replaceAll(docs.url, '…').replaceAll(new URL(docs.url).host, 'Mintlify'),
  )
}
