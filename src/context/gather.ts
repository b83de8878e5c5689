import type { GitHub } from '../github/github.ts'
import type { EarlierPullRequest } from '../github/pull-requests.ts'
import { integerField, isRecord, type JsonRecord, listField, recordField, stringField } from '../lib/json.ts'
import { type Environment, runUrlOf } from '../runner/environment.ts'
import type { GitHubEvent } from '../trigger/event.ts'
import {
  changesInPayload,
  changesSinceLastSuccess,
  changesSinceReleaseBefore,
  compare,
  filesOfPull,
  NOT_KNOWN,
  noChanges,
  readPull,
} from './changes.ts'
import { type Detail, type EventFacts, type Fact, renderContext } from './render.ts'

/** What to describe beside the event itself. */
export type ContextOptions = {
  readonly detail: Detail
  /** The pull request that an earlier run led to. */
  readonly previous?: EarlierPullRequest | undefined
}

type ContextDeps = { readonly environment: Environment; readonly github: GitHub }

/** Events that say nothing but that it is time. */
const BARE_EVENTS = ['schedule', 'workflow_dispatch', 'repository_dispatch']

/**
 * What GitHub knows of the event, as a delimited block for the prompt: from the payload, and from the API where that is
 * silent. Never fails: what can't be read from GitHub is left out, with a note.
 */
export async function describeEvent(
  event: GitHubEvent,
  { detail, previous }: ContextOptions,
  { environment, github }: ContextDeps,
): Promise<string> {
  const known = await factsOf(event, { environment, github })
  const earlier = previous === undefined ? '' : `${previous.prLink} (${previous.state})`
  const facts: Fact[] = [
    ['Repository', environment.repository],
    ['Event', eventWords(event)],
    ...branchOf(event, environment),
    ['Workflow run', runUrlOf(environment)],
    ['Earlier pull request', earlier],
    ...known.facts,
  ]
  return renderContext({ ...known, facts }, detail)
}

async function factsOf(event: GitHubEvent, { environment, github }: ContextDeps): Promise<EventFacts> {
  const { name, payload } = event
  if (name === 'push') return await factsOfPush(payload, github)
  if (name === 'release') return await factsOfRelease(recordField(payload, 'release'), github)
  if (BARE_EVENTS.includes(name)) return await changesSinceLastSuccess(environment, github)
  const pull = payload['pull_request']
  if (isRecord(pull)) return await factsOfPull(event, pull, github)
  const issue = recordField(payload, 'issue')
  if (isRecord(issue['pull_request'])) return await factsOfCommentedPull(event, issue, github)
  const discussion = recordField(payload, 'discussion')
  if (integerField(discussion, 'number') !== undefined) return titled('Discussion', discussion)
  return titled('Issue', issue)
}

async function factsOfPush(payload: JsonRecord, github: GitHub): Promise<EventFacts> {
  const [before, after] = [shaIn(payload, 'before'), shaIn(payload, 'after')]
  const forced: Fact = ['Forced', payload['forced'] === true ? 'yes, commits were replaced' : '']
  const inPayload = changesInPayload(payload)
  if (payload['deleted'] === true) return noChanges([['Deleted', 'yes, there is nothing left to compare']])
  // A local run may have no payload.
  if (after === '') return inPayload
  if (before === '') {
    const isTag = stringField(payload, 'ref')?.startsWith('refs/tags/') === true
    const note = `${inPayload.files.entries.length === 0 ? 'not known: ' : ''}a new ${isTag ? 'tag' : 'branch'} has nothing to be compared with`
    return { ...inPayload, files: { ...inPayload.files, note } }
  }
  const compared = await compare(before, after, github)
  if (compared !== undefined) return { ...compared, facts: [...compared.facts, forced] }
  const url: Fact = ['Compare', stringField(payload, 'compare') ?? '']
  return { ...inPayload, facts: [url, forced], files: { ...inPayload.files, note: NOT_KNOWN } }
}

async function factsOfRelease(release: JsonRecord, github: GitHub): Promise<EventFacts> {
  const facts: Fact[] = [
    ['Release', stringField(release, 'name') ?? ''],
    ['Tag', stringField(release, 'tag_name') ?? ''],
    ['URL', stringField(release, 'html_url') ?? ''],
  ]
  const changes = await changesSinceReleaseBefore(release, github)
  const notes: Fact = ['Notes', stringField(release, 'body') ?? '']
  return { ...changes, facts: [...facts, ...changes.facts], text: notes }
}

async function factsOfPull(event: GitHubEvent, pull: JsonRecord, github: GitHub): Promise<EventFacts> {
  const number = integerField(pull, 'number')
  const known = titled('Pull request', pull)
  const { place, hunk } = commentedLines(event)
  const facts: Fact[] = [
    ...known.facts,
    ['State', stateOf(pull)],
    ['Base', branchOfSide(pull, 'base')],
    ['Head', branchOfSide(pull, 'head')],
    ['Comment on', place],
  ]
  if (number === undefined) return { ...known, facts, hunk }
  const files = await filesOfPull(number, integerField(pull, 'changed_files'), github)
  return { ...known, facts, hunk, files }
}

/** A comment on a pull request's main thread knows it as an issue: without its branches. */
async function factsOfCommentedPull(
  event: GitHubEvent,
  issue: JsonRecord,
  github: GitHub,
): Promise<EventFacts> {
  const number = integerField(issue, 'number')
  const pull = number === undefined ? undefined : await readPull(number, github)
  if (pull !== undefined) return await factsOfPull(event, pull, github)
  const known = titled('Pull request', issue)
  const state: Fact = ['State', stateOf({ ...issue, ...recordField(issue, 'pull_request') })]
  return { ...known, facts: [...known.facts, state], files: { ...known.files, note: NOT_KNOWN } }
}

/** What pull requests, issues and discussions have in common. */
function titled(kind: string, thing: JsonRecord): EventFacts {
  const number = integerField(thing, 'number')
  if (number === undefined) return noChanges()
  const labels = listField(thing, 'labels').map((label) => stringField(label, 'name') ?? '')
  return {
    ...noChanges([
      [kind, `${number}`],
      ['Title', stringField(thing, 'title') ?? ''],
      ['URL', stringField(thing, 'html_url') ?? ''],
      ['Author', stringField(recordField(thing, 'user'), 'login') ?? ''],
      ['Labels', labels.join(', ')],
    ]),
    text: ['Body', stringField(thing, 'body') ?? ''],
  }
}

function stateOf(pull: JsonRecord): string {
  if (pull['merged'] === true || stringField(pull, 'merged_at') !== undefined) {
    const sha = stringField(pull, 'merge_commit_sha') ?? ''
    return sha === '' ? 'merged' : `merged as ${sha}`
  }
  const state = stringField(pull, 'state') ?? ''
  return pull['draft'] === true ? `${state} (draft)` : state
}

function branchOfSide(pull: JsonRecord, side: 'base' | 'head'): string {
  const ref = stringField(recordField(pull, side), 'ref') ?? ''
  const repositoryOf = (of: 'base' | 'head'): string =>
    stringField(recordField(recordField(pull, of), 'repo'), 'full_name') ?? ''
  const repository = repositoryOf(side)
  return repository === repositoryOf('base') || repository === '' ? ref : `${ref} of the fork ${repository}`
}

/** Where a review comment stands, and the part of the diff that it is about. */
function commentedLines({ payload }: GitHubEvent): { readonly place: string; readonly hunk: string } {
  const comment = recordField(payload, 'comment')
  const path = stringField(comment, 'path') ?? ''
  const hunk = stringField(comment, 'diff_hunk') ?? ''
  const last = integerField(comment, 'line')
  const original = integerField(comment, 'original_line')
  const first = integerField(comment, 'start_line')
  if (last === undefined && original === undefined) return { place: path, hunk }
  const removed = comment['side'] === 'LEFT' ? ' of the old version' : ''
  if (last === undefined) return { place: `${path}, line ${original}${removed} (changed since)`, hunk }
  const lines = first === undefined || first === last ? `line ${last}` : `lines ${first} to ${last}`
  return { place: `${path}, ${lines}${removed}`, hunk }
}

/** The branch or tag that an event is about. A pull request has a base and a head instead. */
function branchOf({ name, payload }: GitHubEvent, environment: Environment): Fact[] {
  if (isRecord(payload['pull_request']) || isRecord(recordField(payload, 'issue')['pull_request'])) return []
  if (name === 'release') return []
  if (name === 'create' || name === 'delete') {
    const ref = stringField(payload, 'ref') ?? ''
    return [[stringField(payload, 'ref_type') === 'tag' ? 'Tag' : 'Branch', ref]]
  }
  const ref = (name === 'push' ? stringField(payload, 'ref') : undefined) ?? environment.ref
  if (ref.startsWith('refs/tags/')) return [['Tag', ref.slice('refs/tags/'.length)]]
  return [['Branch', ref.replace(/^refs\/heads\//, '')]]
}

function eventWords({ name, payload }: GitHubEvent): string {
  const action = stringField(payload, 'action') ?? ''
  return action === '' ? name : `${name} (${action})`
}

function shaIn(payload: JsonRecord, field: string): string {
  const sha = stringField(payload, field) ?? ''
  return /^(?!0+$)[0-9a-f]{40,64}$/.test(sha) ? sha : ''
}
