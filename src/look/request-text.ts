import { visibleText, withoutComments } from '../lib/text.ts'

/**
 * In UTF-16 units. A longer text is taken as it is, because the time to judge it has a limit. A comment has at most 65,536
 * characters, of one or two units each.
 */
const MAX_JUDGED_TEXT = 2 * 65_536
const MAX_JUDGED_LINE = 1000

/**
 * Returns the text after the command; `undefined` if the text doesn't start with it. Quotes and HTML comments before it
 * are skipped; of the rest only the first line is judged.
 */
export function textAfterCommand(text: string, word: string): string | undefined {
  const lines = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const written = lines.slice(startOfWritten(lines))
  const rest = written.slice(word.length)
  const isCommand = written.slice(0, word.length).toLowerCase() === word.toLowerCase()
  return isCommand && /^[:,]?(?:\s|$)/.test(rest) ? rest.replace(/^[:,]/, '') : undefined
}

/** Returns where the first line begins that isn't empty, a quote, or an HTML comment; after at most 3 spaces. */
function startOfWritten(text: string): number {
  let at = 0
  const readNext = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  for (;;) {
    const line = readNext(/[^\S\n]*\n/y) ?? readNext(/ {0,3}>[^\n]*\n?/y)
    const indent = readNext(/ {0,3}/y)?.length ?? 0
    const end = text.startsWith('<!--', at + indent) ? text.indexOf('-->', at + indent + 2) : -1
    if (line !== undefined) at += line.length
    else if (end !== -1) at = end + 3
    else return at + indent
  }
}

/** Removes quoted emails and invisible text from the text after a command. */
export function requestText(text: string): string {
  const written = withoutEmail(text.replace(/\r\n?/g, '\n'))
  return visibleText(withoutComments(written, { isInLine: true, keepsCode: true })).trim()
}

/** Returns the request in the summary of a review, which may begin with the command. */
export function reviewText(text: string, word: string): string {
  const rest = word === '' ? undefined : textAfterCommand(text, word)
  return requestText(rest ?? `\n${text}`)
}

/** Returns the request in a review's comment on a line; empty if it is a command, which is answered on its own. */
export function lineCommentText(text: string, word: string): string {
  const isCommand = word !== '' && textAfterCommand(text, word) !== undefined
  return isCommand ? '' : requestText(`\n${text}`)
}

/** A line, judged by its beginning. */
type EmailLine = {
  readonly isQuoted: boolean
  /** Without the marks of a quote, and the space around it. */
  readonly text: string
}

/**
 * Removes the message that a reply by email quotes. It is recognized by GitHub's footer, which is in English in every
 * language and program. In doubt, everything stays.
 */
function withoutEmail(text: string): string {
  if (text.length > MAX_JUDGED_TEXT) return text
  const written = text.split('\n')
  const lines = written.map((line, index): EmailLine => {
    const judged = line.slice(0, MAX_JUDGED_LINE)
    return {
      isQuoted: index > 0 && /^\s*>/.test(judged),
      text: judged.replace(/^[\s>]+/, '').trim(),
    }
  })
  const footer = lines.findLastIndex((line) => EMAIL_FOOTER.test(line.text))
  if (footer < 1) return text
  const below = lines.findIndex((line, index) => index > footer && isSignature(line))
  const end = below === -1 ? lines.length : below
  const start = startOfEmail(lines.slice(0, end), footer)
  if (start === undefined || start > footer) return text
  return [...written.slice(0, start), ...written.slice(end)].join('\n')
}

/** The line that email programs put above a signature, `-- `. */
function isSignature({ isQuoted, text }: EmailLine): boolean {
  return text === '--' && !isQuoted
}

/** The links to the comment and to unsubscribe. In plain text only their words may be left. */
const EMAIL_FOOTER =
  /Reply to this email directly.{0,20}view it on GitHub|view it on GitHub ?[<(\]:]|\/notifications\/unsubscribe/i
const UNSUBSCRIBE_LINK = /\/notifications\/unsubscribe/i
/** Source: GitHub's notifications by email. */
const FOOTER_PHRASES =
  /You are receiving this because [^.]{0,200}\.|Reply to this email directly|view it on GitHub|unsubscribe|mute the thread|(?:Triage notifications|Stay on top of your notifications) on the go with GitHub Mobile for|iOS|Android|Message[ -]ID|\b(?:or|ID)\b/gi
/** An address at github.com, or one that GitHub has masked. */
const GITHUB_ADDRESS = /@(?:[\w-]{1,60}\.){0,4}github\.com\b|\*\*\*@\*\*\*\.\*\*\*/i

/** Whether lines have only GitHub's footer and quotes. */
function isFooter(lines: readonly EmailLine[]): boolean {
  const written = lines.map(({ isQuoted, text }) => (isQuoted ? '' : text)).join(' ')
  const words = written
    .replace(/https?:\/\/\S*/g, ' ')
    .replace(FOOTER_PHRASES, ' ')
    .split(/\s+/)
  return words.every((word) => GITHUB_ADDRESS.test(word) || !/[\p{L}\p{N}]/u.test(word))
}

/** Finds the first line of the email below a reply; `undefined` if there is none, or something is written below it. */
function startOfEmail(lines: readonly EmailLine[], footer: number): number | undefined {
  const quoted = lines.findLastIndex(({ isQuoted }) => isQuoted)
  if (quoted !== -1 && isFooter(lines.slice(quoted + 1))) return startOfQuote(lines, quoted)
  const [first = { isQuoted: false, text: '' }, ...rest] = lines.slice(footer)
  const mark = first.text.search(EMAIL_FOOTER)
  const isLast = isFooter([{ ...first, text: first.text.slice(mark) }, ...rest])
  return isLast ? startOfUnmarked(lines, footer) : undefined
}

/** Finds the first line of a quote marked by `>`, whose last line is given. */
function startOfQuote(lines: readonly EmailLine[], last: number): number | undefined {
  const isBelow = ({ isQuoted, text }: EmailLine): boolean => isQuoted || text === ''
  const top = lines.findLastIndex((line, index) => index < last && !isBelow(line)) + 1
  const blocks = lines.flatMap(({ isQuoted }, index) => {
    return isQuoted && !lines[index - 1]?.isQuoted ? index : []
  })
  // Apple's programs introduce the quote within it.
  const introduced = blocks.find((index) => index >= top && isIntroducedAt(lines, index))
  const above = startOfIntro(lines, top)
  const isSure = GITHUB_ADDRESS.test(joinedText(lines.slice(above, top)))
  if (above !== undefined && (isSure || introduced === undefined)) return above
  if (introduced !== undefined) return introduced
  // Without an introduction, only the link shows that it wasn't quoted on purpose. Answers between quotes stay.
  const block = blocks.at(-1) ?? last
  const isEmail = lines.slice(block).some(({ text }) => UNSUBSCRIBE_LINK.test(text))
  const [first = last] = blocks
  const belowIntro = lines.findLastIndex(({ text }, index) => index < first && text !== '') + 1
  const isIntroduced = isIntroducedAt(lines, first) || introAbove(lines, belowIntro) !== undefined
  return isEmail && !(first < top && isIntroduced) ? block : undefined
}

/** Whether the first lines of a quote are a header or introduce it. */
function isIntroducedAt(lines: readonly EmailLine[], index: number): boolean {
  if (headerAt(lines, index) !== '') return true
  const near = lines.slice(index, index + MAX_INTRO_LINES)
  const end = near.findIndex(({ isQuoted }) => !isQuoted)
  const first = end === -1 ? near : near.slice(0, end)
  return first.some((line, count) => {
    const intro = joinedText(first.slice(0, count + 1))
    return ENDS_INTRO.test(line.text) && (GITHUB_ADDRESS.test(intro) || INTRO_DATE.test(intro))
  })
}

/** Finds the first line of a message that isn't marked, by its header or by the line that introduces it. */
function startOfUnmarked(lines: readonly EmailLine[], footer: number): number | undefined {
  const ranks = lines.slice(0, footer).map((_line, index) => rankOfIntro(lines, index))
  const best = Math.min(...INTRO_RANKS.filter((rank) => ranks.includes(rank)))
  const index = ranks.indexOf(best)
  if (index === -1) return undefined
  // The author wrote the lines that aren't quoted below a quote.
  if (lines.slice(index + 1).find(({ text }) => text !== '')?.isQuoted) return undefined
  if (index > 0 && headerAt(lines, index) !== '') return withRule(lines, index)
  // Without its line breaks a reply may run into the introduction.
  const lead = (lines[index]?.text ?? '').search(/\p{Nd}|@/u)
  return index === 0 || lead > MAX_INTRO_LEAD ? index + 1 : startOfIntro(lines, index + 1)
}

const INTRO_RANKS = [0, 1, 2]

/** Ranks a line as the first of a header, or the last of an introduction, of a message; lower is surer. */
function rankOfIntro(lines: readonly EmailLine[], index: number): number | undefined {
  const { isQuoted, text } = lines[index] ?? { isQuoted: true, text: '' }
  if (isQuoted) return undefined
  const header = index === 0 ? '' : headerAt(lines, index)
  if (header !== '') return EMAIL_SUBJECT.test(header) ? 0 : 1
  if (!ENDS_INTRO.test(text)) return undefined
  const intro = joinedText(lines.slice(Math.max(0, index - MAX_INTRO_LINES + 1), index + 1))
  if (GITHUB_ADDRESS.test(intro)) return INTRO_DATE.test(intro) ? 0 : 1
  return INTRO_DATE.test(text) && INTRO_TIME.test(text) ? 2 : undefined
}

const MAX_INTRO_LINES = 4
/** An introduction has its date or its address among its first characters. */
const MAX_INTRO_LEAD = 60
const ENDS_INTRO = /[:：][*_]{0,2}$/
/** A year, or a date in digits. */
const INTRO_DATE = /\p{Nd}{4}|\p{Nd}{1,2}[./-]\p{Nd}{1,2}[./-]\p{Nd}{2}/u
const INTRO_TIME = /\p{Nd}{1,2}[:.h]\p{Nd}{2}/u

/** Finds the first line of an introduction to a quote, above a line; `undefined` if there is none but the command. */
function startOfIntro(lines: readonly EmailLine[], below: number): number | undefined {
  const top = Math.max(1, below - MAX_EMAIL_HEADER_LINES)
  const near = lines.slice(top, below)
  const above = near.findLastIndex((line) => line.text !== '' && !isInHeader(line))
  const header = near.findIndex((_line, index) => {
    return index > above && headerAt(lines, top + index) !== ''
  })
  if (header !== -1) return withRule(lines, top + header)
  const dated = introAbove(lines, below)
  if (dated !== undefined) return withRule(lines, dated)
  const first = top + near.findLastIndex(({ isQuoted, text }) => isQuoted || text === '') + 1
  const intro = joinedText(lines.slice(first, below))
  const hasSign = ENDS_INTRO.test(intro) || INTRO_DATE.test(intro) || INTRO_TIME.test(intro)
  // An answer between quotes may look like that, too.
  const hasQuote = lines.slice(0, first).some(({ isQuoted }) => isQuoted)
  const isIntro = hasSign && (GITHUB_ADDRESS.test(intro) || !hasQuote)
  const isParagraph = first > 1 && below - first <= MAX_INTRO_LINES
  return isIntro && isParagraph ? withRule(lines, first) : undefined
}

/** Finds the first line of an introduction with a date, right above a line; the command's own isn't one. */
function introAbove(lines: readonly EmailLine[], below: number): number | undefined {
  for (let start = below - 1; start >= Math.max(1, below - MAX_INTRO_LINES); start--) {
    const line = lines[start]
    if (line === undefined || line.isQuoted || line.text === '') return undefined
    const intro = joinedText(lines.slice(start, below))
    if (INTRO_DATE.test(intro) && (GITHUB_ADDRESS.test(intro) || ENDS_INTRO.test(intro)))
      return start
  }
  return undefined
}

const MAX_EMAIL_HEADER_LINES = 12
/** `From: Ada`, `**De :** Ada`, `发件人：Ada`. */
const EMAIL_HEADER_LINE = /^[*_\s]{0,4}\p{L}[^:：\p{Nd}]{0,30}[:：](?!\/\/)/u
/** GitHub's subjects name the repository. */
const EMAIL_SUBJECT = /\[[\w.-]{1,100}\/[\w.-]{1,100}\]/

/** Reads the header of a message that begins in a line: three or more lines, one of the first with an address. */
function headerAt(lines: readonly EmailLine[], index: number): string {
  const [first = '', second = '', third = ''] = lines
    .slice(index, index + 3)
    .map(({ text }) => text)
  if (!EMAIL_HEADER_LINE.test(first)) return ''
  const sender = EMAIL_HEADER_LINE.test(second) ? first : `${first} ${second}`
  const isSender = GITHUB_ADDRESS.test(sender)
  const isRecipient = second !== '' && !GITHUB_ADDRESS.test(second) && GITHUB_ADDRESS.test(third)
  if (!isSender && !isRecipient) return ''
  const next = lines.slice(index, index + MAX_EMAIL_HEADER_LINES).filter(({ text }) => text !== '')
  const end = next.findIndex((line) => !isInHeader(line))
  const header = end === -1 ? next : next.slice(0, end)
  return header.length >= 3 ? joinedText(header) : ''
}

function isInHeader({ text }: EmailLine): boolean {
  return EMAIL_HEADER_LINE.test(text) || GITHUB_ADDRESS.test(text)
}

/** Adds the rule above an introduction: `________`, `-----Original Message-----`. */
function withRule(lines: readonly EmailLine[], start: number): number {
  const above = lines.findLastIndex(({ text }, index) => index < start && text !== '')
  return above > 0 && /^[_-]{4}/.test(lines[above]?.text ?? '') ? above : start
}

/** Joins lines that an email program has wrapped. */
function joinedText(lines: readonly EmailLine[]): string {
  return lines
    .map(({ text }) => text)
    .join(' ')
    .trim()
}
