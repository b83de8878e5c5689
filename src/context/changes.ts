import type { GitHub } from '../github/github.ts'
import { integerField, isRecord, type JsonRecord, listField, recordField, stringField } from '../lib/json.ts'
import { type EventFacts, type FactList, FILES_LIMIT, NOTHING } from './render.ts'

/** As many entries as GitHub gives on a page. */
const PAGE = 100

type Changes = Pick<EventFacts, 'commits' | 'files'>

/** The commits and changed files of a push: by the API, or what its payload has. */
export async function compare(payload: JsonRecord, github: GitHub): Promise<Changes> {
  const before = shaIn(payload, 'before')
  const after = shaIn(payload, 'after')
  if (before === '' || after === '' || payload['created'] === true) return changesIn(payload)
  const answer = await github.attempt<unknown>({
    purpose: 'compare the commits of the push',
    permission: 'contents: read',
    send: async ({ rest }) => {
      const basehead = `${before}...${after}`
      return (await rest.repos.compareCommitsWithBasehead({ ...github.repository, basehead })).data
    },
  })
  if (!isRecord(answer)) return changesIn(payload)
  const commits = listField(answer, 'commits').map((commit) => subjectOf(recordField(commit, 'commit')))
  const files = listField(answer, 'files').map(fileWords)
  return {
    commits: { entries: commits, total: integerField(answer, 'total_commits') ?? commits.length },
    // GitHub's documentation: at most 300 files, without saying how many there are.
    files: { entries: files, total: files.length < FILES_LIMIT ? files.length : undefined },
  }
}

/** A pull request as the API knows it; `undefined`, with a warning, if it can't be had. */
export function lookAtPull(number: number, github: GitHub): Promise<JsonRecord | undefined> {
  return github.attempt<JsonRecord>({
    purpose: 'look at the pull request',
    permission: 'pull-requests: read',
    send: async ({ rest }) => {
      const { data } = await rest.pulls.get({ ...github.repository, pull_number: number })
      if (!isRecord(data)) throw new Error('the answer is no pull request')
      return data
    },
  })
}

/** The changed files of a pull request, as many as the agent is told of. */
export async function changedFilesOf(number: number, pull: JsonRecord, github: GitHub): Promise<FactList> {
  const files = await github.attempt({
    purpose: 'list the changed files',
    permission: 'pull-requests: read',
    send: async ({ paginate, rest }) => {
      const there = { ...github.repository, pull_number: number, per_page: PAGE }
      const found: unknown[] = []
      for await (const { data } of paginate.iterator(rest.pulls.listFiles, there)) {
        found.push(...data)
        if (found.length >= FILES_LIMIT) break
      }
      return found.map(fileWords)
    },
  })
  if (files === undefined) return NOTHING
  const total = integerField(pull, 'changed_files') ?? (files.length < FILES_LIMIT ? files.length : undefined)
  return { entries: files, total }
}

/** What a push's payload has; the runner's often lacks the files. */
function changesIn(payload: JsonRecord): Changes {
  const commits = listField(payload, 'commits')
  const files = new Set<string>()
  for (const commit of commits) {
    for (const change of ['added', 'modified', 'removed']) {
      for (const path of listField(commit, change)) files.add(fileWords({ status: change, filename: path }))
    }
  }
  const subjects = commits.map(subjectOf)
  return {
    commits: { entries: subjects, total: subjects.length },
    files: { entries: [...files], total: files.size },
  }
}

function subjectOf(commit: unknown): string {
  return (
    stringField(commit, 'message')
      ?.trimStart()
      .split(/[\r\n]/, 1)[0] ?? ''
  )
}

function fileWords(file: unknown): string {
  const status = stringField(file, 'status') ?? 'changed'
  const name = stringField(file, 'filename') ?? ''
  const before = stringField(file, 'previous_filename')
  return before === undefined ? `${status} ${name}` : `${status} ${before} to ${name}`
}

function shaIn(payload: JsonRecord, field: string): string {
  const sha = stringField(payload, field) ?? ''
  return /^(?!0+$)[0-9a-f]{40,64}$/.test(sha) ? sha : ''
}
