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
