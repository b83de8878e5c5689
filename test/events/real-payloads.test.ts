import { expect, it } from 'vitest'
import { type Event, EXAMPLES } from '../support/events.ts'
import { type Simulation, simulationStarter } from '../support/simulation.ts'
import { learn, resolve } from '../support/world.ts'

const newSimulation = simulationStarter()

/** Events that need no permission to be asked for; of pull requests the pushes alone. */
const TRUSTED =
  /^(push|release|create|delete|merge_group|workflow_dispatch|repository_dispatch|deployment(_\w+)?|pull_request synchronize)( |$)/

/** Runs the action for a payload, from its event to the end of its post step; its sender has that role. */
async function play(event: Event, role: string, simulation: Simulation, inputs: { prompt?: string }) {
  const { world, docs, github } = simulation
  const { sender, pull_request: pull, after } = event.payload
  learn(world, event.payload)
  world.roles.clear()
  if (sender?.login)
    world.roles.set(sender.login.toLowerCase(), { permission: role, role_name: role, id: sender.id ?? 0 })
  const [asked, sent] = [github.requests.length, docs.requests.length]
  const sha = pull?.merge_commit_sha || pull?.head?.sha || after || resolve(world, 'main')?.sha || ''
  const end = await simulation.run({ event, sha, inputs: { comment: 'always', context: 'diff', ...inputs } })
  return {
    result: end.outputs.result ?? '',
    log: end.log.map(({ text }) => text).join(''),
    hasStarted: docs.requests.slice(sent).some(({ method }) => method === 'POST'),
    isAsked: github.requests.slice(asked).some((line) => line.endsWith('/permission')),
  }
}

it.each([
  ['a reader', 'read', {}, { 'pull-request': 41, skipped: 288 }],
  ['a writer', 'write', {}, { 'pull-request': 302, skipped: 27 }],
  // Where nothing is asked that is an error; a plain comment is none.
  ['a writer, without a prompt', 'write', { prompt: '' }, { error: 303, skipped: 26 }],
])(
  "GitHub's own payloads start no job without permission: %s",
  async (_who, role, inputs, ends) => {
    const simulation = await newSimulation('acme/guides')
    const wrong: string[] = []
    const results: Record<string, number> = {}
    for (const { name, examples } of EXAMPLES) {
      for (const payload of examples) {
        const { hasStarted, isAsked, result, log } = await play({ name, payload }, role, simulation, inputs)
        const what = `${name} ${payload.action ?? ''}`
        const isTrusted = TRUSTED.test(what)
        results[result] = (results[result] ?? 0) + 1
        if (hasStarted && !isTrusted && !(isAsked && role === 'write')) wrong.push(`${what}: started`)
        if (isTrusted && isAsked) wrong.push(`${what}: asked`)
        if (/unexpectedly|undefined|TypeError|NaN|\[object/.test(log)) wrong.push(`${what}: ${log}`)
      }
    }
    expect(wrong).toEqual([])
    expect(results).toEqual(ends)
  },
  120_000,
)
