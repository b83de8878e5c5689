import { createHash } from 'node:crypto'
import { type GitHubEvent, isSha } from '../event/event.ts'
import {
  type FromGitHub,
  type Maybe,
  type Nodes,
  nodesOf,
  type Paged,
  type RestData,
} from '../github/client.ts'
import { GitHubError, notStartedProblem } from '../github/github-errors.ts'
import { hasPrompt } from '../inputs/table.ts'
import { shorten, visibleText } from '../lib/text.ts'
import { attemptUrlOf, isRerun, type Run, stepNames } from '../runner/run.ts'

const HASH = /^[0-9a-f]{16}$/
const SHA = /^[0-9a-f]{40,64}$/

/**
 * What a commit status records, as texts in the fragment of its target. Each status carries on what was known before, so
 * that the newest one is all that a later run needs. A text without its form is treated as missing.
 */
const FACTS = {
  /** The workflow run, and a hash of its step. */
  run: /^\d{1,20}$/,
  by: HASH,
  /** `starting`: a job may have been started; the next three are about `job`; `nothing`: none was started. */
  state: /^(?:starting|running|success|failure|nothing)$/,
  /** The job, and its docs pull request. */
  job: /^(?!\.{1,2}$)[\w.~:-]{1,200}$/,
  link: /^https?:\/\/\S{1,400}\/\d{1,10}(?:[/?]\S{0,80})?$/,
  /** The commit of the last successful job, or the one before the first job. */
  base: SHA,
  /** The commit of the last job that succeeded or is running, a hash of its tag, and one of its changed lines. */
  sent: SHA,
  tag: HASH,
  lines: HASH,
  /** The comment or review that was answered. */
  source: /^[a-z]{1,10}\/\d{1,20}$/,
} as const

export type Facts = { readonly [Name in keyof typeof FACTS]?: string | undefined }

/** A status of this action. `page`: its target without the facts. */
export type Entry = Facts & {
  readonly name: string
  readonly sha: string
  readonly atMs: number
  readonly page: string
}

/** A job that an earlier run, or an earlier attempt of this run, was about. */
export type NamedJob = {
  readonly id: string
  /** Its docs pull request if a status names it; may be empty. */
  readonly prLink: string
  readonly recordedAtMs: number
}

/** What earlier attempts of this run recorded. `unclear`: a job may have been started that no one can name. */
type Attempt =
  | { readonly kind: 'none' | 'unclear' }
  | { readonly kind: 'job'; readonly job: NamedJob; readonly entry: Entry }

/** What is recorded of earlier runs and attempts. */
export type Memory = {
  /** The commit that the run's own status is set on; empty if the run keeps no record. */
  readonly sha: string
  readonly attempt: Attempt
  /** The newest entry of another run of this scope. */
  readonly last?: Entry | undefined
  /** The jobs that this run may continue, the first one first. */
  readonly jobs: readonly NamedJob[]
  /** This step's last successful job. `isNewer`: than the run's commit. */
  readonly base?: { readonly sha: string; readonly isNewer: boolean }
  /** Whether the last job that succeeded or is running was about the run's commit, or about a newer one. */
  readonly sent?: 'same' | 'newer' | undefined
  /** How many commits back the newest entry is; negative if it isn't on the branch. */
  readonly commitsBack: number
  /** Whether the search ended at its limit without a result, so that an older job may exist. */
  readonly reachedLimit?: boolean
  /** Page of the newest run if it may have started a job that it doesn't name. */
  readonly unnamed?: string | undefined
  /** Whether another step has answered the command. */
  readonly isAnswered?: boolean
  /** When the job began to answer its last command, in milliseconds since the epoch; 0 if there is none. */
  readonly answeredAtMs: number
}

/** Of runs that keep no record. */
export const NO_MEMORY: Memory = {
  sha: '',
  attempt: { kind: 'none' },
  jobs: [],
  commitsBack: 0,
  answeredAtMs: 0,
}

/** Whether a run records its job for later runs. */
export function isRecorded({ command, mayRecord }: GitHubEvent, { inputs }: Pick<Run, 'inputs'>) {
  return command !== undefined || (mayRecord && hasPrompt(inputs))
}

/** Source: GitHub's REST API, "Create a commit status". */
const MAX_NAME = 255
const MAX_DESCRIPTION = 140

/** Names the statuses of a scope: of a step's runs, or of an issue or pull request. */
function statusName(scope: readonly string[], { inputs, redact }: Run): string {
  const parts = scope.filter((part) => part).join(', ')
  const name = withinBmp(redact(`Docs agent: ${inputs['project-id']} (${parts})`))
  return name.length <= MAX_NAME ? name : `${shorten(name, MAX_NAME - 16)}${hashOf(name)}`
}

/** Names the statuses with the docs job of an issue or pull request. */
export function sharedName(number: number, run: Run): string {
  return statusName([`#${number}`], run)
}

/** Names the statuses of a run: a command's are those of its issue or pull request. */
export function ownName(event: GitHubEvent, run: Run, isMerged = event.isMerged): string {
  const { command, branch, mainBranch, subject, isOfPull } = event
  if (command) return sharedName(command.thread.number, run)
  const { workflow, job, step } = stepNames(run.environment)
  const isOther = branch && mainBranch && branch !== mainBranch && event.name !== 'schedule'
  const ofBranch = isOther ? `branch ${branch}` : ''
  const place = isOfPull && !isMerged ? `#${subject?.number}` : ofBranch
  return statusName([workflow, job, step, place, run.inputs.matrix], run)
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Distinguishes steps that answer the same command. */
export function hashStep({ inputs, environment }: Run): string {
  return hashOf(JSON.stringify([stepNames(environment), inputs.matrix]))
}

export function statusDescription(text: string): string {
  return shorten(withinBmp(visibleText(text)), MAX_DESCRIPTION)
}

/** Encodes characters that GitHub rejects in a status, so that names stay apart. */
function withinBmp(text: string): string {
  return text.replace(/[\u{10000}-\u{10FFFF}]/gu, encodeURIComponent)
}

/** Returns a status's target: the docs pull request, otherwise the run, with the facts in its fragment. */
export function targetOf(facts: Facts, { environment }: Run): string {
  const known = keepValid(facts)
  const [page] = (known.link ?? attemptUrlOf(environment)).split('#')
  const fragment = new URLSearchParams(known as Record<string, string>)
  return environment.runId === '' ? `${page}` : `${page}#${fragment}`
}

function keepValid(facts: Readonly<Record<string, Maybe<string>>>): Facts {
  const fits = (name: string, form: RegExp): boolean => {
    const text = facts[name]
    return text != null && form.test(text)
  }
  const valid = Object.entries(FACTS).filter(([name, form]) => fits(name, form))
  return Object.fromEntries(valid.map(([name]) => [name, facts[name]]))
}

type Status = NonNullable<RestData<'repos', 'listCommitStatusesForRef'>[number]>

/** Reads a status; none if this action didn't set it. */
function readEntry(name: string, status: Maybe<Status>, sha: Maybe<string>): Entry[] {
  const [page = '', fragment = ''] = (status?.target_url ?? '').split('#')
  const facts = keepValid(Object.fromEntries(new URLSearchParams(fragment)))
  const atMs = Date.parse(status?.created_at ?? '') || 0
  return (facts.run || facts.job) && sha ? [{ ...facts, name, sha, atMs, page }] : []
}

function jobsOf(entry: Entry | undefined): NamedJob[] {
  if (!entry?.job) return []
  const { job: id, link: prLink = '', atMs: recordedAtMs } = entry
  return [{ id, prLink, recordedAtMs }]
}

export const FIND = { purpose: 'look for an earlier job', permission: 'statuses: read' }
const PAGE_SIZE = 100
/** How many commits of a branch are searched at most. */
export const MAX_SEARCHED_COMMITS = 500
/** How many commits have all their statuses listed, and how many statuses of each. */
const MAX_LISTED_COMMITS = 5
const MAX_LISTED_STATUSES = 1000

/** Reads what earlier attempts and runs recorded. @throws {Problem} */
export async function readMemory(event: GitHubEvent, run: Run): Promise<Memory> {
  const { environment, inputs } = run
  const { command, tag } = event
  const isAgain = isRerun(environment)
  if (!isRecorded(event, run)) return NO_MEMORY
  const name = ownName(event, run)
  const found = await search(event, name, run)
  const { sha, history, reachedLimit } = found
  // The newest status of a commit may be another run's, another release's, or another command's.
  const commits = new Set([sha, ...found.entries.map((one) => one.sha)])
  const isListed = isAgain || tag || command
  const listed = isListed ? await listEntries(name, [...commits], run) : []
  // Of the run's own commit first, then of newer ones first: a re-run may be about an old commit.
  const all = [...commits].flatMap((one) =>
    [...found.entries, ...listed].filter((entry) => entry.sha === one),
  )
  const ofScope = all.filter((one) => one.name === name && !isOwn(one, run))
  const [last] = ofScope
  const newer = history.slice(0, Math.max(0, history.indexOf(sha)))
  const { base, job } = last ?? {}
  const ofRelease = ofScope.filter((one) => one.tag === hashOf(tag))
  const { sent } = (event.about === 'release' ? ofRelease[0] : last) ?? {}
  const mayContinue = inputs['follow-up'] && command?.isFresh !== true
  const shared = all.find((one) => one.name !== name)
  const answered = ofScope.find((one) => one.source && one.job === job)?.source
  const isSame = (one: Entry): boolean => one.source === command?.source && one.state !== 'nothing'
  return {
    sha,
    attempt: isAgain ? readAttempt(all.filter((one) => isOwn(one, run))) : NO_MEMORY.attempt,
    last,
    jobs: mayContinue ? (event.isMerged ? [shared, last] : [last, shared]).flatMap(jobsOf) : [],
    ...(base && { base: { sha: base, isNewer: newer.includes(base) } }),
    sent: sent === sha ? 'same' : sent && newer.includes(sent) ? 'newer' : undefined,
    commitsBack: history.indexOf(last?.sha ?? ''),
    reachedLimit: !last && reachedLimit,
    unnamed: last?.state === 'starting' ? last.page : undefined,
    isAnswered: command !== undefined && ofScope.some(isSame),
    answeredAtMs: ofScope.findLast((one) => answered && one.source === answered)?.atMs ?? 0,
  }
}

/** Whether an attempt of this run wrote an entry. */
export function isOwn({ run: id, by }: Entry, run: Run): boolean {
  return id === run.environment.runId && by === hashStep(run)
}

/** Reads the outcome of this run's earlier attempts, newest first. */
function readAttempt([newest]: readonly Entry[]): Attempt {
  if (!newest || newest.state === 'nothing') return { kind: 'none' }
  const [job] = jobsOf(newest)
  if (newest.state === 'starting' || !job) return { kind: 'unclear' }
  return { kind: 'job', job, entry: newest }
}

/** Lists all entries of a name on commits, the newest of each commit first. @throws {Problem} */
export async function listEntries(
  name: string,
  commits: readonly string[],
  { github }: Run,
): Promise<readonly Entry[]> {
  const list = async (sha: string) => {
    const path = `commits/${sha}/statuses`
    const all = await github.need(FIND, () => github.list<Status>(path, MAX_LISTED_STATUSES))
    return all.flatMap((one) => (one.context === name ? readEntry(name, one, sha) : []))
  }
  const some = commits.filter(isSha).slice(0, MAX_LISTED_COMMITS)
  return (await Promise.all(some.map(list))).flat()
}

/**
 * Searches a pull request's commits; otherwise, and if it is merged, the run's own commit and its branch.
 *
 * @returns `entries`: the newest of each name and commit; `history`: SHAs of the branch, newest first
 */
async function search(event: GitHubEvent, name: string, run: Run) {
  const { command, subject, isOfPull, isMerged, head, branch } = event
  const isMatrix = run.inputs.matrix !== ''
  const isPull = command ? command.thread.isPull : isOfPull
  if (!isPull || !subject) return await searchBranch(head, branch, name, run)
  const shared = isMatrix || command ? [] : [sharedName(subject.number, run)]
  const names = [ownName(event, run, false), ...shared]
  const ofPull = await searchPull(subject.number, names, run)
  if (command || !isMerged) return { ...ofPull, history: [], reachedLimit: false }
  const ofBranch = await searchBranch(head, branch, name, run)
  return { ...ofBranch, entries: [...ofBranch.entries, ...ofPull.entries] }
}

/** Finds the docs job of a pull request. @throws {Problem} */
export async function readSharedJobs(number: number, run: Run): Promise<readonly NamedJob[]> {
  const { entries } = await searchPull(number, [sharedName(number, run)], run)
  return jobsOf(entries.toSorted((one, other) => other.atMs - one.atMs)[0])
}

type CommitNode = FromGitHub<{
  oid: string
  /** `nI`: the newest one of the I-th name. */
  status: Readonly<Record<string, Maybe<Status>>>
}>
type HistoryNode = FromGitHub<{ history: Paged<CommitNode> }>

function commitFields(names: readonly string[]): string {
  const contexts = names.map(
    (name, index) =>
      `n${index}: context(name: ${JSON.stringify(name)}) { target_url: targetUrl created_at: createdAt }`,
  )
  return `oid status { ${contexts.join(' ')} }`
}

function readEntries(commits: readonly Maybe<CommitNode>[], names: readonly string[]): Entry[] {
  return commits.flatMap((one) =>
    names.flatMap((name, index) => readEntry(name, one?.status?.[`n${index}`], one?.oid)),
  )
}

async function ask<T>(fields: string, { github }: Run): Promise<T> {
  return await github.need(FIND, () => github.askRepository<T>(fields))
}

type RecordedPull = FromGitHub<{
  headRefOid: string
  commits: Nodes<FromGitHub<{ commit: FromGitHub<{ oid: string }> }>>
  timelineItems: Nodes<FromGitHub<{ beforeCommit: HistoryNode }>>
}>

/** Searches the commits of a pull request, and those that its last 20 forced pushes replaced. */
async function searchPull(number: number, names: readonly string[], run: Run) {
  const { pull } = await ask<FromGitHub<{ pull: RecordedPull }>>(
    `pull: pullRequest(number: ${number}) { headRefOid commits(last: 100) { nodes { commit { oid } } }
      timelineItems(last: 20, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]) { nodes { ... on HeadRefForcePushedEvent {
        beforeCommit { history(first: 10) { nodes { oid } } } } } } }`,
    run,
  )
  const sha = pull?.headRefOid
  if (!sha) throw notStartedProblem(FIND, new GitHubError('GitHub does not know the pull request'))
  const own = nodesOf(pull?.commits).map(({ commit }) => commit?.oid)
  const replaced = nodesOf(pull?.timelineItems).toReversed()
  const before = replaced.flatMap(({ beforeCommit }) => nodesOf(beforeCommit?.history))
  const all = [sha, ...own.toReversed(), ...before.map(({ oid }) => oid)].filter(isSha)
  const commits = [...new Set(all)]
  const fields = commitFields(names)
  let entries: Entry[] = []
  // Asked of the base repository: a commit of a fork's pull request shows the fork's statuses.
  for (let start = 0; start < commits.length && entries.length === 0; start += PAGE_SIZE) {
    const some = commits.slice(start, start + PAGE_SIZE)
    const aliases = some.map(
      (oid, index) => `c${index}: object(oid: "${oid}") { ... on Commit { ${fields} } }`,
    )
    const found = await ask<Readonly<Record<string, Maybe<CommitNode>>>>(aliases.join(' '), run)
    entries = readEntries(Object.values(found), names)
  }
  return { sha, entries }
}

/** Searches a commit, and the newest commits of a branch, page by page until one has an entry. */
async function searchBranch(sha: string, branch: string, name: string, run: Run) {
  const tip = branch ? `refs/heads/${branch}` : sha
  const fields = commitFields([name])
  const history: string[] = []
  const entries: Entry[] = []
  let after: Maybe<string>
  if (sha === '') return { sha, history, entries, reachedLimit: false }
  do {
    const cursor = after ? `, after: ${JSON.stringify(after)}` : ''
    const page = `history(first: ${PAGE_SIZE}${cursor}) { pageInfo { hasNextPage endCursor } nodes { ${fields} } }`
    const { own, tip: found } = await ask<FromGitHub<{ own: CommitNode; tip: HistoryNode }>>(
      `own: object(oid: "${sha}") { ... on Commit { ${fields} } }
      tip: object(expression: ${JSON.stringify(tip)}) { ... on Commit { ${page} } }`,
      run,
    )
    if (!own) throw notStartedProblem(FIND, new GitHubError('GitHub does not know the commit'))
    const nodes = nodesOf(found?.history)
    const isFirst = history.length === 0
    history.push(...nodes.map(({ oid }) => oid ?? ''))
    const others = nodes.filter(({ oid }) => oid !== sha)
    entries.push(...readEntries(isFirst ? [own, ...others] : others, [name]))
    const { hasNextPage, endCursor } = found?.history?.pageInfo ?? {}
    after = hasNextPage ? endCursor : undefined
  } while (after && entries.length === 0 && history.length < MAX_SEARCHED_COMMITS)
  return { sha, history, entries, reachedLimit: after != null && entries.length === 0 }
}
