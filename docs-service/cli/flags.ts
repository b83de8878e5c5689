import { parseArgs } from 'node:util'
import { parseDuration } from '../duration.ts'
import type { AgentKind, DocsServiceOptions, ServiceKey, ServiceLimits } from '../options.ts'

/** What the command line asks for. */
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
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

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
  const whole = (name: TextName, most: number) => {
    const fits = /^\d{1,10}$/.test(values[name]) && Number(values[name]) <= most
    if (!fits) problems.push(`--${name} takes a whole number from 0 to ${most}, not '${values[name]}'`)
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
