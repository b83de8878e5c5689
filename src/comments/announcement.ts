import type { Trigger } from '../events/trigger.ts'
import type { Known } from '../github/client.ts'
import { isSameAccount, pullRequestThread } from '../github/comments.ts'
import { GitHubError } from '../github/errors.ts'
import { numberOfOwnPullRequest } from '../github/pull-requests.ts'
import { type Maybe, normalizeLogin, type Sent, type User } from '../github/types.ts'
import type { EarlierJob } from '../memory/status.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { announcementBody } from './bodies.ts'
import { createMarker, isSameComment, type Marker, Markers, unverifiedProject } from './marker.ts'
import { OwnComments } from './own-comments.ts'

/** As many of the agent's open pull requests are looked at, of the newest of all. */
const MAX_PULLS = 20

/**
 * Says on the agent's pull request in this repository what it came from, once for each job. A failure is logged.
 *
 * @param job `isNew`: whether this run has started it, so that it can't be announced yet
 * @returns whether it says there that a command continues the job
 */
export async function writeAnnouncement(
  trigger: Trigger,
  { marker, isNew }: { readonly marker: Marker; readonly isNew: boolean },
  run: Run,
): Promise<boolean> {
  const number = numberOfOwnPullRequest(marker.pull, run.github)
  if (number === undefined) return false
  const own = new OwnComments(run)
  const thread = pullRequestThread(number)
  const announcement: Marker = { ...marker, kind: 'announcement', source: codePullRequest(trigger) }
  const listed = isNew && !isRerun(run.environment) ? undefined : await own.list(thread)
  const known = listed?.known
    ? listed.value.own.find((one) => isSameComment(one.marker, announcement))
    : undefined
  // Where it can't be told whether it is there, none is better than two.
  if (known === undefined && listed?.known === false) return false
  const text = announcementBody({ trigger, run })
  const ref = known?.ref ?? (await own.write({ thread }, { marker: announcement, text }))
  const written = 'known' in ref ? (ref.known ? ref.value : undefined) : ref
  if (written === undefined) return false
  run.setOutputs({ 'comment-id': `${written.id}`, 'comment-url': written.url })
  const { command } = trigger
  return command !== undefined && run.inputs['follow-up'] && number !== command.source.thread.number
}

/** The open pull request that a run is about, whose docs are no other run's; empty if there is none. */
function codePullRequest({ event: { row, payload } }: Trigger): string {
  const { merged, number } = payload.pull_request ?? {}
  return row.subject === 'pull-request' && merged !== true && number != null ? `pull/${number}` : ''
}

/** What an announcement may be for so that a run continues its job: a merged pull request is like a push. */
function announcedFor(trigger: Trigger): readonly string[] {
  const { merged, number } = trigger.event.payload.pull_request ?? {}
  return merged === true ? [`pull/${number}`, ''] : [codePullRequest(trigger)]
}

type OpenPulls = {
  readonly repository?: Maybe<
    Sent<{
      pullRequests: Sent<{
        nodes: readonly Maybe<
          Sent<{
            number: number
            author: User
            comments: Sent<{ nodes: readonly Maybe<Sent<{ body: string; author: User }>>[] }>
          }>
        >[]
      }>
    }>
  >
}

/** Looks for a job of this step that an open pull request of the agent's in this repository announces: the newest one. */
export async function findAnnouncedJob(trigger: Trigger, run: Run): Promise<Known<EarlierJob | undefined>> {
  const { github, inputs, environment, log } = run
  const { step, project } = createMarker(trigger, run)
  if (inputs['api-key'] === '') return { known: true, value: undefined }
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
    if (!data.repository?.pullRequests) throw new GitHubError('GitHub returned no pull requests')
    const open = (data.repository.pullRequests.nodes ?? []).filter(
      (pull) => pull?.number != null && agents.includes(normalizeLogin(pull.author?.login ?? '')),
    )
    for (const pull of open.slice(0, MAX_PULLS)) {
      const thread = pullRequestThread(pull?.number ?? 0)
      for (const comment of pull?.comments?.nodes ?? []) {
        const body = comment?.body ?? ''
        if (unverifiedProject(body) !== project) continue
        const marker = markers.read(body, thread)
        if (!isSameAccount(await github.account(), comment?.author)) continue
        if (marker === undefined) {
          log.notice(
            `The pull request #${thread.number} was announced with another API key, so this run can't continue it. Merge or close it, or run with \`job-id\`.`,
          )
        } else if (
          marker.kind === 'announcement' &&
          marker.step === step &&
          sources.includes(marker.source)
        ) {
          return { id: marker.job, prLink: marker.pull, namedAtMs: marker.namedAt }
        }
      }
    }
    return undefined
  })
}
