import { type Maybe, normalizeLogin, type Sent } from '../github/types.ts'
import { cleanMarkdown, clip } from '../lib/text.ts'

/** The docs service's check run on a commit. Source: service-api.md, "On GitHub". */
export type Deployment = {
  readonly state: 'ready' | 'building' | 'failed' | 'skipped' | 'unknown'
  /** What the check says where it failed, in its own words. */
  readonly words: string
  readonly url: string
}

/** `url`: an https link; empty if there is none. `deployment`: the check that decides on the state, if there is one. */
export type Preview = Pick<Deployment, 'state' | 'url'> & { readonly deployment: Deployment | undefined }

export type FailedCheck = { readonly name: string; readonly url: string }

/** The login of the docs service's App; `ignore-authors` may name further ones. */
const SERVICE_APP = 'mintlify'
const DEPLOYMENT = 'Mintlify Deployment'
const FAILED = ['FAILURE', 'TIMED_OUT', 'STARTUP_FAILURE']
const MAX_WORDS_LENGTH = 300

/** What the queries ask of a commit. `checkSuite.workflowRun` would need the permission `actions: read`. */
export const CHECK_FIELDS = `checkSuites(first: 100) { nodes {
  app { slug }
  deployments: checkRuns(first: 10, filterBy: { checkName: "${DEPLOYMENT}", checkType: LATEST }) {
    nodes { databaseId name status conclusion title summary url }
  }
  failures: checkRuns(first: 50, filterBy: { checkType: LATEST, conclusions: [${FAILED.join(', ')}] }) {
    nodes { name conclusion url }
  }
} }`

/** The same for a pull request's comments. */
export const COMMENT_FIELDS =
  'comments(first: 100) { nodes { body createdAt lastEditedAt author { __typename login } } }'

export type Nodes<T> = Sent<{ nodes: readonly Maybe<T>[] }>

type CheckRun = Sent<{
  databaseId: number
  name: string
  /** `COMPLETED`, or anything else: not yet. */
  status: string
  conclusion: string
  title: string
  summary: string
  url: string
}>

export type CheckSuites = Nodes<
  Sent<{ app: Sent<{ slug: string }>; deployments: Nodes<CheckRun>; failures: Nodes<CheckRun> }>
>

export type PullComments = Nodes<
  Sent<{
    body: string
    createdAt: string
    lastEditedAt: string
    author: Sent<{ __typename: string; login: string }>
  }>
>

export function nodesOf<T>(connection: Maybe<Nodes<T>>): T[] {
  return (connection?.nodes ?? []).filter((node) => node != null)
}

/** The newest deployment of a commit by the service's App: any job of any workflow may have the same name. */
export function findDeployment(
  suites: Maybe<CheckSuites>,
  ignoredAuthors: readonly string[],
): Deployment | undefined {
  const runs = nodesOf(suites).flatMap(({ app, deployments }) =>
    isService(app?.slug, ignoredAuthors) ? nodesOf(deployments) : [],
  )
  const [newest] = runs
    .filter(({ name }) => name === DEPLOYMENT)
    .toSorted((one, other) => (other.databaseId ?? 0) - (one.databaseId ?? 0))
  if (newest === undefined) return undefined
  const lines = cleanMarkdown(newest.summary ?? '').split('\n')
  const words = lines.find((line) => line.trim() !== '') || cleanMarkdown(newest.title ?? '')
  return { state: stateOf(newest), words: clip(words.trim(), MAX_WORDS_LENGTH), url: newest.url ?? '' }
}

function stateOf({ status, conclusion }: CheckRun): Deployment['state'] {
  if (status !== 'COMPLETED') return 'building'
  if (conclusion === 'SUCCESS') return 'ready'
  if (conclusion === 'FAILURE' || conclusion === 'TIMED_OUT') return 'failed'
  return conclusion === 'SKIPPED' ? 'skipped' : 'unknown'
}

/** Check runs that have failed, the service's deployment aside. */
export function findFailedChecks(
  suites: Maybe<CheckSuites>,
  ignoredAuthors: readonly string[],
): readonly FailedCheck[] {
  return nodesOf(suites).flatMap(({ app, failures }) => {
    const isOwn = isService(app?.slug, ignoredAuthors)
    const failed = nodesOf(failures).filter(
      ({ name, conclusion }) => FAILED.includes(conclusion ?? '') && !(isOwn && name === DEPLOYMENT),
    )
    return failed.map(({ name, url }) => ({ name: name ?? '', url: url ?? '' }))
  })
}

/**
 * The preview of a pull request: the check decides on its state, and the service's comment has the link.
 *
 * @param sinceMs a comment that was last edited before this tells of an earlier build
 */
export function findPreview(
  deployment: Deployment | undefined,
  comments: Maybe<PullComments>,
  { sinceMs, ignoredAuthors }: { readonly sinceMs: number; readonly ignoredAuthors: readonly string[] },
): Preview {
  const own = nodesOf(comments).find(
    ({ body, author }) =>
      body?.startsWith('<!-- mintlify-preview-comment') === true &&
      author?.__typename === 'Bot' &&
      isService(author.login, ignoredAuthors),
  )
  const rows = readRows(own?.body ?? '')
  const row = rows.find(({ isReady }) => isReady) ?? rows[0]
  const isCurrent = Date.parse(own?.lastEditedAt ?? own?.createdAt ?? '') >= sinceMs
  const isReady = isCurrent && row?.isReady === true
  const state = deployment?.state ?? (isReady ? 'ready' : 'unknown')
  return { state, url: row?.url ?? '', deployment }
}

/** Rows of the table `Project | Status | Preview | Updated (UTC)` that have a link. */
function readRows(body: string): readonly { readonly url: string; readonly isReady: boolean }[] {
  return body.split('\n').flatMap((line) => {
    const [, status = '', address = ''] = /\|([^|]*)\|\s*\[View Preview\]\(([^\s()]+)\)\s*\|/.exec(line) ?? []
    const url = URL.parse(address)
    if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return []
    return [{ url: url.href, isReady: /^[^\p{L}]*Ready[^\p{L}]*$/u.test(status) }]
  })
}

function isService(login: Maybe<string>, ignoredAuthors: readonly string[]): boolean {
  const services = [SERVICE_APP, ...ignoredAuthors].map(normalizeLogin)
  return services.includes(normalizeLogin(login ?? ''))
}
