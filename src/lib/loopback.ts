import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'

/**
 * Whether a host as `URL.hostname` gives it is this machine: `localhost`, `*.localhost`, 127.0.0.0/8 or `[::1]`.
 * `URL` has normalised numeric forms such as `127.1` by then.
 */
export function isLoopbackHost(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return true
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}

/** Whether what is sent to this URL is safe from listeners: https, or http that does not leave the machine. */
export function isPrivateTransport(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
}

/**
 * Looks a host up. A name below `localhost` is this machine: it is not looked up at a name server, which may not know it or
 * answer with another machine's address.
 * Source: RFC 6761, 6.3.
 */
export const lookupHost: LookupFunction = (hostname, options, callback) => {
  lookup(hostname.endsWith('.localhost') ? 'localhost' : hostname, options, callback)
}
