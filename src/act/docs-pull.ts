import { type FromGitHub, type Maybe, nodesOf, type Paged } from '../github/client.ts'
import { SOURCE_AUTHORS } from '../inputs/formats.ts'
import { canWriteComments } from '../inputs/table.ts'
import { type Markdown, md, sentencesWithCode } from '../lib/markdown.ts'
import type { ReviewRequests } from '../look/comments.ts'
import type { Trigger } from '../look/trigger.ts'
import type { Plan } from '../prompt/prompt.ts'
import { type AcceptedJob, isSuccess, type Report, sourcesOfPlan } from '../report/outcome.ts'
import type { Run } from '../runner/run.ts'
import {
  createLine,
  type DocsPullPlace,
  earlierJobLine,
  placeDocsPull,
  readReviewRequests,
  type SourceChange,
  writeSourceComment,
} from './source-comment.ts'

/** The parts of the end that concern the docs pull request. */
type DocsPullUpdate = {
  /** Whether a command there, in this repository, continues the job. */
  readonly hasCommands: boolean
  /** Who couldn't be asked to review it. */
  readonly note: Markdown
}

/** Asks reviewers, and says on the docs pull request which changes it covers. */
export async function updateDocsPull(
  { plan, prLink, accepted, job, pull, result }: Report,
  trigger: Trigger,
  run: Run,
): Promise<DocsPullUpdate> {
  const { inputs, cancel } = run
  const link = prLink || accepted?.prLink || ''
  const isEnded = pull?.kind === 'pull-request' && pull.ended !== undefined
  const wantsReview = inputs['pr-reviewers'].length + inputs['pr-labels'].length > 0
  const canAsk = wantsReview && isSuccess(result) && !isEnded && !cancel.aborted
  const nothing = { hasCommands: false, requests: undefined, note: md`` }
  if (!accepted || !plan || link === '' || !(canAsk || canWriteComments(inputs))) return nothing
  const place = await placeDocsPull(link, trigger, run)
  if (place === undefined) return nothing
  const sources = sourcesOfPlan(plan)
  const { requests, note } = canAsk
    ? await requestReviews(
        place,
        {
          isOpener: plan.kind === 'create',
          known: plan.kind === 'create' ? undefined : await readReviewRequests(place, run),
          // Who requests changes is asked again by the review itself.
          authors: trigger.event.payload.review ? [] : (sources?.authors ?? []),
        },
        run,
      )
    : nothing
  const change = { ...sourceChange({ plan, accepted, job }, trigger, run), requests }
  const isWritten = canWriteComments(inputs) && (await writeSourceComment(place, change, run))
  const thread = trigger.command?.source.thread
  const hasCommands =
    isWritten && place.isOwn && thread !== undefined && thread.number !== place.number
  return { hasCommands, note }
}

/** What the source comment is to say of a run. */
function sourceChange(
  { plan, accepted, job }: Pick<Report, 'job'> & { plan: Plan; accepted: AcceptedJob },
  trigger: Trigger,
  run: Run,
): Pick<SourceChange, 'lines' | 'ifMissing'> {
  const { id: jobId, namedAtMs } = accepted
  const sources = sourcesOfPlan(plan)
  const isSent = plan.kind !== 'wait'
  const atMs = isSent ? accepted.sentAtMs : namedAtMs
  const line = sources && createLine({ jobId, atMs }, sources.items, trigger, run)
  // A re-run repeats a line that its first attempt may have written.
  if (line !== undefined && !isSent) return { lines: [], ifMissing: line }
  const lines = line === undefined ? [] : [line]
  if (plan.kind === 'create') return { lines }
  const createdAtMs = isSent ? undefined : Date.parse(job?.createdAt ?? '') || namedAtMs
  const earlierAtMs = plan.namedAtMs ?? createdAtMs
  return {
    lines,
    ifMissing: earlierAtMs === undefined ? undefined : earlierJobLine(jobId, earlierAtMs),
  }
}

/** How many people updates ask in the life of a docs pull request. */
const MAX_LATER = 5

/** Stands for the labels in a list of names. */
const LABELS_NAME = 'the labels'

/** Whom a run asks, and with what it labels the docs pull request. */
type Wanted = {
  /** Logins and teams. */
  readonly reviewers: readonly string[]
  readonly labels: readonly string[]
  /** How many people updates have asked; `undefined` if these are those of the run that opened it. */
  readonly later: number | undefined
}

/** Who was asked and which labels were set, by whomever, in lower case. */
type PullHistory = { readonly asked: readonly string[]; readonly labels: readonly string[] }

type Situation = {
  /** Whether the run has just opened the docs pull request. */
  readonly isOpener: boolean
  /** As the source comment knows it; `undefined` if there is none, or it doesn't say. */
  readonly known: ReviewRequests | undefined
  /** The run's `source-authors`. */
  readonly authors: readonly string[]
}

/**
 * Requests reviews and adds labels, each once in the life of a docs pull request: so nobody and nothing that a person
 * removed comes back.
 *
 * @returns what the source comment is to know, and who couldn't be asked, as a line for the summary
 */
async function requestReviews(
  place: DocsPullPlace,
  situation: Situation,
  run: Run,
): Promise<{ readonly requests?: ReviewRequests | undefined; readonly note: Markdown }> {
  const { isOpener, known } = situation
  const isWanted = ({ reviewers, labels }: Wanted) => reviewers.length + labels.length > 0
  const nothing = { note: md`` }
  if (!isWanted(chooseWanted(situation, undefined, run))) return nothing
  const history = isOpener ? undefined : await readHistory(place, run)
  if (!isOpener && history === undefined && known === undefined) {
    run.log.info("Nobody was asked to review, because the action can't tell who was asked before.")
    return nothing
  }
  const wanted = chooseWanted(situation, history, run)
  const sent = await sendRequests(wanted, place, run)
  const final = sent.filter(({ name, outcome }) => outcome !== 'failed' && name !== LABELS_NAME)
  const count = final.filter(({ outcome }) => outcome === 'done').length
  const requests = {
    isSetUp: known?.isSetUp === true || sent.every(({ outcome }) => outcome !== 'failed'),
    asked: [...(known?.asked ?? []), ...final.map(({ name }) => name)],
    later: wanted.later === undefined ? 0 : wanted.later + count,
  }
  const reasons = sent.flatMap(({ name, why }) => {
    const what = name === LABELS_NAME ? name : `a review by ${name}`
    return why === '' ? [] : `${what} (${why})`
  })
  const note = reasons.length === 0 ? '' : `Could not request ${reasons.join(', ')}.`
  return { requests, note: sentencesWithCode(note) }
}

/** Chooses who is still to be asked, and the labels that are still to be added. */
function chooseWanted(
  { isOpener, known, authors }: Situation,
  history: PullHistory | undefined,
  { inputs }: Run,
): Wanted {
  const { 'pr-reviewers': named, 'pr-labels': labels } = inputs
  const isSetUp = known?.isSetUp === true && !isOpener
  const before = [...(known?.asked ?? []), ...(history?.asked ?? [])]
  const isNew = (name: string) => !before.some((one) => isSame(one, name))
  const isAuthor = (name: string) => !named.some((one) => isSame(one, name))
  const isFirst = isOpener || (known === undefined ? before.length === 0 : !known.isSetUp)
  const later = isFirst ? undefined : (known?.later ?? before.filter(isAuthor).length)
  const fixed = isSetUp ? [] : named.filter((name) => name !== SOURCE_AUTHORS && isNew(name))
  const people = named.includes(SOURCE_AUTHORS) ? authors.filter(isAuthor).filter(isNew) : []
  return {
    reviewers: [
      ...fixed,
      ...people.slice(0, later === undefined ? Infinity : Math.max(0, MAX_LATER - later)),
    ],
    labels: isSetUp
      ? []
      : labels.filter((label) => !history?.labels.some((one) => isSame(one, label))),
    later,
  }
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
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
  const pullOf = (data: HistoryAnswer): Maybe<HistoryNode> => data.repository?.pullRequest
  const answer = await github.read(() =>
    github.graphqlPages<HistoryAnswer>(HISTORY, { owner, repo, number }, (data) => ({
      asked: pullOf(data)?.asked,
      labels: pullOf(data)?.labels,
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

/** The results of requests: done, refused for good and why, or to be tried again by a later run. */
type Sent = {
  readonly name: string
  readonly outcome: 'done' | 'refused' | 'failed'
  readonly why: string
}

/** Adds the labels and asks one reviewer after another: GitHub rejects a whole list because of one. */
async function sendRequests(
  { reviewers, labels }: Wanted,
  { repository, number, isOwn }: DocsPullPlace,
  { github, log, cancel }: Run,
): Promise<readonly Sent[]> {
  const path = `POST /repos/${repository}/pulls/${number}/requested_reviewers`
  const requests = [
    ...(labels.length === 0
      ? []
      : [
          {
            name: LABELS_NAME,
            route: `POST /repos/${repository}/issues/${number}/labels`,
            body: { labels },
          },
        ]),
    ...reviewers.map((name) => {
      const [login, team] = name.split('/')
      return { name, route: path, body: team ? { team_reviewers: [team] } : { reviewers: [login] } }
    }),
  ]
  const sent: Sent[] = []
  for (const { name, route, body } of requests) {
    const answer = await github.read(() => github.call((octokit) => octokit.request(route, body)))
    if (answer.known) {
      sent.push({ name, outcome: 'done', why: '' })
      continue
    }
    const { kind } = answer.error
    if (kind === 'permission' && !sent.some(({ outcome }) => outcome === 'done')) {
      const fix = isOwn
        ? 'Add `pull-requests: write` under `permissions:`.'
        : "Use a token with `pull-requests: write` there, such as a GitHub App's."
      log.warnInSummary(
        `\`github-token\` can't request reviews or add labels in ${repository}: ${answer.why}. ${fix}`,
        'Nobody was asked to review the docs pull request',
      )
      return [{ name, outcome: 'failed', why: '' }]
    }
    const isFinal = kind === 'permission' || kind === 'refused'
    const why = isFinal && isTeam(name) ? NEEDS_TEAMS : answer.why
    sent.push({ name, outcome: isFinal ? 'refused' : 'failed', why })
    if (cancel.aborted) break
  }
  return sent
}
