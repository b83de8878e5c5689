import { readPrompt, subjectMatter } from './prompt.ts'

/** A page of the site: its path in the repository and its text. */
export type Page = { path: string; text: string }

const FILLERS = new Set(
  'about add also and are can document documentation docs explain for from have how into make page pages please section should that the this update use what when where which with write'.split(
    ' ',
  ),
)
/** A word in the path says more about what a page is for than one somewhere in its text. */
const PATH_WEIGHT = 4
const MAX_POINTS = 8
const MAX_FILES = 8
const HEADING_LENGTH = 64
const FILE_NAME_LENGTH = 200
const ORDER =
  /^(?:please\s+)?(?:add|document|explain|describe|mention|write(?: about)?|update|clarify|note|cover)\s+/i
/** `in the quickstart`, where the page is meant and not the subject. */
const WHERE =
  /^(?:in|on|to)\s+the\s+[\w-]+(?:\s+(?:page|guide|section))?\s+(?=how|why|what|when|where|which|that)\b/i

/** The page that shares most words with the prompt; the first one if none shares any. `undefined` without pages. */
export function bestPage(pages: readonly Page[], prompt: string): Page | undefined {
  const wanted = wordsOf(subjectMatter(prompt))
  let best: { page: Page; score: number } | undefined
  for (const page of pages) {
    const score = PATH_WEIGHT * overlap(wanted, wordsOf(page.path)) + overlap(wanted, wordsOf(page.text))
    if (best === undefined || score > best.score) best = { page, score }
  }
  return best?.page
}

/**
 * The page with a section that answers the prompt, before its closing "Next steps" or "Related" section if it has one.
 * The first line of the instructions makes heading and first sentence, the lines after it a list; the files that the
 * event's context names close the section.
 */
export function withNewSection(page: string, prompt: string): string {
  const section = sectionFor(prompt)
  const closing = page.search(/^## (?:Next steps|Related)\b/m)
  if (closing < 0) return `${page.trimEnd()}\n\n${section}`
  return `${page.slice(0, closing)}${section}\n${page.slice(closing)}`
}

/** What a prompt is about, in one line: without directives, data, markup, control characters and the order that leads to it. */
export function subjectOf(prompt: string): string {
  return (
    linesOf(prompt)[0]
      ?.replace(ORDER, '')
      .replace(WHERE, '')
      .replace(/[.!:?]+$/, '') || 'an update of the docs'
  )
}

/** {@link subjectOf} as a heading. */
export function titleOf(prompt: string): string {
  return upperFirst(subjectOf(prompt))
}

/** The files that the event's context names, as `a.ts`, `b.ts` and 3 more; `''` if it names none. */
export function basedOn(prompt: string, asCode: (name: string) => string): string {
  const names = readPrompt(prompt).changedFiles.map(plainName)
  const shown = names.slice(0, MAX_FILES).map(asCode)
  const more = names.length - shown.length
  if (more > 0) return `${shown.join(', ')} and ${more} more`
  const last = shown.pop()
  if (last === undefined) return ''
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`
}

function sectionFor(prompt: string): string {
  const subject = subjectOf(prompt)
  const points = linesOf(prompt).slice(1, 1 + MAX_POINTS)
  const intro = `This section covers ${inert(lowerFirst(subject))}.${points.length > 0 ? ' In short:' : ''}`
  const list = points.map((point) => `- ${inert(point)}`)
  const files = basedOn(prompt, codeSpan)
  return [
    `## ${inert(headingOf(subject))}`,
    '',
    intro,
    ...(list.length > 0 ? ['', ...list] : []),
    ...(files === '' ? [] : ['', `Based on the changes in ${files}.`]),
    '',
  ].join('\n')
}

function overlap(wanted: ReadonlySet<string>, found: ReadonlySet<string>): number {
  return [...wanted].filter((word) => found.has(word)).length
}

/** Words of three letters and more, without a plural's s. */
function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z0-9]{3,}/g) ?? []
  return new Set(words.filter((word) => !FILLERS.has(word)).map((word) => word.replace(/s$/, '')))
}

function linesOf(prompt: string): string[] {
  return subjectMatter(prompt)
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/\p{Cc}+/gu, ' ')
        .replace(/^[\s>#*-]+/, '')
        .trim(),
    )
    .filter((line) => line !== '')
}

function headingOf(subject: string): string {
  const cut =
    subject.length <= HEADING_LENGTH
      ? subject
      : `${subject.slice(0, HEADING_LENGTH).replace(/\s+\S*$/, '')} …`
  return upperFirst(cut)
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Leaves `JSON` and `--json` as they are. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

/** MDX takes `<` and `{` for code, and would not build. */
function inert(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('{', '&#123;')
}

/** A name in which nothing but a name is left: it may come from anybody who opened a pull request. */
function plainName(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}`]+/gu, '').slice(0, FILE_NAME_LENGTH)
}

function codeSpan(name: string): string {
  return `\`${name}\``
}
