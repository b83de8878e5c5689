/** Length of the texts, in characters: that of the longest comment. */
const LENGTH = 65_536

/** Repeats a piece of text up to the length of the longest comment. */
export function longText(piece: string, { start = '', end = '' } = {}): string {
  const count = Math.ceil((LENGTH - start.length - end.length) / piece.length)
  return start + piece.repeat(count).slice(0, LENGTH - start.length - end.length) + end
}
