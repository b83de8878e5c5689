const NO_URL = "isn't an `http://` or `https://` URL"
const PERCENT = 'has a `%` in its user name or password that must be written as `%25`'

/** Values of the proxy variables, and what is wrong with them. */
export const PROXIES = [
  ['socks5://me:pw@proxy.example:1080', NO_URL],
  ['http://', NO_URL],
  ['http://a b', NO_URL],
  ['http://me:50%@proxy.example', PERCENT],
  ['http://m%e@proxy.example', PERCENT],
  ['', undefined],
  ['http://me:50%25@proxy.example:8080', undefined],
  ['https://proxy.example', undefined],
] as const
