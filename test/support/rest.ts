import { type Fields, isObject, merged } from './json.ts'
import type { Call } from './openapi.ts'
import {
  type Account,
  addComment,
  addStatus,
  type Comment,
  type Commit,
  type CommitStatus,
  commitOf,
  commitsBetween,
  has,
  historyOf,
  mayWriteTo,
  type Pull,
  pullOf,
  type Role,
  resolve,
  time,
  type World,
} from './world.ts'

/** An answer. A list is cut into pages by whoever sends it. */
export type Answer = { readonly status: number; readonly body: unknown }

/** The permission that a call to these paths needs. */
const NEEDS: readonly (readonly [RegExp, string])[] = [
  [/\/status(es)?\b/, 'statuses'],
  [/^\/pulls\/\{pull_number\}(\/commits|\/files)?$/, 'pull-requests'],
  [/^\/(compare|releases|git)\b|^\/commits(?:\/\{ref\})?$/, 'contents'],
  [/^\/actions\//, 'actions'],
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
  if (world.renamed.has(repository)) return failure(301, 'Moved Permanently')
  if (repository !== world.repository) {
    if (world.commentsElsewhere && path.startsWith('/issues/'))
      return threadAnswer(call, world, like)
    if (
      world.agentAccess === 'none' ||
      !/^\/(?:pulls\/\{pull_number\}|compare\/\{basehead\})$/.test(path)
    )
      return NOT_FOUND
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
      return pull === undefined ? NOT_FOUND : ok(like(pullFields(pull, repository)))
    case 'GET /pulls/{pull_number}/commits':
      if (pull === undefined) return NOT_FOUND
      return ok(pull.commits.map((sha) => like(commitFields(commitOf(world, sha), world))))
    case 'GET /pulls/{pull_number}/files':
      return pull === undefined ? NOT_FOUND : ok(pull.files.map((file) => like(fileFields(file))))
    case 'POST /statuses/{sha}':
      return statusAnswer(call, world, like)
    case 'GET /commits/{ref}/statuses': {
      const commit = resolve(world, at('ref'))
      if (commit === undefined) return noCommit(at('ref'))
      const own = world.statuses.filter(({ sha }) => sha === commit.sha).toReversed()
      return ok(own.map((status) => like(statusFields(status))))
    }
    case 'GET /commits': {
      const page = historyOf(world, at('sha')).slice(0, Number(at('per_page')))
      return ok(page.map((commit) => like(commitFields(commit, world))))
    }
    case 'GET /commits/{ref}': {
      const commit = resolve(world, at('ref'))
      if (commit === undefined) return noCommit(at('ref'))
      const [file] = listIn(example, 'files')
      const files = commit.files.map((one) =>
        merged(file, { sha: commit.sha, contents_url: URL, ...fileFields(one) }),
      )
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
    case 'GET /actions/workflows/{workflow_id}/runs':
      return runsAnswer(call, world)
    default:
      return threadAnswer(call, world, like)
  }
}

/** Answers what is about an issue or pull request: comments, reactions, labels, reviewers. */
function threadAnswer({ operation, parameters, body }: Call, world: World, like: Like): Answer {
  const { method, path, example } = operation
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
  if (method !== 'GET' && !isElsewhere && !mayWriteTo(world, number)) return FORBIDDEN
  if (path.endsWith('/labels')) return ok(example)
  if (path.endsWith('/requested_reviewers')) return ok(like({ number, requested_teams: [] }), 201)
  if (path.endsWith('/reactions')) {
    const [{ reactions }, content] = [world, String(body['content'])]
    const isKnown = reactions.some((one) => one.commentId === commentId && one.content === content)
    if (!isKnown) reactions.push({ commentId, content })
    return ok(like({ content, user: userFields(world.viewer) }), isKnown ? 200 : 201)
  }
  const show = (one: Comment): Fields => like(commentFields(one, world))
  if (method === 'POST') {
    if (comment?.rootId !== undefined) return invalid('Replies to replies are not supported')
    const root = comment === undefined ? {} : { rootId: comment.id }
    const place = { kind, number, ...root, ...(isElsewhere && { repository }) } as const
    const text = String(body['body'])
    return ok(show(addComment(world, { ...place, author: world.viewer, body: text })), 201)
  }
  if (comment === undefined) {
    const thread = world.comments.filter(
      (one) =>
        one.kind === kind &&
        one.number === number &&
        (one.repository ?? world.repository) === repository,
    )
    return ok(thread.map(show))
  }
  if (comment.author.id !== world.viewer.id) return FORBIDDEN
  comment.history.push(String(body['body']))
  comment.editedAtMs = world.now()
  return ok(show(comment))
}

/** Source of the limits: GitHub's documentation, "REST API endpoints for commit statuses", and its answers. */
function statusAnswer({ parameters, body }: Call, world: World, like: Like): Answer {
  const { description, target_url: target } = body
  const { sha = '' } = parameters
  if (!world.commits.has(sha)) return noCommit(sha)
  if (String(description ?? '').length > 140)
    return invalid('description is too long (maximum is 140 characters)')
  if (target && !/^https?:/.test(String(target)))
    return invalid('target_url must use http(s) scheme')
  return ok(like(statusFields(addStatus(world, sha, body))), 201)
}

function runsAnswer({ operation, parameters }: Call, world: World): Answer {
  const { workflow_id: id, branch, status, created = '', per_page: size } = parameters
  const since = created.replace('>=', '')
  const found = world.runs.filter(
    ({ workflow, head_branch, conclusion, created_at = since }) =>
      workflow === id && head_branch === branch && conclusion === status && created_at >= since,
  )
  const [example] = listIn(operation.example, 'workflow_runs')
  const workflow_runs = found.slice(0, Number(size)).map(({ workflow: _, ...run }) => {
    return merged(example, { head_repository: { full_name: world.repository }, ...run })
  })
  return ok({ total_count: found.length, workflow_runs })
}

/** The 250 newest commits and 300 files, as without a page. */
function comparisonAnswer({ operation: { example }, parameters }: Call, world: World): Answer {
  const { basehead = '' } = parameters
  const told = world.comparisons.get(basehead) ?? madeComparison(basehead, world)
  if (told === undefined) return NOT_FOUND
  const [[commitExample], [fileExample]] = [listIn(example, 'commits'), listIn(example, 'files')]
  const commits = listIn(told, 'commits').slice(-250)
  const files = listIn(told, 'files').slice(0, 300)
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
  return {
    html_url: `https://github.com/${world.repository}/compare/${basehead}`,
    status: behind.length === 0 ? alone : ahead.length === 0 ? 'behind' : 'diverged',
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: ahead.map((commit) => commitFields(commit, world)),
    files: [...new Map(files.map((file) => [file.filename, file])).values()],
  }
}

function roleFields(login: string, { roles }: World): Fields {
  const none: Role = { permission: 'none', role_name: '' }
  const { permissions, id = 7001, ...role } = roles.get(login.toLowerCase()) ?? none
  const granted = permissions && {
    permissions: { admin: false, push: false, pull: true, ...permissions },
  }
  const user = { ...userFields({ login, id, type: 'User' }), role_name: role.role_name, ...granted }
  return { ...role, user }
}

function pullFields({ number, fields, files }: Pull, repository: string): Fields {
  const { mergeable_state: state } = fields
  return {
    changed_files: files.length,
    mergeable: state === 'unknown' ? null : state !== 'dirty',
    requested_teams: [],
    html_url: `https://github.com/${repository}/pull/${number}`,
    ...fields,
    labels: (fields.labels ?? []).map((label) => ({ ...LABEL, ...label })),
    number,
  }
}

function commentFields(
  { id, kind, number, rootId, author, history }: Comment,
  world: World,
): Fields {
  const anchor = kind === 'main' ? 'issuecomment-' : 'discussion_r'
  const html_url = `https://github.com/${world.repository}/pull/${number}#${anchor}${id}`
  const reply = kind === 'review' && { in_reply_to_id: rootId }
  return { id, body: history.at(-1), user: userFields(author), html_url, ...reply }
}

function statusFields({ sha: _, ...status }: CommitStatus): Fields {
  return { ...status, updated_at: status.created_at }
}

function commitFields(
  { sha, message, author, parents, atMs }: Commit,
  { repository }: World,
): Fields {
  const git = { name: author?.login ?? 'Nobody', email: 'x@example.com', date: time(atMs) }
  const url = `https://api.github.com/repos/${repository}/commits`
  return {
    sha,
    html_url: `https://github.com/${repository}/commit/${sha}`,
    commit: { message, author: git, committer: git },
    author: author === undefined ? null : userFields(author),
    parents: parents.map((parent) => ({ sha: parent, url: `${url}/${parent}` })),
  }
}

/** Without a diff of its own, a file of GitHub's example has none. */
function fileFields(file: object): Fields {
  return { status: 'modified', patch: undefined, ...file }
}

function userFields(account: Account): Fields {
  return { ...account, html_url: `https://github.com/${account.login}` }
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

function failure(status: number, message: string, errors?: readonly object[]): Answer {
  return { status, body: { message, ...(errors && { errors }), status: `${status}` } }
}

function noCommit(sha: string): Answer {
  return failure(422, `No commit found for SHA: ${sha}`)
}

function invalid(message: string): Answer {
  return failure(422, 'Validation Failed', [{ message }])
}
