/** Keys of the service that these calls refuse, by prefix. Source: the vendor's documentation (August 2026). */
const OTHER_KINDS: Readonly<Record<string, string>> = {
  mint_dsc_: 'an assistant key',
  mint_us_: 'a search (index) key',
}

/**
 * What is wrong with an API key as far as that can be told without asking; never quotes the key.
 *
 * @returns the problem in words, or `undefined` if the key may be right. Unknown prefixes may be right: a server
 * behind another `base-url` has its own.
 */
export function apiKeyProblem(key: string): string | undefined {
  for (const [prefix, kind] of Object.entries(OTHER_KINDS)) {
    if (key.startsWith(prefix))
      return `is ${kind} (it begins with ${prefix}); these calls want an admin API key`
  }
  // What a header can carry of RFC 6750's token, and nothing that ends the header.
  if (!/^[\x21-\x7e]+$/.test(key)) return 'holds white space or characters that no API key has'
  return undefined
}
