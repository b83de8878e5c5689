import { commitOf, commitsBetween, historyOf, resolve } from './history.ts'
import { type Fields, isObject, merged } from './json.ts'
import type { Call } from './openapi.ts'
import {
  addComment,
  addStatus,
  type Comment,
  type Commit,
  has,
  mayWriteTo,
  type Pull,
  pullOf,
  type Role,
  time,
  type World,
} from './world.ts'

/** An answer, whole: a list is cut into pages after that. */
export type Answer = {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The permission that a call to these paths needs. */
const NEEDS: readonly (readonly [RegExp, string])[] = [
  [/\/status(es)?\b/, 'statuses'],
  [/^\/pulls\/\{pull_number\}(?!\/comments)/, 'pull-requests'],
  [/^\/(compare|releases|git)\b|^\/commits(?:\/\{ref\})?$/, 'contents'],
]

/** GitHub's own example of an answer, or the first entry of it, with other fields. */
type Like = (change: Fields) => Fields

/** Answers a call that is well-formed, and changes the world as it says. */
export function restAnswer(call: Call, world: World): Answer {
  const { operation, parameters } = call
  const { method, example } = operation
  const at = (name: string): string => parameters[name] ?? ''
  const path = operation.path.replace('/repos/{owner}/{repo}', '')
  const repository = `${at('owner')}/${at('repo')}`
  const like: Like = (change) => merged([example].flat()[0], change)
  const pull = pullOf(world, Number(at('pull_number')), repository)
  const needed = NEEDS.find(([pattern]) => pattern.test(path))?.[1]
  if (repository !== world.repository) {
    const isWrite = method !== 'GET' || path.startsWith('/issues/')
    if (isWrite ? !world.commentsElsewhere : world.agentAccess === 'none') return NOT_FOUND
    if (!/^\/(?:pulls|issues|compare)\/|^$/.test(path)) return NOT_FOUND
  } else if (
    needed !== undefined &&
    !has(world, `${needed}: ${method === 'GET' ? 'read' : 'write'}`)
  ) {
    return FORBIDDEN
  }
  switch (`${method} ${path}`) {
    case 'GET /collaborators/{username}/permission':
      return ok(like(roleFields(at('username'), world)))
    case 'GET /pulls/{pull_number}':
      return pull === undefined
        ? NOT_FOUND
        : ok(like(pullFields(pull, repository, merged(example, {})['user'])))
    case 'GET /pulls/{pull_number}/commits':
      if (pull === undefined) return NOT_FOUND
      return ok(
        // "Lists a maximum of 250 commits": GitHub's documentation, "REST API endpoints for pull requests".
        pull.commits.slice(0, 250).map((sha) => like(commitFields(commitOf(world, sha), world))),
      )
    case 'GET /pulls/{pull_number}/files':
      if (pull === undefined) return NOT_FOUND
      return ok(pull.files.slice(0, 3000).map((file) => like(fileFields(file))))
    case 'POST /pulls/{pull_number}/requested_reviewers':
      return pull === undefined ? NOT_FOUND : reviewRequestAnswer(call, world, pull, like)
    case 'POST /statuses/{sha}':
      return statusAnswer(call, world, like)
    case 'GET /commits/{ref}/statuses': {
      const commit = resolve(world, at('ref'))
      if (commit === undefined) return noCommit(at('ref'))
      const own = world.statuses.filter(({ sha }) => sha === commit.sha).toReversed()
      return ok(own.map(like))
    }
    case 'GET /commits': {
      const tip = resolve(world, at('sha') || 'main')
      if (tip === undefined) return NOT_FOUND
      return ok(historyOf(world, tip.sha).map((one) => like(commitFields(one, world))))
    }
    case 'GET /commits/{ref}': {
      const commit = resolve(world, at('ref'))
      if (commit === undefined) return noCommit(at('ref'))
      const [file] = listIn(example, 'files')
      const files = commit.files
        .slice(0, 300)
        .map((one) => merged(file, { sha: commit.sha, contents_url: URL, ...fileFields(one) }))
      return ok(like({ ...commitFields(commit, world), files }))
    }
    case 'GET /compare/{basehead}':
      return comparisonAnswer(call, world)
    case 'GET /git/matching-refs/{ref}': {
      const found = [...world.tags].filter(([name]) => `tags/${name}`.startsWith(at('ref')))
      return ok(
        found.map(([name, sha]) =>
          like({ ref: `refs/tags/${name}`, object: { sha, type: 'commit' } }),
        ),
      )
    }
    case 'GET /releases':
      return ok(world.releases.map((release) => like(release)))
    default:
      return threadAnswer(call, world, like)
  }
}

/** Answers what is about an issue or pull request: comments, reactions, labels, reviewers. */
function threadAnswer({ operation, parameters, body }: Call, world: World, like: Like): Answer {
  const { method, path } = operation
  const kind = path.includes('/pulls/') ? 'review' : 'main'
  const commentId = Number(parameters['comment_id'])
  const comment = world.comments.find((one) => one.id === commentId && one.kind === kind)
  const named = parameters['issue_number'] ?? parameters['pull_number']
  const number = Number(named ?? comment?.number)
  const repository = `${parameters['owner']}/${parameters['repo']}`
  const isElsewhere = repository !== world.repository
  const pulls = isElsewhere ? world.elsewhere : world.pulls
  if (!pulls.has(number) && (isElsewhere || !world.issues.has(number))) return NOT_FOUND
  if (parameters['comment_id'] !== undefined && comment?.number !== number) return NOT_FOUND
  if (!isElsewhere && !mayWriteTo(world, number)) return FORBIDDEN
  const pull = pulls.get(number)
  if (path.endsWith('/labels')) {
    const added = [body['labels'] ?? []].flat().map((name) => ({ name: String(name) }))
    const known = pull?.fields.labels ?? []
    const labels = [...new Map([...known, ...added].map((one) => [one?.name, one])).values()]
    if (pull !== undefined) pull.fields = { ...pull.fields, labels }
    pull?.labeled.push(...added.map(({ name }) => name))
    return ok(labels.map((label) => ({ ...LABEL, ...label })))
  }
  if (path.endsWith('/reactions')) {
    const [{ reactions }, content] = [world, String(body['content'])]
    const isKnown = reactions.some((one) => one.commentId === commentId && one.content === content)
    if (!isKnown) reactions.push({ commentId, content })
    return ok(like({ content, user: world.viewer }), isKnown ? 200 : 201)
  }
  const show = (one: Comment): Fields => like(commentFields(one, world))
  if (method === 'POST') {
    if (comment?.rootId !== undefined) return invalid('Replies to replies are not supported')
    const root = comment === undefined ? {} : { rootId: comment.id }
    const place = { kind, number, ...root, ...(isElsewhere && { repository }) } as const
    const text = String(body['body'])
    return ok(show(addComment(world, { ...place, author: world.viewer, body: text })), 201)
  }
  if (comment === undefined) return NOT_FOUND
  if (comment.author.id !== world.viewer.id) return FORBIDDEN
  comment.history.push(String(body['body']))
  return ok(show(comment))
}

/** Source of the limits: GitHub's documentation, "REST API endpoints for commit statuses", and its answers. */
function statusAnswer({ parameters, body }: Call, world: World, like: Like): Answer {
  const { description } = body
  const { sha = '' } = parameters
  if (!world.commits.has(sha)) return noCommit(sha)
  if (String(description ?? '').length > 140)
    return invalid('description is too long (maximum is 140 characters)')
  const custom = { resource: 'Status', code: 'custom' }
  for (const field of ['context', 'description']) {
    if (/[\u{10000}-\u{10ffff}]/u.test(String(body[field] ?? ''))) {
      const message = `${field} doesn't accept 4-byte Unicode`
      return failure(422, 'Validation Failed', [{ ...custom, field, message }])
    }
  }
  return ok(like(addStatus(world, sha, body)), 201)
}

/** The 250 newest commits and 300 files. */
function comparisonAnswer({ operation: { example }, parameters }: Call, world: World): Answer {
  const told = madeComparison(parameters['basehead'] ?? '', world)
  if (told === undefined) return NOT_FOUND
  const [[commitExample], [fileExample]] = [listIn(example, 'commits'), listIn(example, 'files')]
  const [commits, files] = [
    listIn(told, 'commits').slice(-250),
    listIn(told, 'files').slice(0, 300),
  ]
  return ok({
    ...merged(example, { ...told }),
    commits: commits.map((commit) => merged(commitExample, commit)),
    files: files.map((file) => merged(fileExample, fileFields(file))),
  })
}

/** A comparison of two commits of the world; `undefined` if they have no common ancestor. */
function madeComparison(basehead: string, world: World): object | undefined {
  const [base = '', head = ''] = basehead.split('...').map((name) => resolve(world, name)?.sha)
  const before = historyOf(world, base)
  if (!historyOf(world, head).some((commit) => before.includes(commit))) return undefined
  const ahead = commitsBetween(world, base, head).toReversed()
  const behind = commitsBetween(world, head, base)
  const alone = ahead.length === 0 ? 'identical' : 'ahead'
  const files = ahead.flatMap((commit) => commit.files)
  const left = historyOf(world, head).find((commit) => before.includes(commit))
  return {
    merge_base_commit: { sha: left?.sha },
    html_url: `https://github.com/${world.repository}/compare/${basehead}`,
    status: behind.length === 0 ? alone : ahead.length === 0 ? 'behind' : 'diverged',
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: ahead.map((commit) => commitFields(commit, world)),
    files: [...new Map(files.map((file) => [file.filename, file])).values()],
  }
}

/** Source: GitHub's documentation, "REST API endpoints for review requests", and its answers in public issues. */
function reviewRequestAnswer({ body }: Call, world: World, pull: Pull, like: Like): Answer {
  const owner = world.repository.split('/')[0]
  const logins = [body['reviewers'] ?? []].flat().map(String)
  const teams = [body['team_reviewers'] ?? []].flat().map((slug) => `${owner}/${slug}`)
  if (logins.some((login) => login === pull.fields.user?.login))
    return failure(422, 'Review cannot be requested from pull request author.')
  const mayRead = ({ permission }: Role): boolean => permission !== 'none'
  const isStranger = (login: string): boolean => {
    const role = world.roles.get(login.toLowerCase())
    return role === undefined || !mayRead(role)
  }
  if (logins.some(isStranger)) {
    const message = `Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the ${world.repository} repository.`
    return failure(422, message)
  }
  if (teams.some((team) => !world.teams.has(team))) {
    const unknown = "Could not resolve to a node with the global id of 'T_kwDOAGhwUs4BIPhU'."
    return failure(422, 'Validation Failed', [unknown])
  }
  pull.reviewRequests.push(...logins, ...teams)
  return ok(like({ number: pull.number, requested_teams: [] }), 201)
}

function roleFields(login: string, { roles }: World): Fields {
  const none: Role = { permission: 'none', role_name: '' }
  const { permissions, id = 7001, ...role } = roles.get(login.toLowerCase()) ?? none
  const granted = permissions && {
    permissions: { admin: false, push: false, pull: true, ...permissions },
  }
  const user = { login, id, role_name: role.role_name, ...granted }
  return { ...role, user }
}

function pullFields(
  { number, fields, files, commits }: Pull,
  repository: string,
  user: unknown,
): Fields {
  return {
    changed_files: files.length,
    additions: files.reduce((sum, { additions }) => sum + (additions ?? 0), 0),
    deletions: files.reduce((sum, { deletions }) => sum + (deletions ?? 0), 0),
    commits: commits.length,
    assignee: null,
    requested_teams: [],
    html_url: `https://github.com/${repository}/pull/${number}`,
    ...fields,
    assignees: (fields.assignees ?? []).map((one) => merged(user, one ?? {})),
    labels: (fields.labels ?? []).map((label) => ({ ...LABEL, ...label })),
    number,
  }
}

function commentFields(comment: Comment, world: World): Fields {
  const { id, kind, number, author, association = 'NONE', history } = comment
  const anchor = kind === 'main' ? 'issuecomment-' : 'discussion_r'
  return {
    id,
    body: history.at(-1),
    user: author,
    author_association: association,
    html_url: `https://github.com/${world.repository}/pull/${number}#${anchor}${id}`,
    ...(kind === 'review' && { in_reply_to_id: comment.rootId }),
  }
}

function commitFields(
  { sha, message, author, email = 'x@example.com', parents, atMs }: Commit,
  { repository }: World,
): Fields {
  const git = { name: author?.login ?? 'Nobody', email, date: time(atMs) }
  const url = `https://api.github.com/repos/${repository}/commits`
  return {
    sha,
    html_url: `https://github.com/${repository}/commit/${sha}`,
    commit: { message, author: git },
    author: author ?? null,
    parents: parents.map((parent) => ({ sha: parent, url: `${url}/${parent}` })),
  }
}

/** Without a diff of its own, a file of GitHub's example has none. */
function fileFields(file: object): Fields {
  return { status: 'modified', patch: undefined, ...file }
}

function listIn(whole: unknown, field: string): readonly Fields[] {
  const list = isObject(whole) ? whole[field] : undefined
  return Array.isArray(list) ? list : []
}

const URL = 'https://api.github.com/'
const LABEL = { id: 1, node_id: 'LA_1', url: URL, description: '', color: 'f29513', default: false }
const NOT_FOUND = failure(404, 'Not Found')
const FORBIDDEN = failure(403, 'Resource not accessible by integration')

function ok(body: unknown, status = 200): Answer {
  return { status, body }
}

/** An answer that refuses. */
export function failure(status: number, message: string, errors?: readonly unknown[]): Answer {
  const documentation_url = 'https://docs.github.com/rest'
  const body = { message, ...(errors && { errors }), documentation_url, status: `${status}` }
  return { status, body }
}

function noCommit(sha: string): Answer {
  return failure(422, `No commit found for SHA: ${sha}`)
}

function invalid(message: string): Answer {
  return failure(422, 'Validation Failed', [{ message }])
}
