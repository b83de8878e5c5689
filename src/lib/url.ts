/** Whether a host is this machine. `URL.hostname` has normalised numeric forms such as `127.1`. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** Whether what is sent to this URL is safe from listeners: https, or http that does not leave the machine. */
export function isPrivateTransport(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
}
