import { code, md } from './markdown.ts'

/** Replaces every secret in a text by `***`. */
export type Redact = (text: string) => string

/** A shorter secret is left to the runner's mask: to cut it out of texts would destroy words in them. */
const MIN_LENGTH = 8

/** Makes a function that takes secrets out of text: as they are, and in each encoding that this code makes of text. */
export function createRedact(secrets: readonly string[]): Redact {
  const forms = secrets.filter((secret) => secret.length >= MIN_LENGTH).flatMap(formsOf)
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((rest, form) => rest.replaceAll(form, '***'), text)
}

function formsOf(secret: string): string[] {
  const inCode = code(secret).source.replace(/^(?:<code>|`)|(?:<\/code>|`)$/g, '')
  const forms = [secret, JSON.stringify(secret).slice(1, -1), md`${secret}`.source, inCode]
  return secret.isWellFormed() ? [...forms, encodeURIComponent(secret), encodeURI(secret)] : forms
}
