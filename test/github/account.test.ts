import { describe, expect, it } from 'vitest'
import { fetchTokenAccount, isSameAccount, readAccount } from '../../src/github/account.ts'
import type { GitHub } from '../../src/github/github.ts'

describe('an account', () => {
  it.each([
    [{ id: 1, login: 'a' }, { id: 1, login: 'renamed' }, true],
    [{ id: 1, login: 'a' }, { id: 2, login: 'a' }, false],
    [{ login: 'github-actions' }, { id: 41898282, login: 'GitHub-Actions[bot]' }, true],
    [{ login: 'github-actions' }, { id: 7, login: 'github-actions-fan' }, false],
    [{ id: 1, login: 'a' }, null, false],
  ])('%j is %j: %s', (one, other, same) => {
    const account = readAccount(one)
    if (account === undefined) throw new Error('no account')
    expect(isSameAccount(account, readAccount(other))).toBe(same)
  })

  it.each([null, {}, 'x', { login: 7 }])('is not %j', (user) => {
    expect(readAccount(user)).toBeUndefined()
  })
})

describe('the account of the token', () => {
  function gitHubThat(answers: () => Promise<never>): GitHub {
    const repository = { owner: 'acme', repo: 'docs' }
    const nothing = (): undefined => undefined
    const attempt = (): Promise<undefined> => Promise.resolve(undefined)
    return { repository, request: answers, attempt, lacks: () => false, close: nothing }
  }

  it('is that of `github.token` where GitHub does not say', async () => {
    const refused = gitHubThat(() => Promise.reject(new Error('Not Found')))
    expect(await fetchTokenAccount(refused)).toEqual({ id: undefined, login: 'github-actions' })
  })
})
