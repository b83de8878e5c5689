import type { History } from '../events/history.ts'
import { isSha, type Payload } from '../events/payload.ts'
import type { GitHub } from '../github/client.ts'
import type { MergedPull, StepStatus } from '../github/history.ts'
import type { Run } from '../runner/run.ts'
import {
  type Changes,
  changesInPayload,
  compare,
  NO_CHANGES,
  requestComparison,
  unknownChanges,
  withoutBody,
} from './changes.ts'
import { changesSinceTag } from './releases.ts'
import type { EventFacts, Fact } from './render.ts'

/** What a push brought, with the merged pull requests that its commits came in. */
export async function factsOfPush(payload: Payload, history: History, github: GitHub): Promise<EventFacts> {
  const { facts, commits, files } = await changesOfPush(payload, history, github)
  const { merged } = history
  const pulls = new Map([...merged.values()].flat().map((pull) => [pull.number, pull]))
  // What a pull request's description tells, its commits need not tell again.
  const told = commits.commits.map((commit) =>
    merged.get(commit.sha)?.length ? withoutBody(commit) : commit,
  )
  const texts = [...pulls.values()].toReversed().map(textOfPull)
  return { facts, texts, commits: { ...commits, commits: told }, files }
}

function textOfPull({ number, title, url, author, labels, body }: MergedPull): Fact {
  const by = author === '' ? '' : `, by ${author}`
  const labelled = labels.length === 0 ? '' : `, labels: ${labels.join(', ')}`
  return [`Merged pull request #${number}: ${title} (${url}${by}${labelled})`, body]
}

/** Since this step's last job, since the push before, or since the tag before. */
async function changesOfPush(payload: Payload, { lastJob }: History, github: GitHub): Promise<Changes> {
  const { before, after, head_commit: tip } = payload
  const pushed = payload.commits?.length ? payload.commits : tip == null ? [] : [tip]
  const tag = /^refs\/tags\/(.+)$/.exec(payload.ref ?? '')?.[1]
  if (tag !== undefined && !isSha(before)) return await changesSinceTag(tag, github)
  // A local run may have any payload.
  if (!isSha(after)) return changesInPayload(pushed, 'not known: the payload names no commit to compare')
  if (!isSha(before)) return changesInPayload(pushed, 'a new branch has nothing to be compared with')
  const job = lastJob.known ? lastJob.value : undefined
  const base = job?.sha ?? before
  const compared = await compare(base, after, github)
  const since: Fact[] = job === undefined || base === before ? [] : [['Changes since', jobWords(job)]]
  const gone = base === before && compared.known ? compared.value.behind : undefined
  const forced = payload.forced === true ? [await forcedFact(gone, before, after, github)] : []
  if (compared.known) return { ...compared.value, facts: [...since, ...compared.value.facts, ...forced] }
  const known = changesInPayload(pushed, `not known: ${compared.why}`)
  return { ...known, facts: [['Compare', payload.compare ?? ''], ...forced] }
}

/** @param known how many commits are gone, if that is known already */
async function forcedFact(
  known: number | undefined,
  before: string,
  after: string,
  github: GitHub,
): Promise<Fact> {
  const comparison = known === undefined ? await requestComparison(github, before, after) : undefined
  const gone = comparison?.known ? comparison.value.behind_by : known
  return [
    'Forced push',
    `${gone ?? 'an unknown number of'} ${gone === 1 ? 'commit is' : 'commits are'} gone from the branch`,
  ]
}

function jobWords({ sha, createdAtMs }: StepStatus): string {
  const when = createdAtMs === 0 ? '' : `, ${new Date(createdAtMs).toISOString().slice(0, 16)}Z`
  return `this step's last job (commit ${sha.slice(0, 7)}${when})`
}

/** What has changed on the run's branch since this step's last job, or else since this workflow last succeeded on it. */
export async function changesSinceLastJob(history: History, { environment, github }: Run): Promise<Changes> {
  const { sha } = environment
  const job = history.lastJob.known ? history.lastJob.value : undefined
  const success = history.lastSuccess.known ? history.lastSuccess.value : undefined
  const base = job?.sha ?? success?.sha
  if (base === undefined || !isSha(sha)) return unknownChanges(whyUnknown(history, environment.ref))
  const words =
    job === undefined
      ? `this workflow last succeeded on this branch (${success?.createdAt}, ${success?.url})`
      : jobWords(job)
  const since: Fact = ['Changes since', words]
  if (base === sha) return { ...NO_CHANGES, facts: [since] }
  const compared = await compare(base, sha, github)
  if (!compared.known) return unknownChanges(compared.why, [since])
  return { ...compared.value, facts: [since, ...compared.value.facts] }
}

function whyUnknown({ lastJob, lastSuccess }: History, ref: string): string {
  if (!ref.startsWith('refs/heads/')) return 'this run is not on a branch'
  if (!lastJob.known) return lastJob.why
  if (!lastSuccess.known) return lastSuccess.why
  return 'neither this step nor this workflow has succeeded on this branch before'
}
