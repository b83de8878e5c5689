import { expect, it } from 'vitest'
import { type Event, EXAMPLES } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { ROLES } from './real-payloads.cases.ts'

/** Events that need no permission to be asked for; of pull requests the pushes alone. */
const TRUSTED =
  /^(push|release|create|delete|merge_group|workflow_dispatch|repository_dispatch|deployment(_status)?|pull_request synchronize)( |$)/

/** With `ALL_PAYLOADS=1` every example, else one of each event, of pull requests two. */
const PAYLOADS = EXAMPLES.flatMap(({ name, examples }) => {
  const some =
    process.env['ALL_PAYLOADS'] === undefined ? examples.slice(0, name === 'pull_request' ? 2 : 1) : examples
  return some.map((payload) => ({ name, payload, what: `${name} ${payload.action ?? ''}` }))
})

/** Runs the action for a payload, from its event to the end of its post step; its sender has that role. */
async function play(event: Event, role: string, inputs: { prompt: string }) {
  const { run, world, close } = await startHarness({ docsIn: 'acme/guides' })
  const { sender } = event.payload
  if (sender?.login)
    world.roles.set(sender.login.toLowerCase(), { permission: role, role_name: role, id: sender.id ?? 0 })
  const { outputs, printed, requests, calls } = await run({ event, inputs: { comment: 'always', ...inputs } })
  await close()
  return {
    result: outputs['result'] ?? '',
    printed,
    hasStarted: calls.some((call) => call.startsWith('POST')),
    isAsked: requests.some((line) => line.endsWith('/permission')),
  }
}

it.each(ROLES)(
  "GitHub's own payloads %s",
  async (_what, role, inputs, ends) => {
    const wrong: string[] = []
    const results = new Set<string>()
    for (const { what, ...event } of PAYLOADS) {
      const { hasStarted, isAsked, result, printed } = await play(event, role, inputs)
      const isTrusted = TRUSTED.test(what)
      results.add(result)
      if (hasStarted && !isTrusted && !(isAsked && role === 'write')) wrong.push(`${what}: started`)
      if (isTrusted && isAsked) wrong.push(`${what}: asked`)
      if (isTrusted && result === 'skipped' && !/deletes/.test(printed)) wrong.push(`${what}: skipped`)
      if (/unexpectedly|undefined|TypeError|NaN|\[object/.test(printed)) wrong.push(`${what}: ${printed}`)
    }
    expect(wrong).toEqual([])
    expect([...results].toSorted()).toEqual(ends)
  },
  120_000,
)
