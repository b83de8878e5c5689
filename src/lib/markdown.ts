import { isPrivateTransport } from './http.ts'
import { clip, DOCS_LINK, fenceFor, readableText } from './text.ts'

/** GitHub-flavoured Markdown that is safe to publish. Made only by the functions of this file. */
export class Markdown {
  readonly source: string

  private constructor(source: string) {
    this.source = source
  }

  /** Takes text as Markdown, unescaped: only for our own text. */
  static raw(source: string): Markdown {
    return new Markdown(source)
  }
}

/** What may stand in a template: Markdown as it is, anything else as inert text. */
type MarkdownValue = Markdown | string | number

/** Tags a template of the action's own Markdown. Each text put into it is made inert. */
export function md(literals: TemplateStringsArray, ...values: readonly MarkdownValue[]): Markdown {
  return Markdown.raw(String.raw({ raw: literals }, ...values.map(sourceOf)))
}

/** Joins pieces, by default as paragraphs; missing and empty ones are left out. */
export function joinMarkdown(
  pieces: readonly (Markdown | undefined)[],
  separator = '\n\n',
): Markdown {
  return Markdown.raw(pieces.flatMap((piece) => piece?.source || []).join(separator))
}

/** Makes a code span, shown letter by letter, on one line. It is safe in tables. */
export function code(text: string): Markdown {
  const shown = onOneLine(text)
  if (shown === '') return Markdown.raw('')
  if (/[`|\\]|^ | $/.test(shown))
    return Markdown.raw(`<code>${asEntities(withoutAutolinks(shown))}</code>`)
  return Markdown.raw(`\`${shown}\``)
}

/** Makes a block of code, shown letter by letter. */
export function codeBlock(text: string, language = 'text'): Markdown {
  const shown = readableText(text)
  const fence = fenceFor(shown)
  return Markdown.raw(`${fence}${language}\n${shown}\n${fence}`)
}

/** Maximum length of a URL that every browser follows. */
export const MAX_LINK_LENGTH = 2000

/** Makes a link if the URL is https, or http to this machine, and short enough for browsers. Otherwise the URL as code. */
export function link(label: string | Markdown, url: string): Markdown {
  const parsed = URL.parse(url)
  if (
    parsed === null ||
    !isPrivateTransport(parsed) ||
    parsed.username !== '' ||
    parsed.password !== ''
  ) {
    return code(url)
  }
  if (url.length > MAX_LINK_LENGTH) return code(clip(url, MAX_LINK_LENGTH))
  // `URL` has percent-encoded all that is not ASCII.
  const href = parsed.href.replace(
    /[^\w\-./:?=&%#+,;@]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return Markdown.raw(`[${sourceOf(label)}](${href.replaceAll('&', '&amp;')})`)
}

export type Row = readonly MarkdownValue[]

/** Makes a table. `align` has one letter per column: `l` or `r`. */
export function table(head: Row, rows: readonly Row[], align = 'l'.repeat(head.length)): Markdown {
  const rule = [...align].map((side) => (side === 'r' ? '---:' : ':---'))
  const lines = [head.map(sourceOf), rule, ...rows.map((row) => row.map(sourceOf))]
  return Markdown.raw(lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n'))
}

/** Makes a part that is opened by a click. */
export function details(title: string, body: Markdown): Markdown {
  return Markdown.raw(`<details><summary>${inert(title)}</summary>\n\n${body.source}\n\n</details>`)
}

function sourceOf(value: MarkdownValue): string {
  return value instanceof Markdown ? value.source : inert(String(value))
}

// An invisible word-breaking mark. GitHub looks for mentions and references in the rendered text, where an
// escaped character is the character itself.
const BREAK = '\u200B'

function inert(text: string): string {
  return (
    withoutAutolinks(onOneLine(text))
      .replace(/[&<>|\\`*_[\]~$#]/g, inertCharacter)
      .replace(/\b(GH-)(?=\d)/gi, `$1${BREAK}`)
      // The SHA of a commit.
      .replace(/\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f](?=[\da-f]{6,39}\b)/g, `$&${BREAK}`)
      .replace(/^ ?\d+(?=[.)])/, `$&${BREAK}`)
      .replace(/^( ?)([-+=:])/, '$1\\$2')
  )
}

/** Breaks what GitHub makes links of, even in the `<code>` of HTML: addresses and mentions. */
function withoutAutolinks(text: string): string {
  return text.replace(/@|:(?=\/\/)|\bwww(?=\.)/gi, `$&${BREAK}`)
}

function inertCharacter(character: string): string {
  if (character === '#') return `${character}${BREAK}`
  return '&<>|'.includes(character) ? asEntities(character) : `\\${character}`
}

function asEntities(text: string): string {
  return text.replace(/[!-/:-@[-`{-~]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function onOneLine(text: string): string {
  return readableText(text).replace(/\s+/g, ' ')
}

/** Makes Markdown of the action's own sentences: words in backticks become code, links to its docs stay links. */
export function sentencesWithCode(text: string): Markdown {
  const pieces = text
    .split(new RegExp(`(\`[^\`]*\`|${DOCS_LINK.source})`))
    // Within a line, a mark that would begin a list is none.
    .map((piece, index) => {
      if (index % 2 === 0)
        return Markdown.raw(index === 0 ? inert(piece) : inert(`.${piece}`).slice(1))
      return piece.startsWith('`') ? code(piece.slice(1, -1)) : link('docs', piece)
    })
  return joinMarkdown(pieces, '')
}

/** Replaces every secret in a text by `***`. */
export type Redact = (text: string) => string

/** Makes a function that takes secrets out of text: as they are, and in each encoding that this code makes of text. */
export function createRedact(secrets: readonly string[]): Redact {
  const formsOf = (secret: string): string[] => {
    const inCode = code(secret).source.replace(/^(?:<code>|`)|(?:<\/code>|`)$/g, '')
    const inUrls = [encodeURIComponent, encodeURI].map((encode) => encode(secret.toWellFormed()))
    const inBase64 = [0, 1, 2].map((skipped) =>
      Buffer.from(secret)
        .subarray(skipped, secret.length - ((secret.length - skipped) % 3))
        .toString('base64'),
    )
    return [
      secret,
      JSON.stringify(secret).slice(1, -1),
      md`${secret}`.source,
      inCode,
      ...inUrls,
      ...inBase64,
    ]
  }
  // A shorter one is left to the runner's mask: to cut it out of texts would destroy words in them.
  const forms = secrets.filter((secret) => secret.length >= 8).flatMap(formsOf)
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((rest, form) => rest.replaceAll(form, '***'), text)
}
