import { code, md } from './markdown.ts'

/** Replaces every secret in a text by `***`. */
export type Redact = (text: string) => string

/** Makes a function that takes secrets out of text: as they are, and in each encoding that this code makes of text. */
export function createRedact(secrets: readonly string[]): Redact {
  const formsOf = (secret: string): string[] => {
    const inCode = code(secret).source.replace(/^(?:<code>|`)|(?:<\/code>|`)$/g, '')
    const inUrls = [encodeURIComponent, encodeURI].map((encode) => encode(secret.toWellFormed()))
    return [secret, JSON.stringify(secret).slice(1, -1), md`${secret}`.source, inCode, ...inUrls]
  }
  // A shorter one is left to the runner's mask: to cut it out of texts would destroy words in them.
  const forms = secrets.filter((secret) => secret.length >= 8).flatMap(formsOf)
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((rest, form) => rest.replaceAll(form, '***'), text)
}
