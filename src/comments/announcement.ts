import type { Trigger } from '../events/trigger.ts'
import type { Known } from '../github/client.ts'
import { pullRequestThread } from '../github/comments.ts'
import { numberOfOwnPullRequest } from '../github/pull-requests.ts'
import {
  isSameAccount,
  type Maybe,
  normalizeLogin,
  type PullRequest,
  type Sent,
  type User,
} from '../github/types.ts'
import type { EarlierJob } from '../memory/status.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { announcementBody } from './bodies.ts'
import { createMarker, isSameComment, type Marker, Markers, unverifiedProject } from './marker.ts'
import { OwnComments } from './own-comments.ts'

/** As many of the agent's open pull requests are looked at, and as many comments of each. */
const MAX_PULLS = 20
const MAX_COMMENTS = 100

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

/** Looks for a job of this step that an open pull request of the agent's in this repository announces: the newest one. */
export async function findAnnouncedJob(trigger: Trigger, run: Run): Promise<Known<EarlierJob | undefined>> {
  const { github, inputs, environment, log } = run
  const own = createMarker(trigger, run)
  const isAgent = ({ user }: PullRequest): boolean =>
    inputs['ignore-authors'].some((login) => normalizeLogin(login) === normalizeLogin(user?.login ?? ''))
  return await github.read(async () => {
    const page = { state: 'open', sort: 'created', direction: 'desc', per_page: 100 } as const
    const open = await github.call<readonly PullRequest[]>(({ rest }) =>
      rest.pulls.list({ ...github.repository, ...page }),
    )
    const numbers = open.filter(isAgent).flatMap(({ number }) => number ?? [])
    if (numbers.length === 0 || inputs['api-key'] === '') return undefined
    const comments = await listFirstComments(numbers.slice(0, MAX_PULLS), run)
    const markers = new Markers(inputs['api-key'], environment.repository)
    const account = await github.account()
    for (const { number, author, body } of comments) {
      if (!isSameAccount(account, author)) continue
      const marker = markers.read(body, pullRequestThread(number))
      if (marker === undefined && unverifiedProject(body) === own.project) {
        log.notice(
          `The pull request #${number} was announced with another API key, so this run can't continue it. Merge or close it, or run with \`job-id\`.`,
        )
      }
      const isOfStep = marker?.kind === 'announcement' && marker.step === own.step && marker.source === ''
      if (!isOfStep || marker.project !== own.project) continue
      return { id: marker.job, prLink: marker.pull, namedAtMs: marker.namedAt }
    }
    return undefined
  })
}

/** The first comments of each pull request, in this order: one request. */
async function listFirstComments(numbers: readonly number[], { github }: Run) {
  const fields = numbers.map(
    (number) => `p${number}: pullRequest(number: ${number}) { comments(first: ${MAX_COMMENTS}) {
      nodes { body author { login ... on Bot { databaseId } ... on User { databaseId } } }
    } }`,
  )
  type Comments = Sent<{ comments: Sent<{ nodes: readonly Maybe<Sent<{ body: string; author: User }>>[] }> }>
  const { data } = await github.graphql<{
    readonly repository?: Maybe<Readonly<Record<string, Maybe<Comments>>>>
  }>(
    `query Announcements($owner: String!, $repo: String!) {
      repository(owner: $owner, name: $repo) { ${fields.join(' ')} }
    }`,
    github.repository,
  )
  return numbers.flatMap((number) =>
    (data.repository?.[`p${number}`]?.comments?.nodes ?? []).map((comment) => ({
      number,
      author: comment?.author,
      body: comment?.body ?? '',
    })),
  )
}
