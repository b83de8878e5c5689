/** Text as it is seen: each line break is `\n`, and control, format and invisible characters are out. */
export function visibleText(text: string): string {
  return without('(?![\\n\\t])[\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}]', text)
}

/** The same, but with what joins letters or chooses their look: that is the business of many languages and of emoji. */
export function readableText(text: string): string {
  return without('(?![\\n\\t\\u200C\\u200D])[\\p{Cc}\\p{Cf}]', text)
}

/** Text without HTML comments; one that is not closed goes on to the end. */
export function withoutHtmlComments(text: string): string {
  return text.replace(/<!--(?:>|->|[\s\S]*?(?:-->|$))/g, '')
}

function without(hidden: string, text: string): string {
  // Most text is seen whole. For what is not: Unicode's sets of characters take a millisecond to be built.
  if (/^[\n\t -~]*$/.test(text)) return text
  return text.replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, '\n').replace(new RegExp(hidden, 'gu'), '')
}
