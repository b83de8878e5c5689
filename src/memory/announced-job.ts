import type { Trigger } from '../events/trigger.ts'
import { type Known, NONE } from '../github/client.ts'
import { isSameAccount, pullRequestThread } from '../github/comments.ts'
import { GitHubError } from '../github/errors.ts'
import { type Nodes, nodesOf, normalizeLogin, type Sent, type User } from '../github/types.ts'
import { isRerun } from '../runner/environment.ts'
import type { Run } from '../runner/run.ts'
import { createMarker, type Marker, Markers, unverifiedProject } from './marker.ts'
import type { EarlierJob } from './status.ts'

/** The job that a comment of ours names. */
export function jobOfMarker({ job, pull, namedAt }: Marker): EarlierJob {
  return { id: job, prLink: pull, namedAtMs: namedAt }
}

/** The open pull request that a run is about, whose docs are no other run's; empty if there is none. */
export function codePullRequest({ event: { payload } }: Trigger): string {
  const { merged, number } = payload.pull_request ?? {}
  return number == null || merged === true ? '' : `pull/${number}`
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
          // On its first attempt, this very run's is another leg's, or another call's of the same workflow.
          (isRerun(environment) || marker.run !== environment.runId) &&
          sources.includes(marker.source)
        ) {
          return jobOfMarker(marker)
        }
      }
    }
    return undefined
  })
}
