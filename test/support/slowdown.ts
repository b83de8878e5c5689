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
  // The first call compiles.
  work(ordinary)
  const leastUs = { given: Number.POSITIVE_INFINITY, ordinary: Number.POSITIVE_INFINITY }
  let slowdown = 0
  for (let round = 0; round < 3; round++) {
    leastUs.ordinary = Math.min(leastUs.ordinary, cpuTimeOf(work, ordinary))
    leastUs.given = Math.min(leastUs.given, cpuTimeOf(work, text))
    // Half a millisecond more on each side, so that a very short time decides nothing.
    slowdown = (leastUs.given + 500) / (leastUs.ordinary + 500)
    if (slowdown < 10) break
  }
  return slowdown
}

/** Returns microseconds. */
function cpuTimeOf(work: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage()
  work(text)
  const { user, system } = process.cpuUsage(before)
  return user + system
}
