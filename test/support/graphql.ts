import { schema as description } from '@octokit/graphql-schema'
import { buildASTSchema, execute, type GraphQLError, type GraphQLSchema, parse, validate } from 'graphql'
import { type Fields, isObject } from './json.ts'
import type { Answer } from './rest.ts'
import {
  type Commit,
  type CommitStatus,
  has,
  historyOf,
  newestStatuses,
  type Pull,
  pullOf,
  pullsOfCommit,
  resolve,
  time,
  type World,
} from './world.ts'

type Arguments = Readonly<
  Partial<Record<'after' | 'name' | 'owner' | 'oid' | 'expression' | 'qualifiedName', string>>
> &
  Readonly<Partial<Record<'first' | 'last' | 'number', number>>>

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
  schema ??= buildASTSchema(parse(description.idl, { noLocation: true }), {
    assumeValid: true,
    assumeValidSDL: true,
  })
  return schema
}

/**
 * Executes a query on the world; what GitHub would not take, or the fake does not know, is a violation.
 *
 * @param broken name of a field that fails, as if a part of GitHub were down
 */
export async function graphqlAnswer(
  body: Fields,
  world: World,
  violations: string[],
  broken?: string,
): Promise<Answer> {
  const document = parse(String(body['query']))
  const problems = validate(gitHubSchema(), document).map(({ message }) => message)
  violations.push(...problems)
  if (problems.length > 0) return { status: 200, body: { errors: problems.map((message) => ({ message })) } }
  const result = await execute({
    schema: gitHubSchema(),
    document,
    rootValue: rootOf(world, violations),
    variableValues: isObject(body['variables']) ? body['variables'] : {},
    fieldResolver(source, parameters, _context, { fieldName, parentType }) {
      if (fieldName === broken)
        throw new RefusedError('INTERNAL', 'Something went wrong while executing your query.')
      if (!isObject(source) || !(fieldName in source)) {
        violations.push(`the fake GitHub does not know ${parentType.name}.${fieldName}`)
        return null
      }
      const field = source[fieldName]
      return typeof field === 'function' ? field(parameters) : field
    },
  })
  const errors = result.errors?.map(errorFields)
  return { status: 200, body: { data: result.data, ...(errors && { errors }) } }
}

function errorFields({ message, path, originalError }: GraphQLError): Fields {
  return { ...(originalError instanceof RefusedError && { type: originalError.type }), path, message }
}

/** The objects of the schema, as far as the fake GitHub knows them. */
function rootOf(world: World, violations: string[]): Fields {
  const needs = (permission: string): void => {
    if (!has(world, permission)) throw new RefusedError('FORBIDDEN', 'Resource not accessible by integration')
  }

  function connection<T>(
    entries: readonly T[],
    { first, last, after }: Arguments,
    show: (entry: T) => unknown,
  ): Fields {
    const size = first ?? last ?? 0
    if (size < 1 || size > 100) violations.push('a connection needs `first` or `last`, from 1 to 100')
    const start = first === undefined ? Math.max(0, entries.length - size) : Number(after ?? 0)
    const end = Math.min(start + size, entries.length)
    const pageInfo = {
      hasNextPage: end < entries.length,
      endCursor: `${end}`,
      hasPreviousPage: start > 0,
      startCursor: `${start}`,
    }
    return {
      nodes: entries.slice(start, end).map((entry) => show(entry)),
      totalCount: entries.length,
      pageInfo,
    }
  }

  const known = (shas: readonly (string | null | undefined)[]): Commit[] =>
    shas.flatMap((sha) => world.commits.get(sha ?? '') ?? [])

  const commitOrNull = (found: Commit | undefined): Fields | null =>
    found === undefined ? null : commit(found)

  const commit = ({ sha, message, author, atMs }: Commit): Fields => ({
    __typename: 'Commit',
    oid: sha,
    message,
    messageHeadline: message.split('\n')[0],
    messageBody: message.split('\n').slice(1).join('\n').trim(),
    committedDate: time(atMs),
    url: `https://github.com/${world.repository}/commit/${sha}`,
    author: { name: author?.login ?? 'Nobody', user: author?.type === 'User' ? actor(author) : null },
    history: (page: Arguments) => connection(historyOf(world, sha), page, commit),
    status: () => statusOf(sha),
    associatedPullRequests: (page: Arguments) => {
      needs('pull-requests: read')
      return connection(pullsOfCommit(world, sha), page, (pull) => pullRequest(pull, world.repository))
    },
  })

  const statusOf = (sha: string): Fields | null => {
    needs('statuses: read')
    const contexts = newestStatuses(world, sha).map(statusContext)
    if (contexts.length === 0) return null
    const states = contexts.map(({ state }) => state)
    const state = ['FAILURE', 'ERROR', 'PENDING'].find((one) => states.includes(one)) ?? 'SUCCESS'
    return {
      state,
      contexts,
      context: ({ name }: Arguments) => contexts.find(({ context }) => context === name) ?? null,
    }
  }

  const pullRequest = ({ number, fields, commits, replaced }: Pull, repository: string): Fields => ({
    __typename: 'PullRequest',
    number,
    title: fields.title,
    body: fields.body ?? '',
    url: `https://github.com/${repository}/pull/${number}`,
    state: fields.merged ? 'MERGED' : fields.state?.toUpperCase(),
    merged: fields.merged,
    mergedAt: fields.merged_at,
    createdAt: fields.created_at,
    mergeCommit: () => commitOrNull(known([fields.merge_commit_sha])[0]),
    mergeable: { dirty: 'CONFLICTING', unknown: 'UNKNOWN' }[fields.mergeable_state ?? ''] ?? 'MERGEABLE',
    author: actor(fields.user),
    labels: (page: Arguments) => connection(fields.labels ?? [], page, ({ name }) => ({ name })),
    baseRefName: fields.base?.ref,
    baseRef: () => refOf(fields.base?.ref ?? ''),
    headRefName: fields.head?.ref,
    headRefOid: fields.head?.sha,
    commits: (page: Arguments) => connection(known(commits), page, (one) => ({ commit: commit(one) })),
    comments: (page: Arguments) =>
      connection(
        world.comments.filter((one) => one.kind === 'main' && one.number === number),
        page,
        ({ id, history, author }) => ({ databaseId: id, body: history.at(-1), author: actor(author) }),
      ),
    timelineItems: ({ itemTypes, ...page }: Arguments & { readonly itemTypes?: readonly string[] }) => {
      if (itemTypes?.join() !== 'HEAD_REF_FORCE_PUSHED_EVENT')
        violations.push('the fake GitHub knows forced pushes alone')
      const after = [...replaced.slice(1), fields.head?.sha]
      return connection(replaced, page, (sha) => ({
        __typename: 'HeadRefForcePushedEvent',
        beforeCommit: () => commitOrNull(known([sha])[0]),
        afterCommit: () => commitOrNull(known([after[replaced.indexOf(sha)]])[0]),
      }))
    },
  })

  const refOf = (name: string): Fields | null => {
    needs('contents: read')
    const target = commitOrNull(resolve(world, name))
    return target === null ? null : { name: name.replace(/^refs\/\w+\//, ''), target }
  }

  return {
    viewer: { login: world.viewer.login, databaseId: world.viewer.id },
    repository: ({ owner, name }: Arguments) => {
      const repository = `${owner}/${name}`
      if (repository !== world.repository && !world.elsewhere.has(repository)) {
        throw new RefusedError(
          'NOT_FOUND',
          `Could not resolve to a Repository with the name '${repository}'.`,
        )
      }
      return {
        nameWithOwner: repository,
        object: ({ oid, expression }: Arguments) => {
          needs('contents: read')
          return commitOrNull(resolve(world, oid ?? expression ?? ''))
        },
        ref: ({ qualifiedName = '' }: Arguments) => refOf(qualifiedName),
        defaultBranchRef: () => refOf('main'),
        pullRequest: ({ number = 0 }: Arguments) => {
          needs('pull-requests: read')
          const found = pullOf(world, number, repository)
          if (found !== undefined) return pullRequest(found, repository)
          throw new RefusedError(
            'NOT_FOUND',
            `Could not resolve to a PullRequest with the number of ${number}.`,
          )
        },
      }
    },
  }
}

function statusContext({
  context,
  state,
  description,
  target_url,
  created_at,
  creator,
}: CommitStatus): Fields {
  return {
    context,
    state: state?.toUpperCase(),
    description,
    targetUrl: target_url,
    createdAt: created_at,
    creator: actor(creator),
  }
}

/** An account as GraphQL tells it: a bot's login without `[bot]`. */
function actor(user: CommitStatus['creator']): Fields | null {
  if (!user) return null
  return { __typename: user.type, login: user.login?.replace('[bot]', ''), databaseId: user.id }
}
