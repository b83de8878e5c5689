import { readPrompt, subjectMatter } from './prompt.ts'

/** A page of the site: its path in the repository and its text. */
export type Page = { readonly path: string; readonly text: string }

/** What the agent has to say of the sample site's product, by the subject it is asked about. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [
    /\bexit code 6\b/i,
    `\`brindle upgrade\` ends with exit code 6 if the newest snapshot is more than an hour old, or if there is none. It
hasn't changed anything by then. In a script, take a snapshot and try once more:

\`\`\`sh
brindle upgrade || { test $? -eq 6 && brindle snapshot && brindle upgrade; }
\`\`\``,
  ],
  [
    /\bupgrades? need/i,
    `Before it changes anything, \`brindle upgrade\` looks for a snapshot of the last hour. If there is none, it stops
with this message:

\`\`\`text
No snapshot of the last hour. Run "brindle snapshot" first, or pass --force.
\`\`\`

\`--force\` upgrades without one. An upgrade that fails half-way can then not be undone: use it only if you have another
backup.`,
  ],
]

const FILLERS =
  /^(?:about|add|also|and|are|can|docs?|document|documentation|explain|for|from|have|how|into|make|pages?|please|section|should|that|the|this|update|use|what|when|where|which|with|write)$/
/** A word in the path is better evidence of a page's subject than one in its text. */
const PATH_WEIGHT = 4
const MAX_FILES = 8
const MAX_HEADING_LENGTH = 64
const ORDER =
  /^(?:please\s+)?(?:add|document|explain|describe|mention|write(?: about)?|update|clarify|note|cover)\s+/i
/** `in the quickstart`, where the page is meant and not the subject. */
const WHERE =
  /^(?:in|on|to)\s+the\s+[\w-]+(?:\s+(?:page|guide|section))?\s+(?=how|why|what|when|where|which|that)\b/i

/** The page that shares most words with the prompt; the first one if none shares any. */
export function bestPage(pages: readonly Page[], prompt: string): Page | undefined {
  const wanted = wordsOf(linesOf(prompt).join(' '))
  const overlap = (text: string) => wordsOf(text).filter((word) => wanted.includes(word)).length
  const scores = pages.map(({ path, text }) => PATH_WEIGHT * overlap(path) + overlap(text))
  return pages[scores.indexOf(Math.max(...scores))]
}

/**
 * The page with a section that answers the prompt, before its closing "Next steps" or "Related" section if it has one.
 * The first line of the instructions makes heading and first sentence, the lines after it a list; the files that the
 * event's context names close the section.
 */
export function withNewSection(page: string, prompt: string): string {
  const subject = subjectOf(prompt)
  const points = linesOf(prompt).slice(1)
  const files = basedOn(prompt)
  const parts = [
    `## ${inert(upperFirst(subject).slice(0, MAX_HEADING_LENGTH))}`,
    KNOWN.find(([pattern]) => pattern.test(subject))?.[1] ??
      `This section covers ${inert(subject)}.`,
    points.map((point) => `- ${inert(point)}`).join('\n'),
    files === '' ? '' : `Based on the changes in ${files}.`,
  ]
  const section = `${parts.filter((part) => part !== '').join('\n\n')}\n`
  const closing = page.search(/^## (?:Next steps|Related)\b/m)
  if (closing < 0) return `${page.trimEnd()}\n\n${section}`
  return `${page.slice(0, closing)}${section}\n${page.slice(closing)}`
}

/** What a prompt is about, in one line: without directives, data, markup and the order that leads to it. */
export function subjectOf(prompt: string): string {
  const [line = ''] = linesOf(prompt)
  const subject = line.replace(ORDER, '').replace(WHERE, '')
  return subject.replace(/[.!:?]+$/, '') || 'an update of the docs'
}

/** {@link subjectOf} as a title. */
export function titleOf(prompt: string): string {
  return upperFirst(subjectOf(prompt))
}

/** The files that the event's context names, as `` `a.ts`, `b.ts` and 3 more``; empty if it names none. */
export function basedOn(prompt: string): string {
  const names = readPrompt(prompt).changedFiles.map((name) => `\`${name}\``)
  const shown = names.slice(0, MAX_FILES)
  if (names.length > shown.length) shown.push(`${names.length - shown.length} more`)
  return shown.join(', ').replace(/, ([^,]*)$/, ' and $1')
}

/** Words of three letters and more, without a plural's s. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9]{3,}/g) ?? []
  return [
    ...new Set(words.filter((word) => !FILLERS.test(word)).map((word) => word.replace(/s$/, ''))),
  ]
}

/** The instructions, line by line; where they are about "the changes below", the first commit instead. */
function linesOf(prompt: string): string[] {
  const subject = subjectMatter(prompt)
  const text = subject.includes('changes below') ? readPrompt(prompt).commit || subject : subject
  return text
    .split('\n')
    .map((line) => line.replaceAll(/^[\s>#*-]+|\p{Cc}+/gu, ' ').trim())
    .filter((line) => line !== '')
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** MDX takes `<` and `{` for code, and would not build. */
function inert(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('{', '&#123;')
}
