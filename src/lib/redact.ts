import { md } from './markdown.ts'

/** Replaces every secret in a text by `***`. */
export type Redact = (text: string) => string

/**
 * Makes a function that takes secrets out of text, as they are and in each encoding this code can put them into:
 * JSON strings, URL parts, Base64 and Markdown.
 */
export function redactor(secrets: readonly string[]): Redact {
  const needles = new Set<string>()
  for (const secret of secrets) for (const form of formsOf(secret)) needles.add(form)
  const longestFirst = [...needles].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((clean, needle) => clean.replaceAll(needle, '***'), text)
}

/** A shorter secret is left to the runner's mask: to cut it out of texts would destroy words in them. */
const MIN_LENGTH = 8

function formsOf(secret: string): string[] {
  if (secret.length < MIN_LENGTH) return []
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
    md`${secret}`.source,
  ]
  return secret.isWellFormed() ? [...forms, encodeURIComponent(secret), encodeURI(secret)] : forms
}
