import { type FromGitHub, type Nodes, nodesOf, type Paged } from '../github/client.ts'
import { type GitHubCall, GitHubError, graphqlError } from '../github/github-errors.ts'
import { SOURCE_AUTHORS } from '../inputs/formats.ts'
import { canWriteComments } from '../inputs/table.ts'
import { includesName } from '../lib/text.ts'
import type { Review } from '../look/event.ts'
import type { DocsPlace } from '../look/result.ts'
import type { Trigger } from '../look/trigger.ts'
import type { Plan } from '../prompt/prompt.ts'
import { type AcceptedJob, isSuccess, type Report, sourcesOfPlan } from '../report/outcome.ts'
import type { Run } from '../runner/run.ts'
import {
  createLine,
  earlierJobLine,
  type PullPlace,
  type SourceChange,
  writeSourceComment,
} from './source-comment.ts'

/**
 * Requests reviews of the docs pull request, and writes into its source comment which changes it covers.
 *
 * @returns whether a command there, in this repository, continues the job
 */
export async function updateDocsPull(
  report: Report,
  place: DocsPlace | undefined,
  trigger: Trigger,
  run: Run,
): Promise<boolean> {
  const { plan, accepted, job, jobId, pull, result } = report
  const { inputs, cancel, log } = run
  if (!accepted || !plan) return false
  const isEnded = pull?.kind === 'pull-request' && pull.ended !== undefined
  const canAsk = isSuccess(result) && !isEnded && !cancel.aborted
  const wantsReview = inputs['pr-reviewers'].length + inputs['pr-labels'].length > 0
  if (place?.number === undefined) {
    if (canAsk && wantsReview && job?.prLink)
      log.noteInSummary(
        "Could not request reviews or add labels, because the pull request isn't on this GitHub server.",
      )
    return false
  }
  const ofPull = { ...place, number: place.number }
  if (canAsk && (wantsReview || trigger.command?.kind === 'review'))
    await requestReviews(ofPull, { ...report, plan }, trigger, run)
  const change = { job: jobId, ...sourceChange({ plan, accepted, job }, trigger, run) }
  const isWritten = canWriteComments(inputs) && (await writeSourceComment(ofPull, change, run))
  const thread = trigger.command?.source.thread
  return isWritten && place.isOwn && thread !== undefined && thread.number !== place.number
}

/** How many people who aren't named in `pr-reviewers` are asked in the life of a docs pull request. */
const MAX_OTHERS = 5

/** How often the author of a review is asked to review again in the life of a docs pull request. */
const MAX_AGAIN = 5

/**
 * Requests reviews and adds labels, each once in the life of a docs pull request, so that what a person removed doesn't
 * come back. The author of a review that requested changes is asked again after a change.
 */
async function requestReviews(
  place: PullPlace,
  report: Report & { readonly plan: Plan },
  { event, command }: Trigger,
  run: Run,
): Promise<void> {
  const { log, inputs } = run
  const { 'pr-reviewers': named, 'pr-labels': labels } = inputs
  const history = await readHistory(place, run)
  if (history === undefined) return
  const isNew = (name: string) => !includesName(history.asked, name)
  const isOther = (name: string) => !includesName(named, name)
  const review = command?.kind === 'review' ? event.payload.review : undefined
  const wantsAuthors = named.includes(SOURCE_AUTHORS) && review == null
  if (wantsAuthors && place.isExposed) {
    log.notice(
      `\`${SOURCE_AUTHORS}\` in \`pr-reviewers\` asks no one, because more people can read ${place.repository} than this repository. To ask someone, name them in \`pr-reviewers\`.`,
      `\`${SOURCE_AUTHORS}\` in \`pr-reviewers\` asks no one`,
    )
  }
  const authors =
    wantsAuthors && !place.isExposed ? (sourcesOfPlan(report.plan)?.authors ?? []) : []
  // A person may have been asked again.
  const askedOthers = history.asked.filter((name) => isOther(name) && !isTeam(name))
  const left = Math.max(0, MAX_OTHERS - new Set(askedOthers.map((name) => name.toLowerCase())).size)
  const others = authors.filter(isOther).filter(isNew).slice(0, left)
  const fixed = named.filter((name) => name !== SOURCE_AUTHORS && isNew(name))
  const again = review ? reviewersAgain(review, report, history) : []
  const unset = labels.filter((label) => !includesName(history.labels, label))
  const reasons = await sendRequests([...fixed, ...others, ...again], unset, place, run)
  if (reasons.length > 0) log.noteInSummary(reasons.join(' '))
}

/** Returns the author of a review that still stands if the agent has changed the pull request since. */
function reviewersAgain(
  { id, commit_id: commitId, user }: Review,
  { plan, job, pull }: Report,
  { asked, reviews }: PullHistory,
): string[] {
  const login = user?.login ?? ''
  const isChanged =
    pull?.kind === 'pull-request' && pull.headSha !== '' && pull.headSha !== commitId
  // A re-run that finds the job completed repeats the report of an attempt that has asked.
  const isRepeated = plan?.kind === 'wait' && plan.job?.status === 'completed'
  if (job?.status !== 'completed' || !isChanged || isRepeated) return []
  const own = reviews.findIndex((one) => one.databaseId === id && one.state === 'CHANGES_REQUESTED')
  const isApproved = reviews
    .slice(own + 1)
    .some(({ author, state }) => author?.login === login && state === 'APPROVED')
  const count = asked.filter((name) => includesName([name], login)).length
  return own < 0 || isApproved || count >= MAX_AGAIN ? [] : [login]
}

/** Who was asked and which labels were set, by any account, and the newest 100 reviews. */
type PullHistory = {
  readonly asked: readonly string[]
  readonly labels: readonly string[]
  readonly reviews: readonly ReviewNode[]
}

const HISTORY = `query ReviewRequests($owner: String!, $repo: String!, $number: Int!, $asked: String, $labels: String) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
    reviews(last: 100) { nodes { databaseId state author { login } } }
    asked: timelineItems(first: 100, after: $asked, itemTypes: [REVIEW_REQUESTED_EVENT]) {
      pageInfo { hasNextPage endCursor } nodes { ... on ReviewRequestedEvent {
        requestedReviewer { ... on User { login } ... on Bot { login } ... on Team { combinedSlug } } } } }
    labels: timelineItems(first: 100, after: $labels, itemTypes: [LABELED_EVENT]) {
      pageInfo { hasNextPage endCursor } nodes { ... on LabeledEvent { label { name } } } } } } }`

type ReviewNode = FromGitHub<{
  databaseId: number
  state: string
  author: FromGitHub<{ login: string }>
}>
type HistoryNode = FromGitHub<{
  reviews: Nodes<ReviewNode>
  asked: Paged<
    FromGitHub<{ requestedReviewer: FromGitHub<Record<'login' | 'combinedSlug', string>> }>
  >
  labels: Paged<FromGitHub<{ label: FromGitHub<{ name: string }> }>>
}>
type HistoryAnswer = FromGitHub<{ repository: FromGitHub<{ pullRequest: HistoryNode }> }>

/** Reads whose reviews were ever requested, and which labels were ever set; `undefined` if that can't be read. */
async function readHistory(
  place: PullPlace,
  { github, inputs }: Run,
): Promise<PullHistory | undefined> {
  const { repository, number } = place
  const [owner = '', repo = ''] = repository.split('/')
  const pullOf = (data: HistoryAnswer) => data.repository?.pullRequest
  const call = {
    ...pullWriteCall('read earlier reviewers and labels', place),
    permission: 'pull-requests: read',
  }
  const answer = await github.attemptAndReport(call, async () => {
    const found = await github.graphqlPages<HistoryAnswer>(
      HISTORY,
      { owner, repo, number },
      (data) => {
        const { asked, labels } = pullOf(data) ?? {}
        return { asked, labels }
      },
    )
    if (!found.isWhole || !pullOf(found.pages[0] ?? {})) {
      const [first] = found.errors
      throw first
        ? graphqlError(first)
        : new GitHubError("GitHub didn't return who was asked before")
    }
    return found.pages
  })
  if (!answer.known) return undefined
  const pulls = answer.value.flatMap((data) => pullOf(data) ?? [])
  const asked = pulls.flatMap((pull) =>
    nodesOf(pull.asked).map(({ requestedReviewer: who }) => who?.login ?? who?.combinedSlug),
  )
  // A team that the token can't read may be any of them.
  const teams = asked.includes(undefined) ? inputs['pr-reviewers'].filter(isTeam) : []
  return {
    asked: [...asked.flatMap((name) => name ?? []), ...teams],
    labels: pulls.flatMap((pull) => nodesOf(pull.labels).flatMap(({ label }) => label?.name ?? [])),
    reviews: nodesOf(pulls[0]?.reviews),
  }
}

function isTeam(name: string): boolean {
  return name.includes('/')
}

const NEEDS_TEAMS = "Use a token that can read teams, such as your GitHub App's."

/** A call that writes to a docs pull request. The workflow's `permissions:` are about its own repository. */
function pullWriteCall(what: string, { repository, isOwn }: PullPlace): GitHubCall {
  const permission = 'pull-requests: write'
  const fix = `Use a token with \`${permission}\` there, such as your GitHub App's.`
  return { purpose: `${what} in ${repository}`, permission, ...(!isOwn && { fix }) }
}

/**
 * Adds the labels and asks one reviewer after another, because GitHub rejects a whole list because of one.
 *
 * @returns a sentence for each review that could not be requested
 */
async function sendRequests(
  reviewers: readonly string[],
  labels: readonly string[],
  place: PullPlace,
  { github, cancel }: Run,
): Promise<readonly string[]> {
  const { repository, number } = place
  const [organization = ''] = repository.split('/')
  const send = (path: string, body: Readonly<Record<string, unknown>>) =>
    github.attempt(() =>
      github.call((octokit) => octokit.request(`POST /repos/${repository}/${path}`, body)),
    )
  if (labels.length > 0) {
    const labeled = await send(`issues/${number}/labels`, { labels })
    if (!labeled.known) github.report(labeled.error, pullWriteCall('add labels', place))
  }
  const reasons: string[] = []
  let isPermitted = false
  for (const name of reviewers) {
    if (cancel.aborted) break
    const [owner = '', team] = name.split('/')
    const isElsewhere = team !== undefined && owner.toLowerCase() !== organization.toLowerCase()
    if (isElsewhere) {
      reasons.push(
        `Could not request a review by ${name}, because the team isn't in ${organization}, which owns the docs repository.`,
      )
      continue
    }
    const body = team === undefined ? { reviewers: [owner] } : { team_reviewers: [team] }
    const asked = await send(`pulls/${number}/requested_reviewers`, body)
    isPermitted ||= asked.known
    if (asked.known) continue
    const { kind, message } = asked.error
    const isOfTeam = team !== undefined && (kind === 'permission' || kind === 'refused')
    reasons.push(
      `Could not request a review by ${name}: ${message}.${isOfTeam ? ` ${NEEDS_TEAMS}` : ''}`,
    )
    const isAboutAll = kind === 'permission' && !isOfTeam && !isPermitted
    // The others would be rejected, too.
    if (isAboutAll) {
      github.report(asked.error, pullWriteCall('request reviews', place))
      break
    }
  }
  return reasons
}

/** Makes what a run adds to the source comment. */
function sourceChange(
  { plan, accepted, job }: Pick<Report, 'job'> & { plan: Plan; accepted: AcceptedJob },
  trigger: Trigger,
  run: Run,
): Pick<SourceChange, 'line' | 'ifMissing'> {
  const { id, recordedAtMs, sentAtMs } = accepted
  if (plan.kind === 'wait') {
    // A re-run repeats a line that its first attempt may have written.
    const ifMissing = plan.sources
      ? createLine({ job: id, atMs: recordedAtMs }, plan.sources.items, trigger, run)
      : earlierJobLine(id, Date.parse(job?.createdAt ?? '') || recordedAtMs)
    return { ifMissing }
  }
  const line = createLine({ job: id, atMs: sentAtMs }, plan.items, trigger, run)
  const earlierAtMs = plan.kind === 'message' ? plan.recordedAtMs : undefined
  return {
    line,
    ifMissing: earlierAtMs === undefined ? undefined : earlierJobLine(id, earlierAtMs),
  }
}
