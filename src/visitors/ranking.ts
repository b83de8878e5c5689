/** Keeps the first few of any number of pages, in a fixed order. */
export type Ranking<T> = {
  /** Takes a page in. One that was met before counts as it is now. */
  add(page: T): void
  /** The first `count` pages. Fewer, if it can't be sure of the rest. */
  first(count: number): T[]
}

/** Sorts the page that comes first to the front, as `Array.sort` wants it; never 0 for different pages. */
export type Order<T> = (left: T, right: T) => number

/** How many pages more than asked for are kept. */
const SPARE = 1000

/**
 * Opens a ranking of pages, whose memory does not grow with their number.
 *
 * What `first` returns is always the beginning of the true order, in which the later of two rows of one page counts. It
 * can be shorter than asked for only if some of the pages kept were met again with less, more than a thousand of them:
 * then a page that was let go may belong before those that are left, and nobody knows.
 *
 * @param most how many pages `first` is asked for at most
 */
export function openRanking<T extends { readonly path: string }>(order: Order<T>, most: number): Ranking<T> {
  const room = most + SPARE
  let kept = new Map<string, T>()
  let bestLetGo: T | undefined

  const isSure = (page: T): boolean => bestLetGo === undefined || order(page, bestLetGo) < 0

  function letGo(): void {
    const inOrder = [...kept.values()].sort(order)
    const best = inOrder[room]
    if (best !== undefined && isSure(best)) bestLetGo = best
    kept = new Map(inOrder.slice(0, room).map((page) => [page.path, page]))
  }

  return {
    add(page) {
      if (kept.has(page.path) || isSure(page)) kept.set(page.path, page)
      if (kept.size >= room * 2) letGo()
    },
    first: (count) => [...kept.values()].filter(isSure).sort(order).slice(0, count),
  }
}

/** Compares texts by their code units, whatever the language of the machine. */
export function byText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
