import { errorReply, type Reply } from '../http/reply.ts'
import type { ServiceKey, Settings } from '../options.ts'

/** Refuses a request whose key may not do what it asks for; `undefined` lets it through. */
export function refuseAccess(
  { method, authorization }: { method: string; authorization: string | undefined },
  settings: Pick<Settings, 'key' | 'keys'>,
): Reply | undefined {
  const sent = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (sent === undefined) return errorReply(401, 'Missing API key: send Authorization: Bearer <key>')
  const all: readonly ServiceKey[] = [{ key: settings.key }, ...settings.keys]
  const known = all.find(({ key }) => key === sent)
  if (!known) return errorReply(401, 'Invalid API key')
  if (known.expired) return errorReply(401, 'The API key has expired')
  if (known.forbiddenIp) return errorReply(403, 'This IP address is not allowed to use the API key')
  if (known.scope === 'read' && method === 'POST') {
    return errorReply(403, 'The API key has the scope read, which allows no POST')
  }
  return undefined
}
