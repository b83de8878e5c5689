import { integerField, recordField } from '../../machinery/json.ts'
import type { GitHub } from './github.ts'

/**
 * Id of the account that the token belongs to; `undefined`, with a warning, if GitHub does not say. Asked by GraphQL,
 * since REST's `GET /user` refuses the tokens of apps, `github.token` among them. Compared by id, since GraphQL and
 * REST spell the logins of bots differently.
 */
export async function askWhoWeAre(github: GitHub): Promise<number | undefined> {
  return await github.attempt({
    purpose: 'say whose token this is',
    permission: 'metadata: read',
    send: async ({ graphql }) => {
      const id = integerField(
        recordField(await graphql('query { viewer { databaseId } }'), 'viewer'),
        'databaseId',
      )
      if (id === undefined) throw new Error('the answer names no account')
      return id
    },
  })
}
