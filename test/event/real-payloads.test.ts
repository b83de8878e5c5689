import { expect, it } from 'vitest'
import { EXAMPLES } from '../support/events.ts'
import { startHarness } from '../support/harness.ts'
import { learn } from '../support/learn.ts'

/** Events that need no permission to be asked for; of pull requests the pushes alone. */
const TRUSTED =
  /^(push|release|create|delete|merge_group|workflow_dispatch|repository_dispatch|deployment(_status)?|pull_request synchronize)( |$)/

/** One of each event, of pull requests two. */
const PAYLOADS = EXAMPLES.flatMap(({ name, examples }) => {
  const some = examples.slice(0, name === 'pull_request' ? 2 : 1)
  return some.map((payload) => ({ name, payload, what: `${name} ${payload.action ?? ''}` }))
})

it.each(['read', 'write'])(
  "GitHub's own payloads start a job of a sender with the permission %s where the event or the permission allows it",
  async (role) => {
    const wrong: string[] = []
    for (const { what, ...event } of PAYLOADS) {
      const { run, world, close } = await startHarness({ docsIn: 'acme/guides' })
      learn(world, event.payload)
      for (const pull of world.pulls.values())
        pull.files = [{ filename: 'src/a.ts', status: 'modified', patch: '@@ -1 +1 @@\n+a' }]
      const { login, id } = event.payload.sender ?? {}
      const roleOfSender = { permission: role, role_name: role, id: id ?? 0 }
      if (login) world.roles.set(login.toLowerCase(), roleOfSender)
      const inputs = { comment: 'always', prompt: 'Document it.' }
      const { printed, requests, calls } = await run({ event, inputs })
      await close()
      const hasStarted = calls.some((call) => call.startsWith('POST'))
      const isAsked = requests.some((line) => line.endsWith('/permission'))
      const isTrusted = TRUSTED.test(what)
      const isNothing =
        /Skipped: .*(?:deletes|was deleted|closed without|isn't new|doesn't start|queue)/.test(
          printed,
        )
      const mayStart = !isNothing && (isTrusted || (isAsked && role === 'write'))
      if (hasStarted !== mayStart) wrong.push(`${what}: ${hasStarted ? 'started' : printed}`)
      if (isTrusted && isAsked) wrong.push(`${what}: asked`)
      if (/unexpectedly|undefined|TypeError|NaN|\[object|Could not read the event/.test(printed))
        wrong.push(`${what}: ${printed}`)
    }
    expect(wrong).toEqual([])
  },
  120_000,
)
