import { type Maybe, type Nodes, nodesOf, normalizeLogin, type Sent } from '../github/types.ts'
import { cleanMarkdown, clip } from '../lib/text.ts'

/** What the docs service's check run on a commit says; `words`: its own. */
type Deployment = {
  readonly state: 'ready' | 'building' | 'failed' | 'skipped' | 'unknown'
  readonly words: string
  readonly url: string
}

export type CommitChecks = {
  readonly isRead: boolean
  readonly deployment: Deployment | undefined
  /** Others that have failed. */
  readonly failed: readonly { readonly name: string; readonly url: string }[]
}

/** `url`: an https link; empty if there is none. */
export type Preview = Pick<Deployment, 'state' | 'url'>

const DEPLOYMENT = 'Mintlify Deployment'
const FAILED = ['FAILURE', 'TIMED_OUT', 'STARTUP_FAILURE']

/** What a query asks of a commit. `checkSuite.workflowRun` would need the permission `actions: read`. */
export const CHECK_FIELDS = `checkSuites(first: 100) { nodes { app { slug }
  deployments: checkRuns(first: 10, filterBy: { checkName: "${DEPLOYMENT}", checkType: LATEST }) {
    nodes { databaseId name status conclusion title summary url }
  }
  failures: checkRuns(first: 50, filterBy: { checkType: LATEST, conclusions: [${FAILED}] }) {
    nodes { name conclusion url }
  } } }`

export const COMMENT_FIELDS =
  'comments(first: 100) { nodes { body createdAt lastEditedAt author { __typename login } } }'

type CheckRun = Sent<
  Record<'name' | 'status' | 'conclusion' | 'title' | 'summary' | 'url', string> & {
    databaseId: number
  }
>
type CheckSuite = Sent<{
  app: { slug?: Maybe<string> }
  deployments: Nodes<CheckRun>
  failures: Nodes<CheckRun>
}>

/** A commit as far as `CHECK_FIELDS` ask for it. */
export type CheckedCommit = Sent<{ oid: string; checkSuites: Nodes<CheckSuite> }>

type Author = Sent<{ __typename: string; login: string }>
export type PullComments = Nodes<
  Sent<{ body: string; createdAt: string; lastEditedAt: string; author: Author }>
>

/** @param apps the service's: any job of any workflow may be named like its check */
export function readChecks(commit: Maybe<CheckedCommit>, apps: ReadonlySet<string>): CommitChecks {
  const suites = nodesOf(commit?.checkSuites).map((suite) => {
    return { ...suite, isService: apps.has(normalizeLogin(suite.app?.slug ?? '')) }
  })
  const deployments = suites.flatMap((suite) => (suite.isService ? nodesOf(suite.deployments) : []))
  const [newest] = deployments
    .filter(({ name }) => name === DEPLOYMENT)
    .toSorted((one, other) => (other.databaseId ?? 0) - (one.databaseId ?? 0))
  const failed = suites.flatMap(({ isService, failures }) =>
    nodesOf(failures).filter(
      ({ name, conclusion }) =>
        FAILED.includes(conclusion ?? '') && !(isService && name === DEPLOYMENT),
    ),
  )
  return {
    isRead: commit?.checkSuites != null,
    deployment: newest && {
      state: stateOf(newest),
      words: wordsOf(newest),
      url: `${newest.url ?? ''}`,
    },
    failed: failed.map(({ name, url }) => ({ name: `${name ?? ''}`, url: `${url ?? ''}` })),
  }
}

function stateOf({ status, conclusion }: CheckRun): Deployment['state'] {
  if (status !== 'COMPLETED') return 'building'
  if (conclusion === 'SUCCESS') return 'ready'
  if (conclusion === 'FAILURE' || conclusion === 'TIMED_OUT') return 'failed'
  return conclusion === 'SKIPPED' ? 'skipped' : 'unknown'
}

/** The first line of the summary, else the title. */
function wordsOf({ summary, title }: CheckRun): string {
  const lines = `${cleanMarkdown(summary ?? '')}\n${title ?? ''}`.split('\n')
  return clip(lines.find((line) => line.trim() !== '')?.trim() ?? '', 300)
}

/**
 * The check decides on the state; the service's comment has the link.
 *
 * @param sinceMs a comment that was last edited before this shows the state of an earlier build
 */
export function readPreview(
  { deployment }: CommitChecks,
  comments: Maybe<PullComments>,
  { sinceMs, apps }: { readonly sinceMs: number; readonly apps: ReadonlySet<string> },
): Preview {
  const comment = nodesOf(comments).find(
    ({ body, author }) =>
      body?.startsWith('<!-- mintlify-preview-comment') === true &&
      author?.__typename === 'Bot' &&
      apps.has(normalizeLogin(author.login ?? '')),
  )
  const isCurrent = Date.parse(comment?.lastEditedAt ?? comment?.createdAt ?? '') >= sinceMs
  const rows = readRows(comment?.body ?? '')
  const row = rows.find(({ isReady }) => isReady) ?? rows[0]
  const state = deployment?.state ?? (isCurrent && row?.isReady === true ? 'ready' : 'unknown')
  return { state, url: (state !== 'skipped' && row?.url) || '' }
}

/** Rows of the table `Project | Status | Preview | Updated (UTC)` that have a link. */
function readRows(body: string): readonly { readonly url: string; readonly isReady: boolean }[] {
  return body.split('\n').flatMap((line) => {
    const [, status = '', address = ''] =
      /\|([^|]*)\|\s*\[View Preview\]\(([^\s()]+)\)\s*\|/.exec(line) ?? []
    const url = URL.parse(address)
    if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return []
    return [{ url: url.href, isReady: /^[^\p{L}]*Ready[^\p{L}]*$/u.test(status) }]
  })
}
