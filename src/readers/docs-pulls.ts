import { joinMarkdown, link, type Markdown, md } from '../lib/markdown.ts'
import { countOf, formatCount, listOf } from '../lib/text.ts'
import type { Run } from '../runner/run.ts'
import { DAY_MS, isoDay, type Period } from './format.ts'

type Found = {
  readonly issueCount?: number
  readonly nodes?: readonly ({ readonly createdAt?: string; readonly url?: string } | null)[]
}

/** What became of the docs pull requests in the run's repository, as one line; `undefined` if not known, or there are none. */
export async function readDocsPulls(
  { fromMs, toMs }: Period,
  run: Run,
): Promise<Markdown | undefined> {
  const { inputs, github, clock, environment } = run
  if (inputs['github-token'] === '') return undefined
  // In a search, the login of an App's account is `app/NAME`.
  const logins = inputs['ignore-authors'].map((login) => login.toLowerCase())
  const authors = [...new Set(logins)].map(
    (login) => `author:${login.replace(/^(.*)\[bot\]$/, 'app/$1')}`,
  )
  const days = `${isoDay(fromMs)}..${isoDay(toMs - DAY_MS)}`
  const wanted = { merged: `merged:${days}`, closed: `is:unmerged closed:${days}`, open: 'is:open' }
  // One search for each author: not every GitHub takes several authors as "or".
  const searches = authors.flatMap((author, index) =>
    Object.entries(wanted).map(([kind, qualifiers]) => {
      const text = `repo:${environment.repository} is:pr ${author} ${qualifiers} sort:created-asc`
      const pulls = 'issueCount nodes { ... on PullRequest { createdAt url } }'
      return `${kind}${index}: search(type: ISSUE, first: 1, query: ${JSON.stringify(text)}) { ${pulls} }`
    }),
  )
  const answer = await github.read(() =>
    github.graphql<Readonly<Record<string, Found>>>(`query { ${searches.join(' ')} }`),
  )
  if (!answer.known || answer.value.errors.length > 0) return undefined
  const found = Object.entries(answer.value.data ?? {})
  const of = (kind: string): Found[] =>
    found.flatMap(([name, search]) => (name.startsWith(kind) ? [search] : []))
  const count = (kind: string): number =>
    of(kind).reduce((sum, { issueCount = 0 }) => sum + issueCount, 0)

  const ended = (['merged', 'closed'] as const).flatMap((kind) =>
    count(kind) > 0 ? `${formatCount(count(kind))} ${kind}` : [],
  )
  const parts = ended.length > 0 ? [md`${listOf(ended)} in the period`] : []
  const open = of('open').flatMap(({ nodes = [] }) => nodes.filter((node) => node !== null))
  const [oldest] = open.sort((left, right) =>
    (left.createdAt ?? '') < (right.createdAt ?? '') ? -1 : 1,
  )
  if (oldest !== undefined) {
    const ageMs = clock.now() - Date.parse(oldest.createdAt ?? '')
    const days = Math.floor(ageMs / DAY_MS)
    const age = days === 0 ? 'opened today' : `the oldest for ${countOf(days, 'day')}`
    parts.push(md`${formatCount(count('open'))} open, ${link(age, oldest.url ?? '')}`)
  }
  if (parts.length === 0) return undefined
  const query = encodeURIComponent(`is:pr ${authors.join(' OR ')}`)
  const url = `${github.serverUrl}/${environment.repository}/pulls?q=${query}`
  return md`${link('Docs pull requests', url)}: ${joinMarkdown(parts, '; ')}`
}
