import { code, joinMarkdown, type Markdown, md } from './markdown.ts'

/** Sentences of ours, with what they quote: words in backticks are shown as code, all else is inert text. */
export function sentencesWithCode(text: string): Markdown {
  const pieces = text.split(/`([^`]*)`/)
  return joinMarkdown(
    pieces.map((piece, index) => (index % 2 === 1 ? code(piece) : md`${piece}`)),
    '',
  )
}
