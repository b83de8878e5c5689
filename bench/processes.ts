import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'

/** The Node that runners use, as far as npm has it. */
export const NODE = join(import.meta.dirname, '../node_modules/.bin/node')

/** A program with its arguments and its whole environment. */
export type Command = {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** `cpuMs` is of all its processes and threads, in user and kernel mode. */
export type Times = { readonly wallMs: number; readonly cpuMs: number }

/** Leaves the most memory that a Node process ever had. `maxRSS` counts the memory of the process that forked it, too. */
const PEAK = `import { existsSync, readFileSync, writeFileSync } from 'node:fs'
process.once('exit', () => {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
  const kilobytes = /^VmHWM:\\s*(\\d+)/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS
  writeFileSync(process.env.PEAK_FILE, String(1024 * kilobytes))
})`

export function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => existsSync(join(folder, program)))
}

/** Runs a command to its end. @throws {Error} with its output, if it fails */
async function run({ program, args, env }: Command): Promise<void> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const [exitCode] = await once(child, 'close')
  if (exitCode === 0) return
  throw new Error(
    `${program} ${args.join(' ')} ended with ${exitCode}:\n${(await output).join('')}`,
  )
}

/** Times of a command, by bash's `time`, which counts the processes that it starts as well. */
export async function timesOf(
  { program, args, env }: Command,
  scratchFile: string,
): Promise<Times> {
  const script = `TIMEFORMAT='%3R %3U %3S'; { time "$@" 2>&3; } 3>&2 2>"$TIMES_FILE"`
  const timed = ['-c', script, 'bash', program, ...args]
  await run({ program: 'bash', args: timed, env: { ...env, TIMES_FILE: scratchFile } })
  const [wall = 0, user = 0, system = 0] = readFileSync(scratchFile, 'utf8').split(' ').map(Number)
  return { wallMs: 1000 * wall, cpuMs: 1000 * (user + system) }
}

/** Peak memory of a command that is Node, in bytes. */
export async function peakOf(
  { program, args, env }: Command,
  scratchFile: string,
): Promise<number> {
  const preload = `--import=data:text/javascript,${encodeURIComponent(PEAK)}`
  await run({ program, args: [preload, ...args], env: { ...env, PEAK_FILE: scratchFile } })
  return Number(readFileSync(scratchFile, 'utf8'))
}
