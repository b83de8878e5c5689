import { integerField, recordField, stringField } from '../lib/json.ts'
import type { GitHub } from './github.ts'

/** An account on GitHub. */
export type Account = {
  /** `undefined` if it is not known. */
  readonly id: number | undefined
  /** In lower case, without `[bot]`: GraphQL and REST spell the logins of apps differently. Empty if not known. */
  readonly login: string
}

/** The account of `github.token`, which is nearly always the one in use. */
const GITHUB_ACTIONS: Account = { id: undefined, login: 'github-actions' }

/** Reads an account as REST and webhooks show it; `undefined` if there is none, or none any more. */
export function readAccount(user: unknown): Account | undefined {
  const id = integerField(user, 'id')
  const login = plainLogin(stringField(user, 'login') ?? '')
  return id === undefined && login === '' ? undefined : { id, login }
}

/** Whether two accounts are the same: by id where both are known, else by login. */
export function isSameAccount(one: Account, other: Account | undefined): boolean {
  if (other === undefined) return false
  if (one.id !== undefined && other.id !== undefined) return one.id === other.id
  return one.login !== '' && one.login === other.login
}

/**
 * The account that the token belongs to. Read by GraphQL, since REST's `GET /user` refuses the tokens of apps,
 * `github.token` among them; that one's account is taken for ours where GitHub does not say.
 */
export async function fetchTokenAccount(github: GitHub): Promise<Account> {
  try {
    const answer = await github.request(({ graphql }) => graphql('query { viewer { databaseId login } }'))
    const viewer = recordField(answer, 'viewer')
    return readAccount({ id: viewer['databaseId'], login: viewer['login'] }) ?? GITHUB_ACTIONS
  } catch {
    return GITHUB_ACTIONS
  }
}

/** A login in lower case, without `[bot]`. */
export function plainLogin(login: string): string {
  return login.toLowerCase().replace(/\[bot\]$/, '')
}
