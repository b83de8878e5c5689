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
  newestStatuses,
  type Pull,
  pullOf,
  pullsOfCommit,
  type Reaction,
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
  [/^\/pulls\/\d+(\/commits|\/files)?$|^\/commits\/\w+\/pulls$/, 'pull-requests'],
  [/^\/(compare|releases|tags|git)\b/, 'contents'],
  [/^\/actions\//, 'actions'],
]

/** Answers a call that is well-formed, and changes the world as it says. */
export function restAnswer(call: Call, world: World): Answer {
  const { operation, parameters, body } = call
  const { method, example } = operation
  const at = (name: string): string => parameters[name] ?? ''
  const path = operation.path.replace('/repos/{owner}/{repo}', '')
  const repository = `${at('owner')}/${at('repo')}`
  const number = Number(parameters['issue_number'] ?? parameters['pull_number'])
  const sha = at('commit_sha') || at('sha')
  /** GitHub's own example, or the first entry of it, with other fields. */
  const like = (change: Fields): Fields => merged([example].flat()[0], change)
  const pull = pullOf(world, number, repository)
  const likePull = ({ number, fields, files }: Pull): Fields => {
    const { mergeable_state: state } = fields
    const mergeable = state === 'unknown' ? null : state !== 'dirty'
    const labels = (fields.labels ?? []).map((label) => ({ ...LABEL, ...label }))
    const html_url = `https://github.com/${repository}/pull/${number}`
    return like({
      changed_files: files.length,
      mergeable,
      requested_teams: [],
      html_url,
      ...fields,
      labels,
      number,
    })
  }

  const real = path.replace(/\{(\w+)\}/g, (_, name) => at(name))
  const needed = NEEDS.find(([pattern]) => pattern.test(real))?.[1]
  if (repository === world.repository) {
    if (needed !== undefined && !has(world, `${needed}: ${method === 'GET' ? 'read' : 'write'}`))
      return FORBIDDEN
  } else if (path !== '/pulls/{pull_number}') return NOT_FOUND

  switch (`${method} ${path}`) {
    case 'GET ': {
      const { source, parent, template_repository, ...rest } = like({ full_name: repository, language: null })
      return ok({ ...rest, default_branch: 'main' })
    }
    case 'GET /collaborators/{username}/permission':
      return ok(like(roleFields(at('username'), world)))
    case 'GET /pulls/{pull_number}':
      return pull === undefined ? NOT_FOUND : ok(likePull(pull))
    case 'GET /pulls/{pull_number}/commits':
      if (pull === undefined) return NOT_FOUND
      return ok(pull.commits.map((one) => like(commitFields(commitOf(world, one), world))))
    case 'GET /pulls/{pull_number}/files':
      return pull === undefined ? NOT_FOUND : ok(pull.files.map((file) => like(fileFields(file))))
    case 'GET /commits/{commit_sha}/pulls':
      return world.commits.has(sha) ? ok(pullsOfCommit(world, sha).map(likePull)) : noCommit(sha)
    case 'POST /issues/{issue_number}/labels':
      return mayWriteTo(world, number) ? ok(example) : FORBIDDEN
    case 'POST /pulls/{pull_number}/requested_reviewers':
      return mayWriteTo(world, number) ? ok(like({ number, requested_teams: [] }), 201) : FORBIDDEN

    case 'POST /statuses/{sha}':
      return statusAnswer(sha, body, world, like)
    case 'GET /commits/{ref}/status':
    case 'GET /commits/{ref}/statuses': {
      const commit = resolve(world, at('ref'))
      if (commit === undefined) return noCommit(at('ref'))
      const own = world.statuses.filter((status) => status.sha === commit.sha).toReversed()
      if (path.endsWith('statuses')) return ok(own.map((status) => like(statusFields(status))))
      const statuses = newestStatuses(world, commit.sha).map((status) =>
        merged(firstIn(example, 'statuses'), statusFields(status)),
      )
      return ok(like({ sha: commit.sha, statuses }))
    }
    case 'GET /compare/{basehead}':
      return comparisonAnswer(call, world)
    case 'GET /tags':
      return ok([...world.tags].map(([name, sha]) => like({ name, commit: { sha } })))
    case 'GET /git/matching-refs/{ref}': {
      const found = [...world.tags].filter(([name]) => `tags/${name}`.startsWith(at('ref')))
      return ok(
        found.map(([name, sha]) => like({ ref: `refs/tags/${name}`, object: { sha, type: 'commit' } })),
      )
    }
    case 'GET /releases':
      return ok(world.releases.map((release) => like(release)))
    case 'GET /actions/workflows/{workflow_id}/runs': {
      const isWanted = (name: string, value: string): boolean => [undefined, value].includes(parameters[name])
      const found = world.runs.filter(
        ({ workflow, head_branch, conclusion }) =>
          workflow === at('workflow_id') && isWanted('branch', head_branch) && isWanted('status', conclusion),
      )
      const shown = found
        .slice(0, Number(parameters['per_page'] ?? 30))
        .map(({ workflow: _, ...run }) =>
          merged(firstIn(example, 'workflow_runs'), { head_repository: { full_name: repository }, ...run }),
        )
      return ok({ total_count: found.length, workflow_runs: shown })
    }
    default:
      return path.includes('/reactions')
        ? reactionAnswer(call, world, like)
        : commentAnswer(call, world, like)
  }
}

function commentAnswer(
  { operation, parameters, body }: Call,
  world: World,
  like: (change: Fields) => Fields,
): Answer {
  const { method, path } = operation
  const kind = path.includes('/pulls/') ? 'review' : 'main'
  const id = Number(parameters['comment_id'])
  const found = world.comments.find((one) => one.id === id && one.kind === kind)
  const number = Number(parameters['issue_number'] ?? parameters['pull_number'] ?? found?.number)
  const show = (comment: Comment): Fields => like(commentFields(comment, world))
  const isReply = path.endsWith('/replies')
  if (!world.pulls.has(number) && !world.issues.has(number)) return NOT_FOUND
  if ((isReply || path.endsWith('{comment_id}')) && found?.number !== number) return NOT_FOUND
  if (method !== 'GET' && !mayWriteTo(world, number)) return FORBIDDEN
  if (method === 'POST') {
    if (found?.rootId !== undefined) return invalid('Replies to replies are not supported')
    const root = found === undefined ? {} : { rootId: found.id }
    return ok(
      show(addComment(world, { kind, number, author: world.viewer, body: String(body['body']), ...root })),
      201,
    )
  }
  if (found === undefined) {
    const thread = world.comments.filter((comment) => comment.kind === kind && comment.number === number)
    return ok((parameters['direction'] === 'desc' ? thread.toReversed() : thread).map(show))
  }
  if (method !== 'GET' && found.author.id !== world.viewer.id) return FORBIDDEN
  if (method === 'DELETE') {
    world.comments.splice(world.comments.indexOf(found), 1)
    world.deleted.push(id)
    return ok(undefined, 204)
  }
  if (method === 'PATCH') {
    found.history.push(String(body['body']))
    found.updatedAtMs = world.now()
  }
  return ok(show(found))
}

function reactionAnswer(
  { operation, parameters, body }: Call,
  world: World,
  like: (change: Fields) => Fields,
): Answer {
  const { method, path } = operation
  const onIssue = parameters['issue_number'] !== undefined
  const kind = onIssue ? 'issue' : path.includes('/pulls/') ? 'review' : 'main'
  const commentId = Number(parameters['comment_id'] ?? parameters['issue_number'])
  const number = onIssue
    ? commentId
    : world.comments.find((one) => one.id === commentId && one.kind === kind)?.number
  if (number === undefined || !(world.pulls.has(number) || world.issues.has(number))) return NOT_FOUND
  const here = world.reactions.filter((one) => one.commentId === commentId && one.kind === kind)
  const show = ({ id, content, author }: Reaction): Fields => like({ id, content, user: userFields(author) })
  if (method === 'GET') return ok(here.map(show))
  if (!mayWriteTo(world, number)) return FORBIDDEN
  if (method === 'DELETE') {
    const index = world.reactions.findIndex(({ id }) => id === Number(parameters['reaction_id']))
    if (index === -1) return NOT_FOUND
    world.reactions.splice(index, 1)
    return ok(undefined, 204)
  }
  const content = String(body['content'])
  const known = here.find((one) => one.content === content && one.author.id === world.viewer.id)
  if (known !== undefined) return ok(show(known))
  const id = Math.max(900, ...world.reactions.map((one) => one.id)) + 1
  const made: Reaction = { id, kind, commentId, author: world.viewer, content }
  world.reactions.push(made)
  return ok(show(made), 201)
}

/** Source of the limits: GitHub's documentation, "REST API endpoints for commit statuses", and its answers. */
function statusAnswer(sha: string, body: Fields, world: World, like: (change: Fields) => Fields): Answer {
  const { description, target_url: target } = body
  if (!world.commits.has(sha)) return noCommit(sha)
  if (String(description ?? '').length > 140)
    return invalid('description is too long (maximum is 140 characters)')
  if (target && !/^https?:/.test(String(target))) return invalid('target_url must use http(s) scheme')
  return ok(like(statusFields(addStatus(world, sha, body))), 201)
}

/** Commits are paged, or the 250 newest; files, 300 at most, are on the first page alone. */
function comparisonAnswer({ operation: { example }, parameters }: Call, world: World): Answer {
  const basehead = parameters['basehead'] ?? ''
  const told = world.comparisons.get(basehead) ?? madeComparison(basehead, world)
  if (told === undefined) return NOT_FOUND
  const page = Number(parameters['page'] ?? 1)
  const size = Number(parameters['per_page'] ?? 30)
  const isPaged = parameters['page'] !== undefined || parameters['per_page'] !== undefined
  const all = listIn(told, 'commits')
  const commits = isPaged ? all.slice((page - 1) * size, page * size) : all.slice(-250)
  const files = page === 1 ? listIn(told, 'files').slice(0, 300) : []
  return ok({
    ...merged(example, { ...told }),
    commits: commits.map((commit) => merged(firstIn(example, 'commits'), commit)),
    files: files.map((file) => merged(firstIn(example, 'files'), fileFields(file))),
  })
}

/** A comparison of two commits of the world; `undefined` if they have no common ancestor. */
function madeComparison(basehead: string, world: World): object | undefined {
  const [base = '', head = ''] = basehead.split('...').map((name) => resolve(world, name)?.sha)
  const before = historyOf(world, base)
  const shared = historyOf(world, head).find((commit) => before.includes(commit))
  if (shared === undefined) return undefined
  const ahead = commitsBetween(world, base, head).toReversed()
  const behind = commitsBetween(world, head, base)
  const files = new Map(ahead.flatMap((commit) => commit.files).map((file) => [file.filename, file]))
  return {
    html_url: `https://github.com/${world.repository}/compare/${basehead}`,
    status:
      ahead.length === 0
        ? behind.length === 0
          ? 'identical'
          : 'behind'
        : behind.length === 0
          ? 'ahead'
          : 'diverged',
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    merge_base_commit: commitFields(shared, world),
    commits: ahead.map((commit) => commitFields(commit, world)),
    files: [...files.values()],
  }
}

function roleFields(login: string, { roles }: World): Fields {
  const none: Role = { permission: 'none', role_name: '' }
  const { permissions, id = 7001, ...role } = roles.get(login.toLowerCase()) ?? none
  const granted = permissions && { permissions: { admin: false, push: false, pull: true, ...permissions } }
  return {
    ...role,
    user: { ...userFields({ login, id, type: 'User' }), role_name: role.role_name, ...granted },
  }
}

function commentFields({ id, kind, number, rootId, author, history, ...at }: Comment, world: World): Fields {
  const anchor = kind === 'main' ? 'issuecomment-' : 'discussion_r'
  return {
    id,
    body: history.at(-1),
    created_at: time(at.createdAtMs),
    updated_at: time(at.updatedAtMs),
    user: userFields(author),
    html_url: `https://github.com/${world.repository}/pull/${number}#${anchor}${id}`,
    ...(kind === 'review' && { in_reply_to_id: rootId }),
  }
}

function statusFields({ sha: _, ...status }: CommitStatus): Fields {
  return { ...status, updated_at: status.created_at }
}

function commitFields({ sha, message, author, parents, atMs }: Commit, { repository }: World): Fields {
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

function firstIn(whole: unknown, field: string): Fields {
  return listIn(whole, field)[0] ?? {}
}

const LABEL = {
  id: 1,
  node_id: 'LA_1',
  url: 'https://api.github.com/',
  description: '',
  color: 'f29513',
  default: false,
}
const NOT_FOUND: Answer = { status: 404, body: { message: 'Not Found', status: '404' } }
const FORBIDDEN: Answer = {
  status: 403,
  body: { message: 'Resource not accessible by integration', status: '403' },
}

function ok(body: unknown, status = 200): Answer {
  return { status, body }
}

function noCommit(sha: string): Answer {
  return { status: 422, body: { message: `No commit found for SHA: ${sha}`, status: '422' } }
}

function invalid(message: string): Answer {
  return { status: 422, body: { message: 'Validation Failed', errors: [{ message }], status: '422' } }
}
