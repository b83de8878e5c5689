import { type Command, mayWrite, type Trigger } from '../events/trigger.ts'
import { type Known, NONE } from '../github/client.ts'
import {
  isSameAccount,
  mainThread,
  pullRequestThread,
  type Thread,
  type ThreadComment,
} from '../github/comments.ts'
import { GitHubError } from '../github/errors.ts'
import { type Nodes, nodesOf, normalizeLogin, type Sent, type User } from '../github/types.ts'
import type { Attempt, Recalled } from '../memory/recall.ts'
import type { EarlierJob } from '../memory/status.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { createMarker, isSameComment, type Marker, Markers, unverifiedProject } from './marker.ts'
import { listThread, type OwnComment } from './own-comments.ts'

/** What the comments of a command's conversation tell. */
export type ConversationMemory = Recalled & {
  /** An earlier attempt's reply to the command. */
  readonly reply: OwnComment | undefined
  /** The comments of the command's thread, oldest first, ours among them. */
  readonly comments: readonly ThreadComment[]
  /** Ids of ours, and of the last one that names the job to continue. */
  readonly ownIds: ReadonlySet<number>
  readonly lastNamedId: number | undefined
}

export const NOTHING_FOUND: ConversationMemory = {
  attempt: { kind: 'none' },
  earlier: NONE,
  mayBeAnnounced: false,
  reply: undefined,
  comments: [],
  ownIds: new Set(),
  lastNamedId: undefined,
}

/** Reads the command's thread and, where that tells nothing, the main thread. */
export async function readConversation(
  { source: { thread }, fresh }: Command,
  marker: Marker,
  run: Run,
): Promise<ConversationMemory> {
  const { inputs, environment, log } = run
  const isAgain = isRerun(environment)
  const mayHaveReplied = isAgain && mayWrite(inputs)
  const mayContinue = !fresh && inputs['follow-up'] && inputs['job-id'] === '' && inputs['api-key'] !== ''
  const attempt: Attempt = { kind: isAgain && !inputs['dry-run'] ? 'forgotten' : 'none' }
  let found: ConversationMemory = { ...NOTHING_FOUND, attempt }
  if (!mayContinue && !mayHaveReplied && inputs.context === 'none') return found
  // Those of the command's own thread come last: the last one that fits counts.
  let own: readonly OwnComment[] = []
  let job: OwnComment | undefined
  for (const place of thread.kind === 'main' ? [thread] : [thread, mainThread(thread)]) {
    const listed = await listThread(place, run)
    if (!listed.known) {
      if (place === thread && inputs.context !== 'none') {
        log.warning(
          `Failed to list the comments before the command: ${listed.why}. The agent is not told the conversation.`,
        )
      }
      if (mayContinue) found = { ...found, earlier: listed }
      return mayHaveReplied ? { ...found, attempt: { kind: 'unknown', why: listed.why } } : found
    }
    own = [...listed.value.own, ...own]
    const ownIds = new Set(own.map(({ ref }) => ref.id))
    found = { ...found, ownIds, ...(place === thread && { comments: listed.value.all }) }
    job = mayContinue ? conversationJob(own, marker, thread) : undefined
    if (job !== undefined && !isAgain) break
  }
  // A job that is still running names no pull request: an older comment of ours may.
  const withPull = own.findLast(({ marker: { job: id, pull } }) => id === job?.marker.job && pull !== '')
  const prLink = job?.marker.pull || withPull?.marker.pull || ''
  // Where its thread was deleted, a review comment is answered in the main thread.
  const reply = own.findLast((one) => isSameComment(one.marker, marker))
  return {
    ...found,
    ...(mayHaveReplied && { reply, attempt: attemptOf(reply?.marker) }),
    earlier: { known: true, value: job && { ...jobOf(job.marker), prLink } },
    lastNamedId: job && answeredId(job, found.comments),
  }
}

function attemptOf(before: Marker | undefined): Attempt {
  if (before === undefined) return { kind: 'none' }
  if (before.job !== '') return { kind: 'job', job: jobOf(before) }
  return before.state === 'failure' ? { kind: 'none' } : { kind: 'maybe-started', state: before.state }
}

/** The own step's newest reply in its own thread counts first; then an announcement, whichever step led to it. */
function conversationJob(
  own: readonly OwnComment[],
  { project, step }: Marker,
  thread: Thread,
): OwnComment | undefined {
  const named = own.filter(({ marker }) => marker.job !== '' && marker.project === project)
  const inThread = named.filter(({ ref }) => ref.thread.kind === thread.kind)
  return (
    inThread.findLast(({ marker }) => marker.kind === 'reply' && marker.step === step) ??
    named.findLast(({ marker }) => marker.kind === 'announcement')
  )
}

/** Id of the comment that a reply of ours answers, if it is among these; else of ours. */
function answeredId({ ref, marker }: OwnComment, comments: readonly ThreadComment[]): number {
  const id = Number(/^(?:issue|review)-comment\/(\d+)$/.exec(marker.source)?.[1])
  return comments.some((one) => one.ref.id === id) ? id : ref.id
}

function jobOf({ job, pull, namedAt }: Marker): EarlierJob {
  return { id: job, prLink: pull, namedAtMs: namedAt }
}

/** The open pull request that a run is about, whose docs are no other run's; empty if there is none. */
export function codePullRequest({ event: { row, payload } }: Trigger): string {
  const { merged, number } = payload.pull_request ?? {}
  return row.subject === 'pull-request' && merged !== true && number != null ? `pull/${number}` : ''
}

/** What an announcement may be for so that a run continues its job: a merged pull request is like a push. */
function announcedFor(trigger: Trigger): readonly string[] {
  const { merged, number } = trigger.event.payload.pull_request ?? {}
  return merged === true ? [`pull/${number}`, ''] : [codePullRequest(trigger)]
}

/** As many of the agent's open pull requests are looked at, of the newest of all. */
const MAX_PULLS = 20

type PullWithComments = Sent<{
  number: number
  author: User
  comments: Nodes<Sent<{ body: string; author: User }>>
}>

type OpenPulls = Sent<{ repository: Sent<{ pullRequests: Nodes<PullWithComments> }> }>

/** Looks for a job of this step that an open pull request of the agent's in this repository announces: the newest one. */
export async function findAnnouncedJob(trigger: Trigger, run: Run): Promise<Known<EarlierJob | undefined>> {
  const { github, inputs, environment, log } = run
  const { step, project } = createMarker(trigger, run)
  if (inputs['api-key'] === '') return NONE
  const markers = new Markers(inputs['api-key'], environment.repository)
  const sources = announcedFor(trigger)
  const agents = inputs['ignore-authors'].map(normalizeLogin)
  return await github.read(async () => {
    const { data } = await github.graphql<OpenPulls>(
      `query Announcements($owner: String!, $repo: String!) { repository(owner: $owner, name: $repo) {
        pullRequests(states: OPEN, first: 100, orderBy: { field: CREATED_AT, direction: DESC }) { nodes {
          number author { login }
          comments(first: 30) { nodes { body author { login ... on Bot { databaseId } ... on User { databaseId } } } }
        } }
      } }`,
      github.repository,
    )
    const open = data.repository?.pullRequests
    if (!open) throw new GitHubError('GitHub returned no pull requests')
    const ofAgents = nodesOf(open).filter(({ author }) =>
      agents.includes(normalizeLogin(author?.login ?? '')),
    )
    for (const { number, comments } of ofAgents.slice(0, MAX_PULLS)) {
      const thread = pullRequestThread(number ?? 0)
      for (const { body: text, author } of nodesOf(comments)) {
        const body = text ?? ''
        if (unverifiedProject(body) !== project || !isSameAccount(await github.account(), author)) continue
        const marker = markers.read(body, thread)
        if (marker === undefined) {
          log.notice(
            `The pull request #${number} was announced with another API key, so this run can't continue it. Merge or close it, or run with \`job-id\`.`,
          )
        } else if (
          marker.kind === 'announcement' &&
          marker.step === step &&
          sources.includes(marker.source)
        ) {
          return jobOf(marker)
        }
      }
    }
    return undefined
  })
}
