import { describe, expect, it } from 'vitest'
import { sceneStarter } from '../support/decisions.ts'
import { EXAMPLES } from '../support/events.ts'

const newScene = sceneStarter()

/** Events that need no permission to be asked for, with the actions for which that holds; all without a list. */
const TRUSTED: Readonly<Record<string, readonly string[] | undefined>> = {
  push: undefined,
  release: undefined,
  create: undefined,
  delete: undefined,
  merge_group: undefined,
  workflow_dispatch: undefined,
  repository_dispatch: undefined,
  deployment: undefined,
  deployment_status: undefined,
  deployment_review: undefined,
  deployment_protection_rule: undefined,
  pull_request: ['synchronize'],
}

describe("GitHub's own payloads", () => {
  it.each([
    ['a stranger', undefined, { prompt: 'Go.' }],
    ['a reader', 'read', { prompt: 'Go.' }],
    ['a writer', 'write', { prompt: 'Go.' }],
    ['a writer, without a prompt', 'write', {}],
  ])('start no job without permission: %s', async (_who, role, inputs) => {
    const { decide, github, world } = await newScene()
    const wrong: string[] = []
    let count = 0
    for (const { name, examples } of EXAMPLES) {
      for (const payload of examples) {
        const { sender, action = '' } = payload
        const what = `${name} ${action}`
        world.roles.clear()
        if (role !== undefined && sender?.login) {
          const id = sender.id ?? 0
          world.roles.set(sender.login.toLowerCase(), { permission: role, role_name: role, id })
        }
        const { result, requests } = await decide({ event: { name, payload }, inputs })
        count++
        const isTrusted = name in TRUSTED && (TRUSTED[name]?.includes(action ?? '') ?? true)
        const isAsked = requests.some((line) => line.endsWith('/permission'))
        if (result === 'goes on' && !isTrusted && !(isAsked && role === 'write')) wrong.push(what)
        if (isTrusted && isAsked) wrong.push(`${what}: asked`)
      }
    }
    expect(wrong).toEqual([])
    expect(count).toBeGreaterThan(300)
    expect(github.violations).toEqual([])
  })
})
