import type { GitHub, RunDeps } from '../github/github.ts'
import { integerField, isRecord, type JsonRecord, recordField, stringField } from '../lib/json.ts'
import type { Environment } from '../runner/environment.ts'
import { runUrlOf } from '../runner/environment.ts'
import { type GitHubEvent, isCommentEvent } from '../trigger/event.ts'
import { changedFilesOf, compare, lookAtPull } from './changes.ts'
import { type EventFacts, type Fact, NOTHING, renderContext } from './render.ts'

/** Events that say nothing but that it is time. */
const BARE_EVENTS = ['schedule', 'workflow_dispatch']

/** What GitHub knows of the event: from its payload, and from the API where that is silent. Never fails. */
export async function gatherFacts(
  event: GitHubEvent,
  { environment, github }: { environment: Environment; github: GitHub },
): Promise<EventFacts> {
  const { name, payload } = event
  const repository: Fact = ['Repository', environment.repository]
  const run: Fact = ['Workflow run', runUrlOf(environment)]
  if (BARE_EVENTS.includes(name)) return { facts: [repository, run], commits: NOTHING, files: NOTHING }

  const about = await factsAbout(event, github)
  const branch = branchOf(event, environment)
  return {
    ...about,
    facts: [repository, ['Event', eventWords(name, payload)], ...branch, run, ...about.facts],
  }
}

function factsAbout(event: GitHubEvent, github: GitHub): Promise<EventFacts> | EventFacts {
  const { name, payload } = event
  if (name === 'push') return factsOfPush(payload, github)
  if (isRecord(payload['pull_request'])) return factsOfPull(event, payload['pull_request'], github)
  const issue = recordField(payload, 'issue')
  if (isRecord(issue['pull_request'])) return factsOfCommentedPull(event, issue, github)
  return { facts: titled('Issue', issue), commits: NOTHING, files: NOTHING }
}

async function factsOfPush(payload: JsonRecord, github: GitHub): Promise<EventFacts> {
  const url: Fact = ['Compare', stringField(payload, 'compare') ?? '']
  return { facts: [url], ...(await compare(payload, github)) }
}

async function factsOfPull(event: GitHubEvent, pull: JsonRecord, github: GitHub): Promise<EventFacts> {
  const number = integerField(pull, 'number')
  const sides: Fact[] = [
    ['Base', sideOf(pull, 'base', pull)],
    ['Head', sideOf(pull, 'head', pull)],
  ]
  const files = number === undefined ? NOTHING : await changedFilesOf(number, pull, github)
  return {
    facts: [...titled('Pull request', pull), ...sides, ...commentedLine(event)],
    commits: NOTHING,
    files,
  }
}

/** A comment on a pull request's main thread knows it as an issue: without its branches. */
async function factsOfCommentedPull(
  event: GitHubEvent,
  issue: JsonRecord,
  github: GitHub,
): Promise<EventFacts> {
  const number = integerField(issue, 'number')
  const pull = number === undefined ? undefined : await lookAtPull(number, github)
  if (pull !== undefined) return await factsOfPull(event, pull, github)
  return { facts: titled('Pull request', issue), commits: NOTHING, files: NOTHING }
}

function titled(what: string, thing: JsonRecord): Fact[] {
  const number = integerField(thing, 'number')
  if (number === undefined) return []
  const url = stringField(thing, 'html_url') ?? ''
  return [
    [what, `${number}`],
    ['Title', stringField(thing, 'title') ?? ''],
    ['URL', url],
  ]
}

function sideOf(pull: JsonRecord, side: 'base' | 'head', whole: JsonRecord): string {
  const ref = stringField(recordField(pull, side), 'ref') ?? ''
  const repositoryOf = (of: 'base' | 'head'): string =>
    stringField(recordField(recordField(whole, of), 'repo'), 'full_name') ?? ''
  const from = repositoryOf(side)
  return from === repositoryOf('base') || from === '' ? ref : `${ref} of the fork ${from}`
}

/** Where a review comment stands. */
function commentedLine({ name, payload }: GitHubEvent): Fact[] {
  const comment = recordField(payload, 'comment')
  const path = stringField(comment, 'path') ?? ''
  if (name !== 'pull_request_review_comment' || path === '') return []
  const line = integerField(comment, 'line')
  return [['Comment on', line === undefined ? path : `${path}, line ${line}`]]
}

function branchOf(event: GitHubEvent, { ref }: Environment): Fact[] {
  const { payload } = event
  // The branch of a run about a comment is the default one, whatever the comment is about.
  if (isCommentEvent(event) || isRecord(payload['pull_request'])) return []
  const pushed = stringField(payload, 'ref') ?? ref
  if (pushed.startsWith('refs/tags/')) return [['Tag', pushed.slice('refs/tags/'.length)]]
  return [['Branch', pushed.replace(/^refs\/heads\//, '')]]
}

function eventWords(name: string, payload: JsonRecord): string {
  const action = stringField(payload, 'action') ?? ''
  return action === '' ? name : `${name} (${action})`
}

/** What is known of the event, as a delimited block for the prompt. */
export async function describeEvent(
  event: GitHubEvent,
  _detail: 'diff' | 'files',
  deps: RunDeps,
): Promise<string> {
  return renderContext(await gatherFacts(event, deps))
}
