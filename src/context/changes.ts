import type { GitHub } from '../github/github.ts'
import type { Octokit } from '../github/octokit.ts'
import { isRecord, type JsonRecord, listField, stringField } from '../lib/json.ts'
import type { Environment } from '../runner/environment.ts'
import type { ChangedFile } from './diff.ts'
import { type Fact, type FactList, MAX_FILES, NOTHING } from './render.ts'

/** What has changed between two commits. */
export type Changes = {
  readonly facts: readonly Fact[]
  readonly commits: FactList<string>
  readonly files: FactList<ChangedFile>
}

/** Nothing that has changed, with what there is to say of it. */
export function noChanges(facts: readonly Fact[] = []): Changes {
  return { facts, commits: NOTHING, files: NOTHING }
}

export const NOT_KNOWN = 'not known: GitHub could not be asked'

/** As many entries as GitHub gives on a page. */
const PAGE_SIZE = 100

type Rest = Octokit['rest']
type Answer<Call extends (...given: never[]) => Promise<{ data: unknown }>> = Awaited<
  ReturnType<Call>
>['data']
type Comparison = Answer<Rest['repos']['compareCommitsWithBasehead']>
type WorkflowRun = Answer<Rest['actions']['listWorkflowRuns']>['workflow_runs'][number]
type ListedFile = Answer<Rest['pulls']['listFiles']>[number]

/** The commits and files between two commits, branches or tags, in one request; `undefined` if GitHub can't be asked. */
export async function compare(base: string, head: string, github: GitHub): Promise<Changes | undefined> {
  return await github.attempt({
    purpose: 'compare two commits',
    permission: 'contents: read',
    ifForbidden: 'notice',
    send: async ({ rest }) => {
      const basehead = `${base}...${head}`
      const { data } = await rest.repos.compareCommitsWithBasehead({ ...github.repository, basehead })
      return changesIn(data)
    },
  })
}

/** GitHub Enterprise Servers of any age answer, too: what is missing from an answer is left out, not an error. */
function changesIn(comparison: Partial<Comparison>): Changes {
  const { html_url = '', commits = [], files = [] } = comparison
  const { total_commits = commits.length } = comparison
  const isNothing = commits.length === 0 && files.length === 0
  return {
    facts: [
      ['Compare', html_url],
      ['Changes', isNothing ? 'none' : ''],
    ],
    commits: { entries: commits.map(({ commit }) => subjectOf(commit?.message ?? '')), total: total_commits },
    // GitHub's REST API, "Compare two commits": at most 300 files, without saying how many there are.
    files: { entries: files.map(changedFile), total: files.length < MAX_FILES ? files.length : undefined },
  }
}

/**
 * The changed files of a pull request: a request for each hundred, three at most.
 *
 * @param counted how many there are by GitHub's own count, where that is known
 */
export async function filesOfPull(
  number: number,
  counted: number | undefined,
  github: GitHub,
): Promise<FactList<ChangedFile>> {
  const listed = await github.attempt({
    purpose: 'list the changed files',
    permission: 'pull-requests: read',
    ifForbidden: 'notice',
    send: async ({ paginate, rest }) => {
      const params = { ...github.repository, pull_number: number, per_page: PAGE_SIZE }
      const entries: ChangedFile[] = []
      for await (const { data, headers } of paginate.iterator(rest.pulls.listFiles, params)) {
        entries.push(...data.map(changedFile))
        const isLast = !/rel="next"/.test(headers.link ?? '')
        if (isLast || entries.length >= MAX_FILES) return { entries, isWhole: isLast }
      }
      return { entries, isWhole: true }
    },
  })
  if (listed === undefined) return { ...NOTHING, note: NOT_KNOWN }
  const { entries, isWhole } = listed
  if (!isWhole) {
    const isMore = counted !== undefined && counted > entries.length
    return { entries, total: isMore ? counted : undefined }
  }
  const differs = counted !== undefined && counted !== entries.length
  const note = differs ? `GitHub counts ${counted} changed files, but lists ${entries.length}` : ''
  return { entries, total: entries.length, note }
}

/** A pull request as the API knows it; `undefined` if it can't be asked. */
export async function readPull(number: number, github: GitHub): Promise<JsonRecord | undefined> {
  return await github.attempt<JsonRecord>({
    purpose: 'look up the pull request',
    permission: 'pull-requests: read',
    ifForbidden: 'notice',
    send: async ({ rest }) => {
      const { data } = await rest.pulls.get({ ...github.repository, pull_number: number })
      return { ...data }
    },
  })
}

/** What has changed since the newest release published before this one: two requests, one for a first release. */
export async function changesSinceReleaseBefore(release: JsonRecord, github: GitHub): Promise<Changes> {
  const tag = stringField(release, 'tag_name') ?? ''
  const published = stringField(release, 'published_at') ?? stringField(release, 'created_at') ?? ''
  const name = 'Release before'
  if (tag === '' || published === '') return noChanges()
  const earlier = await github.attempt({
    purpose: 'list the releases',
    permission: 'contents: read',
    ifForbidden: 'notice',
    send: async ({ rest }) => {
      const { data } = await rest.repos.listReleases({ ...github.repository, per_page: PAGE_SIZE })
      return data.flatMap(({ draft, tag_name, published_at }) => {
        const isEarlier = !draft && published_at !== null && published_at < published
        return isEarlier ? [{ tag: tag_name, published: published_at }] : []
      })
    },
  })
  if (earlier === undefined) return noChanges([[name, NOT_KNOWN]])
  // GitHub's times are all in UTC and of one length, so they sort as text.
  const [newest] = earlier.toSorted((one, other) => (one.published < other.published ? 1 : -1))
  if (newest === undefined) return noChanges([[name, `none among GitHub's ${PAGE_SIZE} newest`]])
  const changes = (await compare(newest.tag, tag, github)) ?? noChanges([['Changes', NOT_KNOWN]])
  return { ...changes, facts: [[name, `${newest.tag} (${newest.published})`], ...changes.facts] }
}

const SINCE = 'Changes since this workflow last succeeded on this branch'

/**
 * What has changed on the run's branch since its workflow last succeeded there, whatever the event: two requests, one if
 * there was no such run or nothing has changed.
 */
export async function changesSinceLastSuccess(environment: Environment, github: GitHub): Promise<Changes> {
  const { sha } = environment
  const [, branch = ''] = /^refs\/heads\/(.+)$/.exec(environment.ref) ?? []
  const workflow = workflowFileOf(environment)
  if (branch === '') return noChanges([[SINCE, 'not known: this run is not on a branch']])
  if (workflow === '' || sha === '') return noChanges([[SINCE, 'not known']])
  const successes = await listSuccesses({ workflow, branch }, environment, github)
  if (successes === undefined) return noChanges([[SINCE, NOT_KNOWN]])
  const [last] = successes
  if (last === undefined) return noChanges([[SINCE, 'not known: GitHub lists no success before this run']])
  const when = [last.created_at, last.html_url].filter(Boolean).join(', ')
  const success: Fact = ['Last success of this workflow on this branch', when]
  if (last.head_sha === sha) return noChanges([success, ['Changes', 'none']])
  const changes = (await compare(last.head_sha, sha, github)) ?? noChanges([['Changes', NOT_KNOWN]])
  return { ...changes, facts: [success, ...changes.facts] }
}

/** The successful runs of a workflow on a branch of this repository, newest first; `undefined` if GitHub can't be asked. */
function listSuccesses(
  { workflow, branch }: { readonly workflow: string; readonly branch: string },
  { repository }: Environment,
  github: GitHub,
): Promise<WorkflowRun[] | undefined> {
  return github.attempt({
    purpose: 'look up when this workflow last succeeded',
    permission: 'actions: read',
    ifForbidden: 'notice',
    send: async ({ rest }) => {
      const { data } = await rest.actions.listWorkflowRuns({
        ...github.repository,
        workflow_id: workflow,
        branch,
        status: 'success',
        per_page: 20,
        exclude_pull_requests: true,
      })
      // The branch of a fork's pull request may have the same name.
      return data.workflow_runs.filter(({ head_repository: head }) =>
        isSame(head?.full_name ?? repository, repository),
      )
    },
  })
}

/** The file of this run's workflow, below `.github/workflows`; empty if it belongs to another repository. */
function workflowFileOf({ workflowRef, repository }: Environment): string {
  const [, owner = '', file = ''] = /^([^/]+\/[^/]+)\/\.github\/workflows\/([^@/]+)@/.exec(workflowRef) ?? []
  return isSame(owner, repository) ? file : ''
}

function isSame(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase()
}

/** The commits and files of a push as its payload has them; the files are often missing there. */
export function changesInPayload(payload: JsonRecord): Changes {
  const pushed = listField(payload, 'commits')
  const head = payload['head_commit']
  const commits = pushed.length === 0 && isRecord(head) ? [head] : pushed
  const files = new Map<string, ChangedFile>()
  for (const commit of commits) {
    for (const status of ['added', 'modified', 'removed']) {
      for (const path of listField(commit, status)) {
        if (typeof path === 'string') files.set(path, { status, path, oldPath: path, patch: '' })
      }
    }
  }
  const subjects = commits.map((commit) => subjectOf(stringField(commit, 'message') ?? ''))
  return {
    facts: [],
    commits: { entries: subjects, total: subjects.length },
    files: { entries: [...files.values()], total: files.size },
  }
}

function changedFile({ filename, previous_filename, status, patch, changes }: ListedFile): ChangedFile {
  const isMoveAlone = previous_filename !== undefined && changes === 0
  return {
    status: status ?? 'changed',
    path: filename,
    oldPath: previous_filename ?? filename,
    patch: isMoveAlone ? '' : patch,
  }
}

function subjectOf(message: string): string {
  return message.trimStart().split(/[\r\n]/, 1)[0] ?? ''
}
