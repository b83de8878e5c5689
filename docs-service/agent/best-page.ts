/** A page of the site: its path in the repository and its text. */
export type Page = { path: string; text: string }

const FILLERS = new Set(
  'about add also and are can document documentation docs explain for from have how into make page pages please section should that the this update use what when where which with write'.split(
    ' ',
  ),
)
/** A word in the path says more about what a page is for than one somewhere in its text. */
const PATH_WEIGHT = 4

/** The page that shares most words with the prompt; the first one if none shares any. `undefined` without pages. */
export function bestPage(pages: readonly Page[], prompt: string): Page | undefined {
  const asked = wordsOf(prompt)
  let best: { page: Page; score: number } | undefined
  for (const page of pages) {
    const score = PATH_WEIGHT * overlap(asked, wordsOf(page.path)) + overlap(asked, wordsOf(page.text))
    if (best === undefined || score > best.score) best = { page, score }
  }
  return best?.page
}

function overlap(asked: ReadonlySet<string>, found: ReadonlySet<string>): number {
  return [...asked].filter((word) => found.has(word)).length
}

/** Words of three letters and more, without a plural's s. */
function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z0-9]{3,}/g) ?? []
  return new Set(words.filter((word) => !FILLERS.has(word)).map((word) => word.replace(/s$/, '')))
}
