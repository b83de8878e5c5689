import { describe, expect, it } from 'vitest'
import { ownWorkIn } from '../../src/trigger/loop-guard.ts'

const push = (...authors: readonly object[]) => ({
  name: 'push',
  payload: { commits: authors.map((author) => ({ id: 'x', author })) },
})

describe('the own work in a push', () => {
  it.each([
    [{ username: 'mintlify[bot]' }, true],
    [{ username: 'Mintlify' }, true],
    [{ email: '109931778+mintlify[bot]@users.noreply.github.com', name: 'x' }, true],
    [{ email: 'mintlify[bot]@users.noreply.ghe.example.com' }, true],
    [{ username: 'octocat', email: '1+mintlify[bot]@users.noreply.github.com' }, false],
    [{ name: 'mintlify[bot]' }, false],
    [{}, false],
  ])('%j: %s', (author, own) => {
    expect(ownWorkIn(push(author), ['mintlify[bot]']) !== undefined).toBe(own)
    expect(ownWorkIn(push(author, { username: 'octocat' }), ['mintlify[bot]'])).toBeUndefined()
  })

  it('is none without commits, without authors, and in other events', () => {
    expect(ownWorkIn(push(), ['mintlify'])).toBeUndefined()
    expect(ownWorkIn(push({ username: 'mintlify[bot]' }), [])).toBeUndefined()
    expect(ownWorkIn({ ...push({ username: 'a' }), name: 'schedule' }, ['a'])).toBeUndefined()
    expect(ownWorkIn({ name: 'pull_request', payload: {} }, ['a', ''])).toBeUndefined()
  })
})
