import { type Fields, isObject, merged } from './json.ts'
import type { Call } from './openapi.ts'
import {
  type Account,
  addComment,
  addStatus,
  type Comment,
  type Commit,
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
  type Status,
  type World,
} from './world.ts'

/** An answer. A list is cut into pages by whoever sends it. */
export type Answer = { readonly status: number; readonly body: unknown }

/** Without any of these, or the permission to write the same, GitHub refuses the call. */
const NEEDS: readonly (readonly [RegExp, string])[] = [
  [/\/status(es)?\b/, 'statuses'],
  [/^\/pulls\/\d+(\/commits|\/files)?$|^\/pulls$|\/commits\/\w+\/pulls$/, 'pull-requests'],
  [/^\/(compare|releases|tags|git|commits)\b/, 'contents'],
  [/^\/actions\//, 'actions'],
]

/** Answers a call that is well-formed, and changes the world as it says. */
export function restAnswer({ operation, parameters, body }: Call, world: World): Answer {
  const { method, example } = operation
  const path = operation.path.replace('/repos/{owner}/{repo}', '')
  const at = (name: string): string => parameters[name] ?? ''
  const repository = `${at('owner')}/${at('repo')}`
  const isHere = repository === world.repository
  const id = Number(at('comment_id'))
  const number = Number(parameters['issue_number'] ?? parameters['pull_number'])
  const kind = path.startsWith('/pulls') ? 'review' : 'main'
  const page = { size: Number(parameters['per_page'] ?? 30), number: Number(parameters['page'] ?? 1) }
  /** GitHub's own example, or the first entry of it, with other fields. */
  const like = (change: Fields): Fields => merged([example].flat()[0], change)
  const ok = (answered: unknown, status = 200): Answer => ({ status, body: answered })

  const real = path.replace(/\{(\w+)\}/g, (_, name) => at(name))
  const needed = NEEDS.find(([pattern]) => pattern.test(real))?.[1]
  const permission = `${needed}: ${method === 'GET' ? 'read' : 'write'}`
  if (isHere && needed !== undefined && !has(world, permission)) return FORBIDDEN
  if (!isHere && !(path === '/pulls/{pull_number}' && pullOf(world, number, repository))) return NOT_FOUND

  switch (`${method} ${path}`) {
    case 'GET ':
      return ok(
        like({
          name: at('repo'),
          full_name: repository,
          default_branch: 'main',
          owner: { login: at('owner') },
          language: null,
          source: undefined,
          parent: undefined,
          template_repository: undefined,
        }),
      )
    case 'GET /collaborators/{username}/permission':
      return ok(like(roleFields(at('username'), world)))

    case 'GET /issues/{issue_number}/comments':
    case 'GET /pulls/{pull_number}/comments': {
      if (!exists(world, number)) return NOT_FOUND
      const found = world.comments.filter((comment) => comment.kind === kind && comment.number === number)
      const ordered = at('direction') === 'desc' ? found.toReversed() : found
      return ok(ordered.map((comment) => like(commentFields(comment, world))))
    }
    case 'POST /issues/{issue_number}/comments':
      if (!exists(world, number)) return NOT_FOUND
      if (!mayWriteTo(world, number)) return FORBIDDEN
      return ok(
        like(
          commentFields(addComment(world, { kind, number, author: world.viewer, body: textOf(body) }), world),
        ),
        201,
      )
    case 'POST /pulls/{pull_number}/comments/{comment_id}/replies': {
      if (!mayWriteTo(world, number)) return FORBIDDEN
      const root = world.comments.find((comment) => comment.id === id && comment.kind === 'review')
      if (root?.number !== number) return NOT_FOUND
      if (root.rootId !== undefined) return invalid('Replies to replies are not supported')
      const reply = addComment(world, { kind, number, rootId: id, author: world.viewer, body: textOf(body) })
      return ok(like(commentFields(reply, world)), 201)
    }
    case 'GET /issues/comments/{comment_id}':
    case 'GET /pulls/comments/{comment_id}':
    case 'PATCH /issues/comments/{comment_id}':
    case 'PATCH /pulls/comments/{comment_id}':
    case 'DELETE /issues/comments/{comment_id}': {
      const comment = world.comments.find((one) => one.id === id && one.kind === kind)
      if (comment === undefined) return NOT_FOUND
      if (method !== 'GET') {
        if (!mayWriteTo(world, comment.number) || comment.author.id !== world.viewer.id) return FORBIDDEN
        if (method === 'DELETE') {
          world.comments.splice(world.comments.indexOf(comment), 1)
          world.deleted.push(id)
          return ok(undefined, 204)
        }
        comment.history.push(textOf(body))
        comment.updatedAtMs = world.now()
      }
      return ok(like(commentFields(comment, world)))
    }

    case 'GET /issues/{issue_number}': {
      const issue = world.issues.get(number) ?? world.pulls.get(number)
      if (issue === undefined) return NOT_FOUND
      const { title, body: text, author, labels } = issue
      return ok(
        like({
          number,
          title,
          body: text,
          user: userFields(author),
          labels: labels.map((name) => ({ ...LABEL, name })),
          assignee: null,
          closed_at: null,
        }),
      )
    }
    case 'POST /issues/{issue_number}/labels':
      return mayWriteTo(world, number) ? ok(example) : FORBIDDEN
    case 'POST /pulls/{pull_number}/requested_reviewers':
      return mayWriteTo(world, number) ? ok(like({ number, requested_teams: [] }), 201) : FORBIDDEN

    case 'GET /pulls':
      return ok(
        [...world.pulls.values()]
          .filter(({ state }) => state === (at('state') || 'open'))
          .map((pull) => like(pullFields(pull, world))),
      )
    case 'GET /pulls/{pull_number}': {
      const pull = pullOf(world, number, repository)
      return pull === undefined ? NOT_FOUND : ok(like(pullFields(pull, world)))
    }
    case 'GET /pulls/{pull_number}/commits': {
      const commits = world.pulls.get(number)?.commits
      return commits === undefined
        ? NOT_FOUND
        : ok(commits.map((sha) => like(commitFields(commitOf(world, sha), world))))
    }
    case 'GET /pulls/{pull_number}/files': {
      const files = world.pulls.get(number)?.files
      return files === undefined ? NOT_FOUND : ok(files.map((file) => like(fileFields(file))))
    }

    case 'GET /commits': {
      const commit = resolve(world, at('sha') || 'main')
      return commit === undefined
        ? NOT_FOUND
        : ok(historyOf(world, commit.sha).map((one) => like(commitFields(one, world))))
    }
    case 'GET /commits/{ref}':
    case 'GET /commits/{ref}/status':
    case 'GET /commits/{ref}/statuses': {
      const commit = resolve(world, at('ref'))
      if (commit === undefined) return invalid(`No commit found for SHA: ${at('ref')}`)
      if (path === '/commits/{ref}') return ok(like({ ...commitFields(commit, world), files: [] }))
      const statuses = world.statuses.filter(({ sha }) => sha === commit.sha).toReversed()
      if (path === '/commits/{ref}/statuses') return ok(statuses.map((status) => like(statusFields(status))))
      const newest = newestStatuses(world, commit.sha)
      return ok(
        like({
          sha: commit.sha,
          statuses: newest.map((status) => merged(firstIn(example, 'statuses'), statusFields(status))),
        }),
      )
    }
    case 'GET /commits/{commit_sha}/pulls':
      if (!world.commits.has(at('commit_sha'))) return invalid(`No commit found for SHA: ${at('commit_sha')}`)
      return ok(pullsOfCommit(world, at('commit_sha')).map((pull) => like(pullFields(pull, world))))
    case 'POST /statuses/{sha}':
      return statusAnswer(at('sha'), body, world, like)
    case 'GET /compare/{basehead}':
      return comparisonAnswer(
        at('basehead'),
        { ...page, size: Number(parameters['per_page'] ?? 250) },
        world,
        example,
      )

    case 'GET /tags':
      return ok([...world.tags].map(([name, sha]) => like({ name, commit: { sha } })))
    case 'GET /git/matching-refs/{ref}': {
      const found = [...world.tags].filter(([name]) => `tags/${name}`.startsWith(at('ref')))
      return ok(
        found.map(([name, sha]) => like({ ref: `refs/tags/${name}`, object: { sha, type: 'commit' } })),
      )
    }
    case 'GET /releases':
      return ok(world.releases.map((release) => like({ ...release })))
    case 'GET /releases/latest':
    case 'GET /releases/tags/{tag}': {
      const found = world.releases.find(
        (one) => !('tag' in parameters) || ('tag_name' in one && one.tag_name === at('tag')),
      )
      return found === undefined ? NOT_FOUND : ok(like({ ...found }))
    }
    case 'GET /actions/runs/{run_id}':
      return ok(like({ id: Number(at('run_id')) }))
    case 'GET /actions/workflows/{workflow_id}/runs': {
      const found = world.runs.filter(
        ({ workflow, head_branch, conclusion }) =>
          workflow === at('workflow_id') &&
          ['', head_branch].includes(at('branch')) &&
          ['', conclusion].includes(at('status')),
      )
      const runs = found.slice((page.number - 1) * page.size, page.number * page.size)
      const shown = runs.map(({ workflow: _, ...run }) => merged(firstIn(example, 'workflow_runs'), run))
      return ok({ total_count: found.length, workflow_runs: shown })
    }
    default:
      return reactionAnswer({ operation, parameters, body }, world, like)
  }
}

function exists({ pulls, issues }: World, number: number): boolean {
  return pulls.has(number) || issues.has(number)
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
  const comment = world.comments.find((one) => one.id === commentId && one.kind === kind)
  const number = onIssue ? commentId : comment?.number
  if (number === undefined || !exists(world, number)) return NOT_FOUND
  const here = world.reactions.filter((one) => one.commentId === commentId && one.kind === kind)
  const shown = ({ id, content, author }: Reaction): Fields => like({ id, content, user: userFields(author) })
  if (method === 'GET') return { status: 200, body: here.map(shown) }
  if (!mayWriteTo(world, number)) return FORBIDDEN
  if (method === 'DELETE') {
    const at = world.reactions.findIndex(({ id }) => id === Number(parameters['reaction_id']))
    if (at === -1) return NOT_FOUND
    world.reactions.splice(at, 1)
    return { status: 204, body: undefined }
  }
  const content = String(body['content'])
  const known = here.find((one) => one.content === content && one.author.id === world.viewer.id)
  if (known !== undefined) return { status: 200, body: shown(known) }
  const id = Math.max(900, ...world.reactions.map((one) => one.id)) + 1
  const made: Reaction = { id, kind, commentId, author: world.viewer, content }
  world.reactions.push(made)
  return { status: 201, body: shown(made) }
}

/** Source of the limits: GitHub's documentation, "REST API endpoints for commit statuses", and its answers. */
function statusAnswer(sha: string, body: Fields, world: World, like: (change: Fields) => Fields): Answer {
  const { state, context = 'default', description, target_url: targetUrl } = body
  if (!world.commits.has(sha)) return invalid(`No commit found for SHA: ${sha}`)
  if (String(description ?? '').length > 140)
    return invalid('description is too long (maximum is 140 characters)')
  if (targetUrl && !/^https?:/.test(String(targetUrl))) return invalid('target_url must use http(s) scheme')
  const made = addStatus(world, {
    sha,
    state: String(state),
    context: String(context),
    description: String(description ?? ''),
    targetUrl: String(targetUrl ?? ''),
  })
  return { status: 201, body: like(statusFields(made)) }
}

/** All commits are paged; files, 300 at most, are on the first page alone. */
function comparisonAnswer(
  basehead: string,
  page: { size: number; number: number },
  world: World,
  example: unknown,
): Answer {
  const [base, head] = basehead.split('...').map((name) => resolve(world, name))
  const told = world.comparisons.get(basehead)
  const fieldsOf = (commit: Commit): Fields =>
    merged(firstIn(example, 'commits'), commitFields(commit, world))
  let whole: Fields = { ...told }
  if (told === undefined) {
    const shared = historyOf(world, base?.sha ?? '').find((commit) =>
      historyOf(world, head?.sha ?? '').includes(commit),
    )
    if (base === undefined || head === undefined || shared === undefined) return NOT_FOUND
    const ahead = commitsBetween(world, base.sha, head.sha).toReversed()
    const behind = commitsBetween(world, head.sha, base.sha)
    const files = new Map(ahead.flatMap((commit) => commit.files).map((file) => [file.filename, file]))
    whole = {
      html_url: `https://github.com/${world.repository}/compare/${basehead}`,
      status:
        ahead.length > 0
          ? behind.length > 0
            ? 'diverged'
            : 'ahead'
          : behind.length > 0
            ? 'behind'
            : 'identical',
      ahead_by: ahead.length,
      behind_by: behind.length,
      total_commits: ahead.length,
      merge_base_commit: fieldsOf(shared),
      commits: ahead.map(fieldsOf),
      files: [...files.values()],
    }
  }
  const commits = listIn(whole, 'commits').map((commit) => merged(firstIn(example, 'commits'), commit))
  const files = listIn(whole, 'files').map((file) => merged(firstIn(example, 'files'), fileFields(file)))
  const start = (page.number - 1) * page.size
  const shown = {
    commits: commits.slice(start, start + page.size),
    files: page.number === 1 ? files.slice(0, 300) : [],
  }
  return { status: 200, body: { ...merged(example, whole), ...shown } }
}

function roleFields(login: string, { roles }: World): Fields {
  const none: Role = { permission: 'none', role_name: '' }
  const { permissions, id = 7001, ...role } = roles.get(login.toLowerCase()) ?? none
  return {
    ...role,
    user: {
      ...userFields({ login, id, type: 'User' }),
      role_name: role.role_name,
      ...(permissions && { permissions: { admin: false, push: false, pull: true, ...permissions } }),
    },
  }
}

export function commentFields(
  { id, kind, number, rootId, author, history, ...comment }: Comment,
  world: World,
): Fields {
  const anchor = kind === 'main' ? 'issuecomment-' : 'discussion_r'
  return {
    id,
    body: history.at(-1),
    created_at: time(comment.createdAtMs),
    updated_at: time(comment.updatedAtMs),
    user: userFields(author),
    html_url: `https://github.com/${world.repository}/pull/${number}#${anchor}${id}`,
    ...(kind === 'review' && { in_reply_to_id: rootId }),
  }
}

function statusFields({ id, state, context, description, targetUrl, creator, atMs }: Status): Fields {
  const at = { created_at: time(atMs), updated_at: time(atMs) }
  return {
    id,
    state,
    context,
    description: description || null,
    target_url: targetUrl || null,
    creator: userFields(creator),
    ...at,
  }
}

function pullFields(pull: Pull, world: World): Fields {
  const { number, title, body, author, state, merged: isMerged, mergeableState, labels, head, base } = pull
  const repository = { full_name: world.repository }
  return {
    number,
    title,
    body: body || null,
    state,
    merged: isMerged,
    mergeable_state: mergeableState,
    mergeable: mergeableState === 'unknown' ? null : mergeableState !== 'dirty',
    merged_at: pull.mergedAtMs === undefined ? null : time(pull.mergedAtMs),
    merge_commit_sha: pull.landed.at(-1) ?? null,
    created_at: time(pull.createdAtMs),
    changed_files: pull.files.length,
    html_url: `https://github.com/${world.repository}/pull/${number}`,
    user: userFields(author),
    labels: labels.map((name) => ({ ...LABEL, name })),
    requested_teams: [],
    base: { ref: base, repo: repository },
    head: { ref: head.ref, sha: head.sha, repo: { full_name: head.repository } },
  }
}

function commitFields({ sha, message, author, parents, atMs }: Commit, world: World): Fields {
  const git = { name: author?.login ?? 'Nobody', email: 'x@example.com', date: time(atMs) }
  return {
    sha,
    html_url: `https://github.com/${world.repository}/commit/${sha}`,
    commit: { message, author: git, committer: git },
    author: author === undefined ? null : userFields(author),
    parents: parents.map((parent) => ({
      sha: parent,
      url: `https://api.github.com/repos/${world.repository}/commits/${parent}`,
    })),
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

function time(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}

function textOf(body: Fields): string {
  return String(body['body'])
}

const LABEL = {
  id: 208045946,
  node_id: 'LA_1',
  url: 'https://api.github.com/',
  description: '',
  color: 'f29513',
  default: false,
}

const NOT_FOUND: Answer = {
  status: 404,
  body: { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' },
}
const FORBIDDEN: Answer = {
  status: 403,
  body: { message: 'Resource not accessible by integration', status: '403' },
}

function invalid(message: string): Answer {
  return { status: 422, body: { message: 'Validation Failed', errors: [{ message }], status: '422' } }
}
