import { withoutDirectives } from './directives.ts'

const MOST_POINTS = 8
const HEADING_LENGTH = 64
const ORDER =
  /^(?:please\s+)?(?:add|document|explain|describe|mention|write(?: about)?|update|clarify|note|cover)\s+/i

/**
 * The page with a section that answers the prompt, before its closing "Next steps" or "Related" section if it has one.
 * The prompt's first line makes heading and first sentence, the lines after it a list.
 */
export function withNewSection(page: string, prompt: string): string {
  const section = sectionFor(prompt)
  const closing = page.search(/^## (?:Next steps|Related)\b/m)
  if (closing < 0) return `${page.trimEnd()}\n\n${section}`
  return `${page.slice(0, closing)}${section}\n${page.slice(closing)}`
}

/** What a prompt is about, in one line: without directives, markup, control characters and the order that leads to it. */
export function subjectOf(prompt: string): string {
  return (
    linesOf(prompt)[0]
      ?.replace(ORDER, '')
      .replace(/[.!:?]+$/, '') || 'an update of the docs'
  )
}

function sectionFor(prompt: string): string {
  const subject = subjectOf(prompt)
  const points = linesOf(prompt).slice(1, 1 + MOST_POINTS)
  const intro = `This section covers ${inert(lowerFirst(subject))}.${points.length > 0 ? ' In short:' : ''}`
  const list = points.map((point) => `- ${inert(point)}`)
  return [`## ${inert(headingOf(subject))}`, '', intro, ...(list.length > 0 ? ['', ...list] : []), ''].join(
    '\n',
  )
}

function linesOf(prompt: string): string[] {
  return withoutDirectives(prompt)
    .split(/\r?\n/)
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
  return cut.charAt(0).toUpperCase() + cut.slice(1)
}

/** Leaves `JSON` and `--json` as they are. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

/** MDX takes `<` and `{` for code, and would not build. */
function inert(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('{', '&#123;')
}
