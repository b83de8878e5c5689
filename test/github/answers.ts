import type { Operation } from './cut-openapi.ts'
import type { KnownCall } from './request-check.ts'
import {
  ACTIONS,
  type Account,
  addComment,
  pullOf,
  type Role,
  type StoredComment,
  type StoredReaction,
  type World,
} from './world.ts'

/** An answer. A list is cut into pages by whoever sends it. */
export type Answer = { readonly status: number; readonly body: unknown; readonly total?: number }

type Body = Readonly<Record<string, unknown>>

/** Answers a call that is well-formed, and changes the world as it says. */
export function answer({ operation, parameters }: KnownCall, body: Body, world: World): Answer {
  const kind = operation.path.includes('/pulls/') ? 'review' : 'main'
  const id = Number(parameters['comment_id'])
  const number = Number(parameters['issue_number'] ?? parameters['pull_number'])
  const ok = (answered: unknown): Answer => ({ status: operation.status, body: answered })
  switch (`${operation.method} ${operation.path.replace('/repos/{owner}/{repo}', '')}`) {
    case 'GET /collaborators/{username}/permission':
      return permissionAnswer(parameters['username'] ?? '', operation, world)
    case 'GET /issues/{issue_number}/comments':
    case 'GET /pulls/{pull_number}/comments': {
      const found = world.comments.filter((comment) => comment.kind === kind && comment.number === number)
      const ordered = parameters['direction'] === 'desc' ? found.toReversed() : found
      return ok(ordered.map((comment) => commentAnswer(comment, operation)))
    }
    case 'POST /issues/{issue_number}/comments':
      if (!mayWrite(world, number)) return forbidden()
      return ok(
        commentAnswer(addComment(world, { kind, number, author: ACTIONS, body: textOf(body) }), operation),
      )
    case 'POST /pulls/{pull_number}/comments/{comment_id}/replies': {
      if (!mayWrite(world, number)) return forbidden()
      const root = world.comments.find((comment) => comment.id === id && comment.kind === 'review')
      if (root?.number !== number) return notFound()
      if (root.rootId !== undefined)
        return { status: 422, body: { message: 'Replies to replies are not supported' } }
      const reply = addComment(world, { kind, number, rootId: id, author: ACTIONS, body: textOf(body) })
      return ok(commentAnswer(reply, operation))
    }
    case 'GET /issues/comments/{comment_id}':
    case 'GET /pulls/comments/{comment_id}':
    case 'PATCH /issues/comments/{comment_id}':
    case 'PATCH /pulls/comments/{comment_id}':
    case 'DELETE /issues/comments/{comment_id}': {
      const comment = world.comments.find((one) => one.id === id && one.kind === kind)
      if (comment === undefined) return notFound()
      if (operation.method === 'GET') return ok(commentAnswer(comment, operation))
      if (!mayWrite(world, comment.number) || comment.author !== ACTIONS) return forbidden()
      if (operation.method === 'DELETE') {
        world.comments.splice(world.comments.indexOf(comment), 1)
        world.deleted.push(id)
        return ok(undefined)
      }
      comment.history.push(textOf(body))
      comment.updatedAt = new Date(world.now()).toISOString()
      return ok(commentAnswer(comment, operation))
    }
    case 'GET /pulls/{pull_number}': {
      const pull = pullOf(world, number)
      if (!mayRead(world, 'pull-requests')) return forbidden()
      return pull === undefined ? notFound() : ok({ ...like(operation), number, ...pull })
    }
    case 'GET /pulls/{pull_number}/files': {
      if (!mayRead(world, 'pull-requests')) return forbidden()
      const files = world.files.get(number) ?? []
      return ok(files.map((file) => ({ ...like(operation), status: 'modified', ...fileFields(file) })))
    }
    case 'GET /compare/{basehead}': {
      const comparison = world.comparisons.get(parameters['basehead'] ?? '')
      if (!mayRead(world, 'contents')) return forbidden()
      return comparison === undefined ? notFound() : ok({ ...like(operation), ...comparison })
    }
    case 'GET /releases':
      if (!mayRead(world, 'contents')) return forbidden()
      return ok(world.releases.map((release) => ({ ...like(operation), ...release })))
    case 'GET /actions/workflows/{workflow_id}/runs': {
      if (!mayRead(world, 'actions')) return forbidden()
      const found = world.runs.filter(
        ({ workflow, head_branch, conclusion }) =>
          workflow === parameters['workflow_id'] &&
          head_branch === parameters['branch'] &&
          conclusion === parameters['status'],
      )
      const [example] = recordsIn(like(operation), 'workflow_runs')
      const runs = found.slice(0, Number(parameters['per_page'] ?? 30))
      return ok({
        total_count: found.length,
        workflow_runs: runs.map(({ workflow: _, ...run }) => ({ ...example, ...run })),
      })
    }
    case 'GET /commits/{commit_sha}/pulls':
      return ok(
        (world.pullsOfCommit.get(parameters['commit_sha'] ?? '') ?? []).map((pull) => ({
          ...like(operation),
          ...pull,
        })),
      )
    default:
      return reactionAnswer({ operation, parameters }, body, world)
  }
}

function permissionAnswer(login: string, operation: Operation, { roles }: World): Answer {
  const none: Role = { permission: 'none', role_name: '' }
  const { permissions, id = 7001, ...role } = roles.get(login.toLowerCase()) ?? none
  const account = { login, id, type: 'User', ...(permissions !== undefined && { permissions }) }
  return { status: 200, body: { ...like(operation), ...role, user: account } }
}

function reactionAnswer({ operation, parameters }: KnownCall, body: Body, world: World): Answer {
  const onIssue = parameters['issue_number'] !== undefined
  const kind = onIssue ? 'issue' : operation.path.includes('/pulls/') ? 'review' : 'main'
  const commentId = Number(parameters['comment_id'] ?? parameters['issue_number'])
  const comment = world.comments.find((one) => one.id === commentId && one.kind === kind)
  const number = onIssue ? commentId : comment?.number
  if (number === undefined) return notFound()
  const here = world.reactions.filter((one) => one.commentId === commentId && one.kind === kind)
  if (operation.method === 'GET') {
    return { status: 200, body: here.map((reaction) => ({ ...like(operation), ...shown(reaction) })) }
  }
  if (!mayWrite(world, number)) return forbidden()
  if (operation.method === 'DELETE') {
    const at = world.reactions.findIndex(({ id }) => id === Number(parameters['reaction_id']))
    if (at === -1) return notFound()
    world.reactions.splice(at, 1)
    return { status: 204, body: undefined }
  }
  const content = String(body['content'])
  const known = here.find((one) => one.content === content && one.author.id === ACTIONS.id)
  if (known !== undefined) return { status: 200, body: { ...like(operation), ...shown(known) } }
  const made: StoredReaction = { id: nextReactionId(world), kind, commentId, author: ACTIONS, content }
  world.reactions.push(made)
  return { status: 201, body: { ...like(operation), ...shown(made) } }
}

function nextReactionId({ reactions }: World): number {
  return Math.max(900, ...reactions.map(({ id }) => id)) + 1
}

function mayWrite(world: World, number: number): boolean {
  const { scopes } = world
  const isPull = pullOf(world, number) !== undefined
  return scopes.has('issues: write') || (isPull && scopes.has('pull-requests: write'))
}

/** Answers a GraphQL query of this action: who it is or, with their comments, the open pull requests. */
export function graphqlAnswer({ query }: { readonly query?: string }, world: World): Answer {
  const viewer = { databaseId: ACTIONS.id, login: ACTIONS.login }
  if (query?.includes('pullRequests(') !== true) return { status: 200, body: { data: { viewer } } }
  if (!mayRead(world, 'pull-requests')) {
    const message = 'Resource not accessible by integration'
    const errors = [{ type: 'FORBIDDEN', path: ['repository', 'pullRequests'], message }]
    return { status: 200, body: { data: { viewer, repository: { pullRequests: null } }, errors } }
  }
  const agents = world.agentPulls().map(({ number }) => number)
  const nodes = [...new Set([...world.pulls.keys(), ...agents])]
    .filter((number) => !('state' in (pullOf(world, number) ?? {})) || isOpen(world, number))
    .toSorted((a, b) => b - a)
    .slice(0, 50)
    .map((number) => ({ number, comments: { nodes: graphqlComments(world, number) } }))
  return { status: 200, body: { data: { viewer, repository: { pullRequests: { nodes } } } } }
}

function isOpen(world: World, number: number): boolean {
  return (pullOf(world, number) as { state?: string }).state === 'open'
}

function graphqlComments(world: World, number: number): object[] {
  const there = world.comments.filter((comment) => comment.kind === 'main' && comment.number === number)
  return there.slice(0, 50).map(({ id, history, author, updatedAt }) => ({
    databaseId: id,
    url: `https://github.com/acme/docs/pull/${number}#issuecomment-${id}`,
    body: history.at(-1),
    updatedAt,
    viewerDidAuthor: author.id === ACTIONS.id,
    author: { login: author.login.replace('[bot]', ''), databaseId: author.id },
  }))
}

function mayRead({ scopes }: World, what: string): boolean {
  return scopes.has(`${what}: read`) || scopes.has(`${what}: write`)
}

/** Without a diff of its own, a file of GitHub's example has none. */
function fileFields(file: string | object): object {
  return typeof file === 'string' ? { filename: file } : { patch: undefined, ...file }
}

function recordsIn(whole: object, field: string): readonly object[] {
  const list: unknown = Object.entries(whole).find(([name]) => name === field)?.[1]
  return Array.isArray(list) ? list : []
}

function commentAnswer(comment: StoredComment, operation: Operation): object {
  const { id, kind, number, rootId, author, history, updatedAt } = comment
  const anchor = kind === 'main' ? 'issuecomment-' : 'discussion_r'
  return {
    ...like(operation),
    id,
    body: history.at(-1),
    updated_at: updatedAt,
    user: user(author),
    html_url: `https://github.com/acme/docs/pull/${number}#${anchor}${id}`,
    ...(kind === 'review' && { in_reply_to_id: rootId }),
  }
}

function shown({ id, content, author }: StoredReaction): object {
  return { id, content, user: user(author) }
}

function user(account: Account): object {
  return { ...account, html_url: `https://github.com/${account.login}` }
}

/** GitHub's own example of the answer, or of one entry of it. */
function like({ example }: Operation): object {
  return [example].flat()[0] as object
}

function textOf(body: Body): string {
  return String(body['body'])
}

function notFound(): Answer {
  return { status: 404, body: { message: 'Not Found', documentation_url: 'https://docs.github.com/rest' } }
}

function forbidden(): Answer {
  return { status: 403, body: { message: 'Resource not accessible by integration' } }
}
