/** Values of the proxy variables, and what is wrong with them. */
export const PROXIES = [
  ['socks5://me:pw@proxy.example:1080', 'names a SOCKS proxy, which is not supported'],
  [' SOCKS5H://x', 'names a SOCKS proxy, which is not supported'],
  ['http://', 'is not the URL of a proxy'],
  ['ftp://proxy.example', 'is not the URL of a proxy'],
  ['http://a b', 'is not the URL of a proxy'],
  ['proxy.example:8080', 'is not a URL: `http://` is missing before it'],
  ['http://me:50%@proxy.example', 'has a % in its user name or password: write each % there as %25'],
  ['http://m%e@proxy.example', 'has a % in its user name or password: write each % there as %25'],
  ['', undefined],
  ['http://me:50%25@proxy.example:8080', undefined],
  ['https://proxy.example', undefined],
] as const
