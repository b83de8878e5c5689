/** The pages of the major version that workflows use. */
const DOCS = 'https://github.com/your-org/docs-agent-action/blob/v1/docs/'

/** Finds the links that `docsLink` makes. */
export const DOCS_LINK = new RegExp(`${DOCS.replaceAll('.', '\\.')}[\\w-]+\\.md(?:#[\\w-]+)?`)

/** Links the page of the docs that has the steps, in parentheses, to follow the last word of a sentence. */
export function docsLink(page: `${string}.md` | `${string}.md#${string}`): string {
  return `(${DOCS}${page})`
}
