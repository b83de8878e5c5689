import type { IncomingMessage } from 'node:http'
import { errorReply, htmlReply, jsonReply, type Reply } from '../http/reply.ts'
import type { FaultEffect } from './fault.ts'

const PORTAL_PAGE =
  '<!doctype html>\n<html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>\n'

/** The reply of the fault kinds that speak in the service's place. */
export function standInReply(
  fault: Extract<FaultEffect, { kind: 'status' | 'html' | 'redirect' | 'echo-key' }>,
  incoming: IncomingMessage,
): Reply {
  switch (fault.kind) {
    case 'status': {
      const body = fault.body ?? { error: `The service answers ${fault.status}, as a fault asked for` }
      const type = fault.contentType ? { 'content-type': fault.contentType } : {}
      return jsonReply(fault.status, body, { ...type, ...fault.headers })
    }
    case 'html':
      return htmlReply(200, fault.body ?? PORTAL_PAGE)
    case 'redirect':
      return jsonReply(fault.status ?? 302, { error: 'Moved' }, { location: fault.location })
    case 'echo-key':
      return errorReply(fault.status ?? 401, `Not accepted: Authorization: ${incoming.headers.authorization}`)
  }
}
