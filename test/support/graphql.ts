import { schema as described } from '@octokit/graphql-schema'
import {
  buildASTSchema,
  execute,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  parse,
  validate,
} from 'graphql'
import { type Fields, isObject } from './json.ts'
import type { Answer } from './rest.ts'
import {
  type Account,
  type Comment,
  type Commit,
  has,
  historyOf,
  type Issue,
  newestStatuses,
  type Pull,
  pullOf,
  pullsOfCommit,
  resolve,
  type Status,
  type World,
} from './world.ts'

/** What GitHub's GraphQL API answers, and what of the query it would not have taken. */
export type Executed = { readonly answer: Answer; readonly violations: readonly string[] }

type Arguments = {
  readonly first?: number
  readonly last?: number
  readonly after?: string
  readonly name?: string
  readonly owner?: string
  readonly number?: number
  readonly oid?: string
  readonly expression?: string
  readonly qualifiedName?: string
  readonly states?: readonly string[]
  readonly itemTypes?: readonly string[]
}

/** An error as GitHub words it, with its type. */
class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly type: string

  constructor(type: string, message: string) {
    super(message)
    this.type = type
  }
}

let schema: GraphQLSchema | undefined

/** Builds GitHub's schema once for all tests of a worker. */
function gitHubSchema(): GraphQLSchema {
  schema ??= buildASTSchema(parse(described.idl, { noLocation: true }), {
    assumeValid: true,
    assumeValidSDL: true,
  })
  return schema
}

/** Executes a query on the world. `broken`: name of a field that fails, as if a part of GitHub were down. */
export async function graphqlAnswer(body: Fields, world: World, broken?: string): Promise<Executed> {
  const violations: string[] = []
  const document = parse(String(body['query']))
  const problems = validate(gitHubSchema(), document).map(({ message }) => message)
  if (problems.length > 0) {
    return {
      answer: { status: 200, body: { errors: problems.map((message) => ({ message })) } },
      violations: problems,
    }
  }
  const fieldResolver: GraphQLFieldResolver<unknown, unknown> = (
    source,
    parameters,
    _context,
    { fieldName, parentType },
  ) => {
    if (fieldName === broken)
      throw new RefusedError('SERVICE_UNAVAILABLE', 'Something went wrong while executing your query.')
    if (!isObject(source) || !(fieldName in source)) {
      violations.push(`the fake GitHub does not know ${parentType.name}.${fieldName}`)
      return null
    }
    const field = source[fieldName]
    return typeof field === 'function' ? field(parameters) : field
  }
  const result = await execute({
    schema: gitHubSchema(),
    document,
    rootValue: rootOf(world, violations),
    variableValues: isObject(body['variables']) ? body['variables'] : {},
    fieldResolver,
  })
  const errors = result.errors?.map(errorFields)
  return { answer: { status: 200, body: { data: result.data, ...(errors && { errors }) } }, violations }
}

function errorFields({ message, path, originalError }: GraphQLError): Fields {
  return { ...(originalError instanceof RefusedError && { type: originalError.type }), path, message }
}

/** The objects of the schema as far as the fake GitHub knows them. */
function rootOf(world: World, violations: string[]): Fields {
  const url = `https://github.com/${world.repository}`

  const needs = (permission: string): void => {
    if (!has(world, permission)) throw new RefusedError('FORBIDDEN', 'Resource not accessible by integration')
  }

  function connection<T>(
    entries: readonly T[],
    { first, last, after }: Arguments,
    node: (entry: T) => unknown,
  ): Fields {
    const size = first ?? last ?? 0
    if (size < 1 || size > 100) violations.push('a connection needs `first` or `last`, from 1 to 100')
    const start = after === undefined ? 0 : Number(after)
    const end = last === undefined ? start + size : entries.length
    const from = last === undefined ? start : Math.max(start, end - last)
    const nodes = entries.slice(from, end).map((entry) => node(entry))
    const pageInfo = {
      hasNextPage: end < entries.length,
      endCursor: `${Math.min(end, entries.length)}`,
      hasPreviousPage: from > 0,
      startCursor: `${from}`,
    }
    return {
      nodes,
      edges: nodes.map((one, index) => ({ node: one, cursor: `${from + index + 1}` })),
      totalCount: entries.length,
      pageInfo,
    }
  }

  const actor = ({ login, id, type }: Account): Fields => ({
    __typename: type,
    login: type === 'Bot' ? login.replace('[bot]', '') : login,
    databaseId: id,
    url: `https://github.com/${login}`,
  })

  const comment = ({ id, number, history, author, ...at }: Comment): Fields => ({
    databaseId: id,
    fullDatabaseId: `${id}`,
    body: history.at(-1),
    url: `${url}/pull/${number}#issuecomment-${id}`,
    createdAt: time(at.createdAtMs),
    updatedAt: time(at.updatedAtMs),
    viewerDidAuthor: author.id === world.viewer.id,
    author: actor(author),
  })

  const statusContext = (status: Status): Fields => ({
    __typename: 'StatusContext',
    context: status.context,
    state: status.state.toUpperCase(),
    description: status.description || null,
    targetUrl: status.targetUrl || null,
    createdAt: time(status.atMs),
    creator: actor(status.creator),
  })

  const statusOf = (sha: string): Fields | null => {
    needs('statuses: read')
    const newest = newestStatuses(world, sha)
    if (newest.length === 0) return null
    const states = newest.map(({ state }) => state)
    const state = ['failure', 'error', 'pending'].find((one) => states.includes(one)) ?? 'success'
    return {
      state: state.toUpperCase(),
      contexts: newest.map(statusContext),
      context: ({ name }: Arguments) =>
        newest.filter((one) => one.context === name).map(statusContext)[0] ?? null,
    }
  }

  const commit = ({ sha, message, author, parents, atMs }: Commit): Fields => {
    const gitActor = {
      name: author?.login ?? 'Nobody',
      email: 'x@example.com',
      date: time(atMs),
      user: author?.type === 'User' ? actor(author) : null,
    }
    const [messageHeadline = '', ...rest] = message.split('\n')
    return {
      __typename: 'Commit',
      oid: sha,
      abbreviatedOid: sha.slice(0, 7),
      message,
      messageHeadline,
      messageBody: rest.join('\n').trim(),
      committedDate: time(atMs),
      authoredDate: time(atMs),
      url: `${url}/commit/${sha}`,
      author: gitActor,
      committer: gitActor,
      authors: (page: Arguments) => connection([gitActor], page, (one) => one),
      parents: (page: Arguments) => connection(known(parents), page, commit),
      history: (page: Arguments) => connection(historyOf(world, sha), page, commit),
      status: () => statusOf(sha),
      associatedPullRequests: (page: Arguments) => {
        needs('pull-requests: read')
        return connection(pullsOfCommit(world, sha), page, pullRequest)
      },
    }
  }
  const known = (shas: readonly string[]): Commit[] => shas.flatMap((sha) => world.commits.get(sha) ?? [])
  const commitNamed = (name: string): Fields | null => {
    needs('contents: read')
    const found = resolve(world, name)
    return found === undefined ? null : commit(found)
  }

  const conversation = (subject: Issue | Pull): Fields => ({
    number: subject.number,
    title: subject.title,
    body: subject.body,
    author: actor(subject.author),
    labels: (page: Arguments) => connection(subject.labels, page, (name) => ({ name })),
    comments: (page: Arguments) =>
      connection(
        world.comments.filter(({ kind, number }) => kind === 'main' && number === subject.number),
        page,
        comment,
      ),
  })

  const pullRequest = (pull: Pull, repository = world.repository): Fields => ({
    ...conversation(pull),
    __typename: 'PullRequest',
    url: `https://github.com/${repository}/pull/${pull.number}`,
    state: pull.merged ? 'MERGED' : pull.state.toUpperCase(),
    closed: pull.state === 'closed',
    merged: pull.merged,
    mergedAt: pull.mergedAtMs === undefined ? null : time(pull.mergedAtMs),
    mergeCommit: () => known(pull.landed.slice(-1)).map(commit)[0] ?? null,
    createdAt: time(pull.createdAtMs),
    mergeable: { dirty: 'CONFLICTING', unknown: 'UNKNOWN' }[pull.mergeableState] ?? 'MERGEABLE',
    mergeStateStatus: pull.mergeableState.toUpperCase(),
    baseRefName: pull.base,
    baseRef: () => refOf(`refs/heads/${pull.base}`),
    headRefName: pull.head.ref,
    headRefOid: pull.head.sha,
    isCrossRepository: pull.head.repository !== world.repository,
    headRepository: { nameWithOwner: pull.head.repository },
    commits: (page: Arguments) => connection(known(pull.commits), page, (one) => ({ commit: commit(one) })),
    timelineItems: ({ itemTypes = [], ...page }: Arguments) => {
      if (itemTypes.join() !== 'HEAD_REF_FORCE_PUSHED_EVENT')
        violations.push('the fake GitHub knows forced pushes alone')
      return connection(pull.forced, page, ({ before, after }) => ({
        __typename: 'HeadRefForcePushedEvent',
        beforeCommit: () => known([before]).map(commit)[0] ?? null,
        afterCommit: () => known([after]).map(commit)[0] ?? null,
      }))
    },
  })

  const repository = (fullName: string): Fields => {
    const isHere = fullName === world.repository
    if (!isHere && !world.elsewhere.has(fullName)) {
      throw new RefusedError('NOT_FOUND', `Could not resolve to a Repository with the name '${fullName}'.`)
    }
    const one = <T>(found: T | undefined, what: string, number: unknown): T => {
      if (found === undefined)
        throw new RefusedError('NOT_FOUND', `Could not resolve to ${what} with the number of ${number}.`)
      return found
    }
    const there = isHere ? world.pulls : (world.elsewhere.get(fullName) ?? new Map<number, Pull>())
    return {
      nameWithOwner: fullName,
      url: `https://github.com/${fullName}`,
      object: ({ oid, expression }: Arguments) => commitNamed(oid ?? expression ?? ''),
      ref: ({ qualifiedName = '' }: Arguments) => refOf(qualifiedName),
      defaultBranchRef: () => refOf('main'),
      pullRequest: ({ number = 0 }: Arguments) => {
        needs('pull-requests: read')
        return pullRequest(one(pullOf(world, number, fullName), 'a PullRequest', number), fullName)
      },
      issue: ({ number = 0 }: Arguments) => {
        needs('issues: read')
        return {
          __typename: 'Issue',
          url: `${url}/issues/${number}`,
          ...conversation(one(world.issues.get(number), 'an Issue', number)),
        }
      },
      pullRequests: ({ states = ['OPEN'], ...page }: Arguments) => {
        needs('pull-requests: read')
        const wanted = [...there.values()].filter((pull) =>
          states.includes(pull.merged ? 'MERGED' : pull.state.toUpperCase()),
        )
        return connection(wanted, page, (pull) => pullRequest(pull, fullName))
      },
    }
  }
  const refOf = (name: string): Fields | null => {
    const short = name.replace(/^refs\/(heads|tags)\//, '')
    const target = commitNamed(name)
    return target === null
      ? null
      : { name: short, prefix: name.startsWith('refs/tags/') ? 'refs/tags/' : 'refs/heads/', target }
  }

  return {
    viewer: { login: world.viewer.login, databaseId: world.viewer.id },
    repository: ({ owner, name }: Arguments) => repository(`${owner}/${name}`),
  }
}

function time(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}
