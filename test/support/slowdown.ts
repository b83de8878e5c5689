/** Length of the texts, in characters: that of the longest comment. */
const LENGTH = 65_536
const ORDINARY =
  'Explain the `--flag`, please, and see <b>docs/a.md</b>.\n> Or not: why? <!-- x -->\n\n'

/** Repeats a piece of text up to the length of the longest comment. */
export function longText(piece: string, { start = '', end = '' } = {}): string {
  const count = Math.ceil((LENGTH - start.length - end.length) / piece.length)
  return start + piece.repeat(count).slice(0, LENGTH - start.length - end.length) + end
}

/**
 * Measures how many times longer work on a text takes than on an ordinary text of the same length. It counts the time
 * of this process, so it doesn't depend on what else the machine does.
 */
export function slowdownOf(work: (text: string) => unknown, text: string): number {
  const ordinary = longText(ORDINARY)
  // The first calls compile.
  for (let round = 0; round < 3; round++) work(ordinary)
  const least = (given: string): number => {
    const times = [1, 2, 3].map(() => {
      const before = process.cpuUsage()
      work(given)
      const { user, system } = process.cpuUsage(before)
      return user + system
    })
    return Math.min(...times)
  }
  // Half a millisecond more on each side, so that a very short time decides nothing.
  return (least(text) + 500) / (least(ordinary) + 500)
}
