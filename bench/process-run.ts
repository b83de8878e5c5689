import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** The Node that runners use, as far as npm has it. */
export const NODE = join(import.meta.dirname, '../node_modules/.bin/node')

const PEAK_MEMORY = join(import.meta.dirname, 'peak-memory.cjs')
const GNU_TIME = '/usr/bin/time'

/** A program with its arguments and its whole environment. */
export type Command = {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Whether a program is on the PATH. */
export function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))
}

/** What a run took, in milliseconds. */
export type Times = {
  readonly wallMs: number
  /** Of all its processes and threads, in user and kernel mode; `undefined` where there is no bash to measure it. */
  readonly cpuMs: number | undefined
}

/**
 * Runs a command to its end.
 *
 * @returns wall time from before the start to after the end, in milliseconds
 * @throws {Error} with the output, if it fails
 */
export async function timeOf({ program, args, env }: Command): Promise<number> {
  const startedAtMs = performance.now()
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const exitCode = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  const durationMs = performance.now() - startedAtMs
  if (exitCode !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${exitCode}:\n${output}`)
  return durationMs
}

/** Runs a command to its end, measured by bash's `time`, which sees the processes that it starts as well. */
export async function timesOf(command: Command, scratchFile: string): Promise<Times> {
  if (!isInstalled('bash')) return { wallMs: await timeOf(command), cpuMs: undefined }
  const script = `TIMEFORMAT='%3R %3U %3S'; { time "$@" 2>&3; } 3>&2 2>"$TIMES_FILE"`
  await timeOf({
    program: 'bash',
    args: ['-c', script, 'bash', command.program, ...command.args],
    env: { ...command.env, TIMES_FILE: scratchFile },
  })
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = (await readFile(scratchFile, 'utf8'))
    .trim()
    .split(' ')
    .map(Number)
  return { wallMs: 1000 * wall, cpuMs: 1000 * (user + system) }
}

/**
 * Peak memory of a Node process.
 *
 * @returns bytes
 */
export async function peakOfNode(command: Command, scratchFile: string): Promise<number> {
  const args = ['--require', PEAK_MEMORY, ...command.args]
  await timeOf({ ...command, args, env: { ...command.env, PEAK_MEMORY_FILE: scratchFile } })
  return Number(await readFile(scratchFile, 'utf8'))
}

/**
 * Peak memory of the largest process that a command starts.
 *
 * @returns bytes; `undefined` where GNU time is not installed
 */
export async function peakOfAny(command: Command, scratchFile: string): Promise<number | undefined> {
  if (!existsSync(GNU_TIME)) return undefined
  const args = ['-f', '%M', '-o', scratchFile, command.program, ...command.args]
  await timeOf({ ...command, program: GNU_TIME, args })
  return Number(await readFile(scratchFile, 'utf8')) * 1024
}
