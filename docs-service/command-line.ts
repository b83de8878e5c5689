import { parseArgs } from 'node:util'
import { parseDuration } from './agent/prompt.ts'
import { type Fault, NAMED_FAULTS } from './faults/fault.ts'
import { readFault } from './faults/read-fault.ts'
import type { AgentKind, DocsServiceOptions, ServiceKey, ServiceLimits } from './options.ts'

/** What the command line says. */
export type CommandLine =
  | { kind: 'help' }
  | { kind: 'wrong'; problems: string[] }
  | { kind: 'start'; options: DocsServiceOptions; quiet: boolean }

const FLAGS = {
  port: { type: 'string', default: '4010' },
  host: { type: 'string', default: '127.0.0.1' },
  key: { type: 'string', default: 'mint_demo' },
  'read-key': { type: 'string', multiple: true },
  'expired-key': { type: 'string', multiple: true },
  'forbidden-ip-key': { type: 'string', multiple: true },
  project: { type: 'string', multiple: true },
  agent: { type: 'string', default: 'git' },
  'job-time': { type: 'string', default: '3s' },
  'not-found-time': { type: 'string', default: '0s' },
  'stale-time': { type: 'string', default: '0s' },
  pages: { type: 'string', default: '120' },
  seed: { type: 'string', default: '1' },
  'jobs-per-hour': { type: 'string', default: '100' },
  'messages-per-hour': { type: 'string', default: '100' },
  'analytics-per-hour': { type: 'string', default: '100' },
  'no-retry-after': { type: 'boolean', default: false },
  fault: { type: 'string', multiple: true },
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const FAULT_NAMES = Object.keys(NAMED_FAULTS)
  .join(', ')
  .replaceAll(/(.{1,70})(?:, |$)/g, (_all, line: string) => `${line},\n${' '.repeat(32)}`)
  .replace(/,\s*$/, '')

/** The text of `--help`. */
export const USAGE = `Runs the embedded docs service on this machine until it is interrupted.

  npm run service -- [flags]

  --port <number>               Port to listen on; 0 picks a free one. Default 4010.
  --host <host>                 Loopback host to listen on. Default 127.0.0.1.
  --key <key>                   Admin API key. Default mint_demo.
  --read-key <key>              Further key of scope read: 403 to every POST. Repeatable.
  --expired-key <key>           Further key that has expired: 401. Repeatable.
  --forbidden-ip-key <key>      Further key that refuses this IP address: 403. Repeatable.
  --project <id>                Project that exists; any other is 404. Repeatable. Default docs.
  --agent <git|none>            git: real commits in a temporary repository. none: links only. Default git.
  --job-time <duration>         How long a job is active. Default 3s.
  --not-found-time <duration>   Right after a create, status requests answer 404 for this long. Default 0s.
  --stale-time <duration>       Right after a message, the old status shows for this long. Default 0s.
  --pages <number>              Pages in the visitors report, up to 1000000. Default 120.
  --seed <number>               Same seed, same job ids and visitors. Default 1.
  --jobs-per-hour <number>      Job creates per project, or none for no limit. Default 100.
  --messages-per-hour <number>  Follow-ups per project, or none. Default 100.
  --analytics-per-hour <number> Analytics requests of all projects together, or none. Default 100.
  --no-retry-after              Send 429 without Retry-After.
  --fault <name or JSON>        Fault set from the start, by name or as JSON. Repeatable. Names:
                                ${FAULT_NAMES}
  --quiet                       No line for each request.
  --help                        Show this text.

Durations are whole numbers with units: 250ms, 20s, 2m, 1h30m.
docs-service/README.md has the prompt directives, the faults and the rest.
`

type Values = ReturnType<typeof parse>
type Name = keyof typeof FLAGS
/** Those of the flags whose value is one text. */
type TextName = { [Flag in Name]: Values[Flag] extends string ? Flag : never }[Name]

/** Reads the flags; all wrong values are reported together. */
export function readCommandLine(args: readonly string[]): CommandLine {
  let values: Values
  try {
    values = parse(args)
  } catch (error) {
    return { kind: 'wrong', problems: [error instanceof Error ? error.message : String(error)] }
  }
  if (values.help) return { kind: 'help' }
  const problems: string[] = []
  const options = optionsOf(values, problems)
  return problems.length > 0 ? { kind: 'wrong', problems } : { kind: 'start', options, quiet: values.quiet }
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: FLAGS, strict: true, allowPositionals: false }).values
}

function optionsOf(values: Values, problems: string[]): DocsServiceOptions {
  const duration = (name: TextName) => {
    const ms = parseDuration(values[name])
    if (ms === undefined)
      problems.push(`--${name} takes a duration such as 250ms or 20s, not '${values[name]}'`)
    return ms ?? 0
  }
  const whole = (name: TextName, maximum: number) => {
    const fits = /^\d{1,10}$/.test(values[name]) && Number(values[name]) <= maximum
    if (!fits) problems.push(`--${name} takes a whole number from 0 to ${maximum}, not '${values[name]}'`)
    return Number(values[name])
  }
  const limit = (name: TextName) =>
    values[name] === 'none' ? Number.POSITIVE_INFINITY : whole(name, 1_000_000)
  return {
    port: whole('port', 65_535),
    host: values.host,
    key: values.key,
    keys: furtherKeys(values),
    projects: values.project ?? ['docs'],
    agent: agentOf(values.agent, problems),
    jobTimeMs: duration('job-time'),
    notFoundMs: duration('not-found-time'),
    staleMs: duration('stale-time'),
    pages: whole('pages', 1_000_000),
    seed: whole('seed', 0x7fffffff),
    limits: limitsOf(values, limit),
    faults: faultsOf(values.fault ?? [], problems),
  }
}

function limitsOf(values: Values, limit: (name: TextName) => number): ServiceLimits {
  return {
    jobsPerHour: limit('jobs-per-hour'),
    messagesPerHour: limit('messages-per-hour'),
    analyticsPerHour: limit('analytics-per-hour'),
    retryAfter: !values['no-retry-after'],
  }
}

function furtherKeys(values: Values): ServiceKey[] {
  return [
    ...(values['read-key'] ?? []).map((key) => ({ key, scope: 'read' as const })),
    ...(values['expired-key'] ?? []).map((key) => ({ key, expired: true })),
    ...(values['forbidden-ip-key'] ?? []).map((key) => ({ key, forbiddenIp: true })),
  ]
}

function agentOf(text: string, problems: string[]): AgentKind {
  if (text === 'git' || text === 'none') return text
  problems.push(`--agent takes git or none, not '${text}'`)
  return 'none'
}

function faultsOf(texts: readonly string[], problems: string[]): Fault[] {
  return texts.flatMap((text) => {
    const reading = readFault(text.trimStart().startsWith('{') ? jsonOf(text) : text)
    if (reading.ok) return [reading.fault]
    problems.push(...reading.problems.map((problem) => `--fault: ${problem}`))
    return []
  })
}

/** The JSON value, or the text itself where it is none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
