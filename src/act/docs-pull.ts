import { type FromGitHub, nodesOf, type Paged } from '../github/client.ts'
import { SOURCE_AUTHORS } from '../inputs/formats.ts'
import { canWriteComments } from '../inputs/table.ts'
import { type Markdown, md, sentencesWithCode } from '../lib/markdown.ts'
import type { Trigger } from '../look/trigger.ts'
import type { Plan } from '../prompt/prompt.ts'
import { type AcceptedJob, isSuccess, type Report, sourcesOfPlan } from '../report/outcome.ts'
import type { Run } from '../runner/run.ts'
import {
  createLine,
  type DocsPullPlace,
  earlierJobLine,
  placeDocsPull,
  type SourceChange,
  writeSourceComment,
} from './source-comment.ts'

/** What a run did on the docs pull request. */
type DocsPullUpdate = {
  /** Whether a command there, in this repository, continues the job. */
  readonly hasCommands: boolean
  /** Who couldn't be asked to review it. */
  readonly note: Markdown
}

/** Requests reviews of the docs pull request, and writes into its source comment which changes it covers. */
export async function updateDocsPull(
  { plan, prLink, accepted, job, pull, result }: Report,
  trigger: Trigger,
  run: Run,
): Promise<DocsPullUpdate> {
  const { inputs, cancel } = run
  const nothing = { hasCommands: false, note: md`` }
  const link = prLink || accepted?.prLink || ''
  if (!accepted || !plan || link === '') return nothing
  const isEnded = pull?.kind === 'pull-request' && pull.ended !== undefined
  const wantsReview = inputs['pr-reviewers'].length + inputs['pr-labels'].length > 0
  const canAsk = wantsReview && isSuccess(result) && !isEnded && !cancel.aborted
  const canComment = canWriteComments(inputs)
  const place = canAsk || canComment ? await placeDocsPull(link, trigger, run) : undefined
  if (place === undefined) {
    const note = md`Could not request reviews or add labels, because the pull request isn't on this GitHub server.`
    return canAsk ? { ...nothing, note } : nothing
  }
  const note = canAsk ? await requestReviews(place, plan, trigger, run) : md``
  const change = sourceChange({ plan, accepted, job }, trigger, run)
  const isWritten = canComment && (await writeSourceComment(place, change, run))
  const thread = trigger.command?.source.thread
  const hasCommands =
    isWritten && place.isOwn && thread !== undefined && thread.number !== place.number
  return { hasCommands, note }
}

/** How many people besides those named in `pr-reviewers` are asked in the life of a docs pull request, once it is open. */
const MAX_LATER = 5

/**
 * Requests reviews and adds labels, each once in the life of a docs pull request, so that nobody and nothing that a person
 * removed comes back.
 *
 * @returns who couldn't be asked, as a line for the summary
 */
async function requestReviews(
  place: DocsPullPlace,
  plan: Plan,
  { event }: Trigger,
  run: Run,
): Promise<Markdown> {
  const isOpener = plan.kind === 'create'
  const history = isOpener ? { asked: [], labels: [] } : await readHistory(place, run)
  if (history === undefined) {
    run.log.info("Nobody was asked to review, because the action can't tell who was asked before.")
    return md``
  }
  const { 'pr-reviewers': named, 'pr-labels': labels } = run.inputs
  const isNew = (name: string) => !includesName(history.asked, name)
  const isAuthor = (name: string) => !includesName(named, name)
  // A review that requests changes has its own way to ask its author again.
  const isReview = event.payload.review != null
  const authors =
    named.includes(SOURCE_AUTHORS) && !isReview ? (sourcesOfPlan(plan)?.authors ?? []) : []
  const left = isOpener ? Infinity : MAX_LATER - history.asked.filter(isAuthor).length
  const people = authors.filter(isAuthor).filter(isNew).slice(0, Math.max(0, left))
  const fixed = named.filter((name) => name !== SOURCE_AUTHORS && isNew(name))
  const unset = labels.filter((label) => !includesName(history.labels, label))
  const reasons = await sendRequests(
    { reviewers: [...fixed, ...people], labels: unset },
    place,
    run,
  )
  const note = reasons.length === 0 ? '' : `Could not request ${reasons.join(', ')}.`
  return sentencesWithCode(note)
}

/** Who was asked and which labels were set, by any account. */
type PullHistory = { readonly asked: readonly string[]; readonly labels: readonly string[] }

/** Whether a list has a login, a team, or a label, in any letter case. */
function includesName(names: readonly string[], name: string): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase())
}

const HISTORY = `query ReviewRequests($owner: String!, $repo: String!, $number: Int!, $asked: String, $labels: String) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) {
    asked: timelineItems(first: 100, after: $asked, itemTypes: [REVIEW_REQUESTED_EVENT]) {
      pageInfo { hasNextPage endCursor } nodes { ... on ReviewRequestedEvent {
        requestedReviewer { ... on User { login } ... on Bot { login } ... on Team { combinedSlug } } } } }
    labels: timelineItems(first: 100, after: $labels, itemTypes: [LABELED_EVENT]) {
      pageInfo { hasNextPage endCursor } nodes { ... on LabeledEvent { label { name } } } } } } }`

type HistoryNode = FromGitHub<{
  asked: Paged<
    FromGitHub<{ requestedReviewer: FromGitHub<Record<'login' | 'combinedSlug', string>> }>
  >
  labels: Paged<FromGitHub<{ label: FromGitHub<{ name: string }> }>>
}>
type HistoryAnswer = FromGitHub<{ repository: FromGitHub<{ pullRequest: HistoryNode }> }>

/** Reads whose reviews were ever requested, and which labels were ever set; `undefined` if not all of it can be read. */
async function readHistory(
  { repository, number }: DocsPullPlace,
  { github, inputs }: Run,
): Promise<PullHistory | undefined> {
  const [owner = '', repo = ''] = repository.split('/')
  const pullOf = (data: HistoryAnswer) => data.repository?.pullRequest
  const answer = await github.read(() =>
    github.graphqlPages<HistoryAnswer>(HISTORY, { owner, repo, number }, (data) => ({
      ...pullOf(data),
    })),
  )
  if (!answer.known || !answer.value.isWhole) return undefined
  const pulls = answer.value.pages.flatMap((data) => pullOf(data) ?? [])
  if (pulls.length === 0) return undefined
  const asked = pulls.flatMap((pull) =>
    nodesOf(pull.asked).map(({ requestedReviewer: who }) => who?.login ?? who?.combinedSlug),
  )
  // A team that the token can't read may be any of them.
  const teams = asked.includes(undefined) ? inputs['pr-reviewers'].filter(isTeam) : []
  return {
    asked: [...asked.flatMap((name) => name ?? []), ...teams],
    labels: pulls.flatMap((pull) => nodesOf(pull.labels).flatMap(({ label }) => label?.name ?? [])),
  }
}

function isTeam(name: string): boolean {
  return name.includes('/')
}

const NEEDS_TEAMS = "needs a `github-token` that can read teams, such as a GitHub App's"

/**
 * Adds the labels and asks one reviewer after another, because GitHub rejects a whole list because of one.
 *
 * @returns what could not be requested, and why
 */
async function sendRequests(
  {
    reviewers,
    labels,
  }: { readonly reviewers: readonly string[]; readonly labels: readonly string[] },
  { repository, number, isOwn }: DocsPullPlace,
  { github, log, cancel }: Run,
): Promise<readonly string[]> {
  const toLabel = {
    what: 'the labels',
    path: `issues/${number}/labels`,
    body: { labels },
    isOfTeam: false,
  }
  const toReview = reviewers.map((name) => {
    const [login, team] = name.split('/')
    const body = team ? { team_reviewers: [team] } : { reviewers: [login] }
    const path = `pulls/${number}/requested_reviewers`
    return { what: `a review by ${name}`, path, body, isOfTeam: isTeam(name) }
  })
  const reasons: string[] = []
  let hasWorked = false
  for (const { what, path, body, isOfTeam } of labels.length === 0
    ? toReview
    : [toLabel, ...toReview]) {
    const route = `POST /repos/${repository}/${path}`
    const answer = await github.read(() => github.call((octokit) => octokit.request(route, body)))
    if (answer.known) {
      hasWorked = true
      continue
    }
    const { kind } = answer.error
    if (kind === 'permission' && !hasWorked) {
      const fix = isOwn
        ? 'Add `pull-requests: write` under `permissions:`.'
        : "Use a token with `pull-requests: write` there, such as a GitHub App's."
      log.warnInSummary(
        `\`github-token\` can't request reviews or add labels in ${repository}: ${answer.why}. ${fix}`,
        'Nobody was asked to review the docs pull request',
      )
      return []
    }
    const isFinal = kind === 'permission' || kind === 'refused'
    reasons.push(`${what} (${isFinal && isOfTeam ? NEEDS_TEAMS : answer.why})`)
    if (cancel.aborted) break
  }
  return reasons
}

/** Makes what a run adds to the source comment. */
function sourceChange(
  { plan, accepted, job }: Pick<Report, 'job'> & { plan: Plan; accepted: AcceptedJob },
  trigger: Trigger,
  run: Run,
): Pick<SourceChange, 'line' | 'ifMissing'> {
  const { id, namedAtMs, sentAtMs } = accepted
  if (plan.kind === 'wait') {
    // A re-run repeats a line that its first attempt may have written.
    const ifMissing = plan.sources
      ? createLine({ job: id, atMs: namedAtMs }, plan.sources.items, trigger, run)
      : earlierJobLine(id, Date.parse(job?.createdAt ?? '') || namedAtMs)
    return { ifMissing }
  }
  const line = createLine({ job: id, atMs: sentAtMs }, plan.items, trigger, run)
  const earlierAtMs = plan.kind === 'message' ? plan.namedAtMs : undefined
  return {
    line,
    ifMissing: earlierAtMs === undefined ? undefined : earlierJobLine(id, earlierAtMs),
  }
}
