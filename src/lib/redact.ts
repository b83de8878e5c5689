import { md } from './markdown.ts'

/** Replaces every secret in a text by `***`. */
export type Redact = (text: string) => string

/** A shorter secret is left to the runner's mask: to cut it out of texts would destroy words in them. */
const MIN_LENGTH = 8

/**
 * Makes a function that takes secrets out of text: as they are, in each encoding this code can put them into (JSON
 * strings, URL parts, Base64, Markdown), and with characters in between that nobody can see, which could be taken out
 * later and so put the secret together again.
 */
export function redactor(secrets: readonly string[]): Redact {
  const long = secrets.filter((secret) => secret.length >= MIN_LENGTH)
  const forms = [...new Set(long.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  const disguised = long.map(disguisedSecret)
  return (text) => {
    const clean = forms.reduce((rest, form) => rest.replaceAll(form, '***'), text)
    // Text of plain characters can hide nothing.
    if (/^[\n\t -%'-[\]-~]*$/.test(clean)) return clean
    return disguised.reduce((rest, replaceIn) => replaceIn(rest), clean)
  }
}

function formsOf(secret: string): string[] {
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
    md`${secret}`.source,
  ]
  return secret.isWellFormed() ? [...forms, encodeURIComponent(secret), encodeURI(secret)] : forms
}

/** Replaces a secret whose characters are escaped, or written as HTML entities, or have invisible ones in between. */
function disguisedSecret(secret: string): Redact {
  const bare = barePart(secret)
  if (bare.length < MIN_LENGTH) return (text) => text
  let pattern: RegExp | undefined
  return (text) => {
    // Unicode's sets of characters take milliseconds to be built, and hardly any text needs them.
    if (!barePart(text).includes(bare)) return text
    pattern ??= disguisePattern(secret)
    return text.replace(pattern, (match) => (barePart(match) === bare ? '***' : match))
  }
}

/** The visible ASCII characters of a text with its entities read back, without backslashes. */
function barePart(text: string): string {
  return text
    .replace(/[^\x21-\x7e]+/g, '')
    .replace(/&#(?:(\d{1,7})|x([\da-f]{1,6}));/gi, (_entity, decimal?: string, hex?: string) => {
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
      return code >= 0x21 && code <= 0x7e ? String.fromCharCode(code) : ''
    })
    .replace(/&(?:amp|lt|gt|quot|apos);/g, (entity) => NAMED_ENTITIES[entity] ?? entity)
    .replaceAll('\\', '')
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
}

const INVISIBLE = '[\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}]'

function disguisePattern(secret: string): RegExp {
  const visible = secret.replace(new RegExp(INVISIBLE, 'gu'), '')
  const characters = [...visible].map((character) => {
    const code = character.codePointAt(0) ?? 0
    const named = Object.keys(NAMED_ENTITIES).filter((entity) => NAMED_ENTITIES[entity] === character)
    const hex = code.toString(16)
    const entities = [`&#0{0,6}${code};`, `&#[xX]0{0,6}${hex.replace(/[a-f]/g, eitherCase)};`, ...named]
    return `(?:${[`\\\\?${escapeForPattern(character)}`, ...entities].join('|')})`
  })
  return new RegExp(characters.join(`(?:${INVISIBLE}|&#\\d{1,8};|&#[xX][\\da-fA-F]{1,8};)*?`), 'gu')
}

function eitherCase(letter: string): string {
  return `[${letter}${letter.toUpperCase()}]`
}

/** As `RegExp.escape`, which Node 24 has and its types do not know yet. */
function escapeForPattern(character: string): string {
  return /[\w]/.test(character) ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
