import { parseArgs } from 'node:util'
import { parseDuration } from './agent/prompt.ts'
import { type Fault, readFault } from './faults.ts'
import { parseJson } from './http/server.ts'
import type { DocsServiceOptions } from './options.ts'

/** What the command line says. */
export type CommandLine =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }
  | { readonly kind: 'start'; readonly options: DocsServiceOptions; readonly quiet: boolean }

const FLAGS = {
  port: { type: 'string', default: '4010' },
  key: { type: 'string', default: 'mint_demo' },
  'read-key': { type: 'string', multiple: true },
  'expired-key': { type: 'string', multiple: true },
  project: { type: 'string', multiple: true },
  agent: { type: 'string', default: 'git' },
  'job-time': { type: 'string', default: '3s' },
  pages: { type: 'string', default: '120' },
  'jobs-per-hour': { type: 'string', default: '100' },
  'analytics-per-hour': { type: 'string', default: '100' },
  fault: { type: 'string', multiple: true },
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

export const USAGE = `Runs the embedded docs service on this machine until it is interrupted.

  npm run service -- [flags]

  --port <number>               Port to listen on; 0 picks a free one. Default 4010.
  --key <key>                   Admin API key. Default mint_demo.
  --read-key <key>              Key of scope read: 403 to every POST. Repeatable.
  --expired-key <key>           Key that has expired: 401. Repeatable.
  --project <id>                Project that exists; any other is 404. Repeatable. Default docs.
  --agent <git|none>            git: real commits in a temporary repository. none: links only. Default git.
  --job-time <duration>         How long a job is active, such as 250ms, 20s or 1h30m. Default 3s.
  --pages <number>              Pages in the visitors report. Default 120.
  --jobs-per-hour <number>      Job creates per project. Default 100.
  --analytics-per-hour <number> Analytics requests of all kinds and projects together. Default 100.
  --fault <JSON>                Fault set from the start. Repeatable.
  --quiet                       No line for each request.
  --help                        Show this text.

docs-service/README.md has the prompt directives, the faults and the rest.
`

type Values = ReturnType<typeof parse>

/** Reads the flags; all wrong values are reported together. */
export function readCommandLine(args: readonly string[]): CommandLine {
  try {
    const values = parse(args)
    if (values.help) return { kind: 'help' }
    const problems: string[] = []
    const options = optionsOf(values, problems)
    return problems.length > 0
      ? { kind: 'wrong', problems }
      : { kind: 'start', options, quiet: values.quiet }
  } catch (error) {
    return { kind: 'wrong', problems: [error instanceof Error ? error.message : String(error)] }
  }
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: FLAGS }).values
}

function optionsOf(values: Values, problems: string[]): DocsServiceOptions {
  const whole = (
    name: 'port' | 'pages' | 'jobs-per-hour' | 'analytics-per-hour',
    maximum: number,
  ): number => {
    const fits = /^\d{1,10}$/.test(values[name]) && Number(values[name]) <= maximum
    if (!fits)
      problems.push(`--${name} takes a whole number from 0 to ${maximum}, not '${values[name]}'`)
    return Number(values[name])
  }
  const agent = values.agent === 'none' ? 'none' : 'git'
  if (values.agent !== agent) problems.push(`--agent takes git or none, not '${values.agent}'`)
  const jobTimeMs = parseDuration(values['job-time'])
  if (jobTimeMs === undefined) {
    problems.push(`--job-time takes a duration such as 250ms or 20s, not '${values['job-time']}'`)
  }
  return {
    port: whole('port', 65_535),
    key: values.key,
    keys: [
      ...(values['read-key'] ?? []).map((key) => ({ key, scope: 'read' as const })),
      ...(values['expired-key'] ?? []).map((key) => ({ key, expired: true })),
    ],
    projects: values.project ?? ['docs'],
    agent,
    jobTimeMs: jobTimeMs ?? 0,
    pages: whole('pages', 1_000_000),
    limits: {
      jobsPerHour: whole('jobs-per-hour', 1_000_000),
      analyticsPerHour: whole('analytics-per-hour', 1_000_000),
    },
    faults: (values.fault ?? []).flatMap((text) => faultOf(text, problems)),
  }
}

function faultOf(text: string, problems: string[]): Fault[] {
  const fault = readFault(parseJson(text))
  if (typeof fault !== 'string') return [fault]
  problems.push(`--fault: ${fault}`)
  return []
}
