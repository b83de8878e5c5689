/** The proxy variables of the environment; empty where one is not set. */
export type ProxySettings = {
  readonly httpsProxy: string
  readonly httpProxy: string
  readonly noProxy: string
}

/** The proxy that a request goes through. */
export type ProxyInUse = {
  /** The variable that names it. */
  readonly variable: 'HTTPS_PROXY' | 'HTTP_PROXY'
  readonly url: URL | undefined
  /** Why it can't be used, as a sentence part without the proxy's URL, which may hold a password. */
  readonly problem: string | undefined
}

/** What undici's `EnvHttpProxyAgent` is given: proxies that it can't use are left out, and refused by `proxyFor`. */
export function usableProxies({ httpsProxy, httpProxy, noProxy }: ProxySettings): ProxySettings {
  const usable = (value: string): string => (proxyUrl(value) === undefined ? '' : value)
  return { httpsProxy: usable(httpsProxy), httpProxy: usable(httpProxy), noProxy }
}

/** The proxy that undici's `EnvHttpProxyAgent` takes for a URL, by the same rules. */
export function proxyFor(url: URL, settings: ProxySettings): ProxyInUse | undefined {
  const { httpsProxy, httpProxy, noProxy } = settings
  const isHttps = url.protocol === 'https:' && httpsProxy !== ''
  const variable = isHttps ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const value = isHttps ? httpsProxy : httpProxy
  if (value === '' || isExempt(url, noProxy)) return undefined
  const parsed = proxyUrl(value)
  if (parsed !== undefined) return { variable, url: parsed, problem: undefined }
  const names = `the environment variable ${variable} (or ${variable.toLowerCase()})`
  const what = /^socks/i.test(value)
    ? 'names a SOCKS proxy, which is not supported'
    : 'is not the URL of a proxy'
  const fix = 'set it to an http or https proxy (http://host:port), or exempt the host with NO_PROXY'
  return { variable, url: undefined, problem: `${names} ${what}; ${fix}` }
}

function proxyUrl(value: string): URL | undefined {
  const url = URL.parse(value)
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : undefined
}

function isExempt({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const ownPort = port || (protocol === 'https:' ? '443' : '80')
  return noProxy.split(/[,\s]+/).some((entry) => {
    const [, name = entry, entryPort = ownPort] = /^(.+?):(\d+)$/.exec(entry) ?? []
    const exempt = name.replace(/^\*?\.|^\[|\]$|\.$/g, '').toLowerCase()
    if (exempt === '' || entryPort !== ownPort) return false
    return exempt === '*' || (host === exempt && !entry.startsWith('*.')) || host.endsWith(`.${exempt}`)
  })
}
