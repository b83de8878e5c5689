import { expect, it } from 'vitest'
import { isSameAccount } from '../../src/github/pull-requests.ts'

type Account = Parameters<typeof isSameAccount>[0]
it.each<[Account, Account, boolean]>([
  [{ id: 1, login: 'a' }, { id: 1, login: 'renamed' }, true],
  [{ id: 1, login: 'a' }, { id: 2, login: 'a' }, false],
  [{ login: 'GitHub-Actions' }, { id: 41898282, login: 'github-actions[bot]' }, true],
  [{ login: '[bot]x' }, { login: 'x' }, false],
  [{ login: '' }, { login: '' }, false],
  [{ id: 1, login: 'a' }, null, false],
])('%j and %j are the same account: %s', (one, other, same) => {
  expect(isSameAccount(one, other)).toBe(same)
})
