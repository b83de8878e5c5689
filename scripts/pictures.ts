import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatDuration } from '../src/lib/time.ts'
import { commentIn } from '../test/support/events.ts'
import { type ActionOptions, type ActionRun, runAction } from '../test/support/run-action.ts'
import { startServices } from '../test/support/services.ts'
import { MAY_WRITE, person } from '../test/support/world.ts'
import { readOptions, runScript } from './options.ts'
import { drawMarkdown, SCHEMES, startBrowser } from './summary-page.ts'

const USAGE = `Makes the pictures of the documentation from the output of dist/, with fixed data, in light and dark.

  npm run pictures                     writes docs/**.png, and in scripts/pictures the Markdown of each
  npm run pictures -- --check          fails if dist/ now writes other Markdown; works without a browser

Drawing needs Chromium: CHROMIUM, or /usr/bin/chromium (apt-get install chromium fonts-noto-color-emoji).`

const DOCS = join(import.meta.dirname, '../docs')
const SOURCES = join(import.meta.dirname, 'pictures')
const PROMPT = 'Explain in the quickstart why an upgrade needs a fresh snapshot.'
/** The duration of the jobs in the pictures. */
const JOB_DURATION = formatDuration(62_000)
const JOB_CREATED = '2026-03-09T06:00:05.000Z'
/** The report is of the days before today: its run begins on the Monday of the other pictures. */
const ON_MONDAY = `--import data:text/javascript,${encodeURIComponent(
  `Object.defineProperty(performance, 'timeOrigin', { value: Date.parse('${JOB_CREATED}') })`,
)}`
/** Where the README expects its pictures; the others are in docs/pictures. */
const FILES: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  'job-summary': ['job-summary.png', 'job-summary-dark.png'],
  'visitors-report': ['visitors-report-light.png', 'visitors-report-dark.png'],
}

/** Legible on a phone; the others are as wide as GitHub's pages. */
const WIDTHS: Readonly<Record<string, number>> = { 'job-summary': 400, 'command-reply': 600 }

type Services = Awaited<ReturnType<typeof startServices>>

/** The Markdown of each picture, the same every time. */
const SCENES: Readonly<Record<string, (services: Services) => Promise<string>>> = {
  async 'job-summary'(services) {
    const inputs = { prompt: PROMPT }
    const { summary } = await run(services, { inputs })
    // Heading, title, and pages: README has no room for more.
    return withFixedTimes(summary).split('\n\n').slice(0, 3).join('\n\n')
  },
  async 'visitors-report'(services) {
    const report = { 'visitors-summary': 'true', 'content-gaps': 'report' }
    return (await run(services, { inputs: report, env: { NODE_OPTIONS: ON_MONDAY } })).summary
  },
  'command-reply': replyToCommand,
}

const FILES_CHANGED = [
  { filename: 'quickstart.mdx', status: 'modified', additions: 9, deletions: 2 },
  { filename: 'guides/snapshots.mdx', status: 'modified', additions: 4, deletions: 1 },
] as const

/** Starts a GitHub where the agent's pull request changes pages. */
async function startPictured(): Promise<Services> {
  const services = await startServices({ jobTimeMs: 1100, pages: 240 })
  const { world } = services
  const { agentPulls } = world
  const title = 'Explain upgrades without a snapshot'
  world.agentPulls = () => agentPulls().map((pull) => ({ ...pull, title, files: FILES_CHANGED }))
  return services
}

async function replyToCommand(services: Services): Promise<string> {
  const { world } = services
  const author = person('mona')
  const body = `/docs ${PROMPT}`
  world.roles.set('mona', MAY_WRITE)
  world.issues.add(12)
  await run(services, {
    inputs: { comment: 'auto', 'follow-up': 'true' },
    event: commentIn(world, { body, author, number: 12, onIssue: true }),
  })
  const thread = world.comments.filter(({ number }) => number === 12)
  const said = thread.map(({ author: { login }, history }) => {
    const text = `${history.at(-1)?.replace(/^<!--.*?-->\n/s, '')}${login === 'mona' ? '\n\n👀 1' : ''}`
    return `| ${login.replace('[bot]', '')} commented |\n| :--- |\n| ${text.trim().replaceAll('\n\n', '<br><br>')} |`
  })
  return withFixedTimes(said.join('\n\n'))
}

async function run(
  { docs, github, access }: Services,
  { inputs, env, ...options }: ActionOptions,
): Promise<ActionRun> {
  const alone = {
    context: 'none',
    comment: 'never',
    'follow-up': 'false',
    'poll-interval': '200ms',
  }
  const ended = await runAction({
    ...options,
    inputs: { ...access, ...alone, ...inputs },
    env: { GITHUB_API_URL: github.url, ...env },
  })
  if (ended.summary === '') throw new Error(`A run wrote no summary:\n${ended.log}`)
  return {
    ...ended,
    summary: ended.summary
      .replaceAll(docs.url, 'https://api.mintlify.com')
      .replaceAll(/127\u200b?\.0\.0\.1:\d+/g, 'Mintlify'),
  }
}

/** The jobs of the pictures take a second, and begin now. */
function withFixedTimes(text: string): string {
  return text
    .replaceAll(/(?<=· (?:took )?)[\d.]+ m?s\b/g, JOB_DURATION)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, JOB_CREATED)
}

async function draw(markdown: string, files: readonly string[], width: number) {
  const browser = await startBrowser()
  try {
    for (const [index, scheme] of SCHEMES.entries()) {
      const file = join(DOCS, files[index] ?? '')
      writeFileSync(file, await drawMarkdown(browser, markdown, { scheme, width }))
      console.log(file)
    }
  } finally {
    await browser.close()
  }
}

const { values } = readOptions(USAGE, { options: { check: { type: 'boolean' } } })
await runScript(async () => {
  const stale: string[] = []
  for (const [name, scene] of Object.entries(SCENES)) {
    const services = await startPictured()
    const markdown = await scene(services).finally(() => services.close())
    const path = join(SOURCES, `${name}.md`)
    if (!existsSync(path) || readFileSync(path, 'utf8') !== markdown) stale.push(path)
    if (values.check) continue
    writeFileSync(path, markdown)
    const files = FILES[name] ?? SCHEMES.map((scheme) => `pictures/${name}-${scheme}.png`)
    await draw(markdown, files, WIDTHS[name] ?? 1012)
  }
  if (!values.check || stale.length === 0) return
  throw new Error(
    `dist/ writes other Markdown than ${stale.join(', ')}. Run npm run pictures, look at the pictures, and commit them.`,
  )
})
