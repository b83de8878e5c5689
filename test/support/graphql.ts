import { schema as description } from '@octokit/graphql-schema'
import { buildASTSchema, execute, type GraphQLSchema, parse, validate } from 'graphql'
import { type Fields, isObject } from './json.ts'
import type { Answer } from './rest.ts'
import {
  type CommitStatus,
  has,
  historyOf,
  newestStatuses,
  type Pull,
  pullOf,
  pullsOfCommit,
  resolve,
  type World,
} from './world.ts'

type Arguments = Readonly<Partial<Record<'name' | 'owner' | 'oid' | 'qualifiedName', string>>> &
  Readonly<Partial<Record<'first' | 'last' | 'number', number>>> & { readonly itemTypes?: readonly string[] }

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
  const isGood = { assumeValid: true, assumeValidSDL: true }
  schema ??= buildASTSchema(parse(description.idl, { noLocation: true }), isGood)
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
  const { data, errors } = await execute({
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
  const told = errors?.map(({ message, path, originalError }) => {
    return { ...(originalError instanceof RefusedError && { type: originalError.type }), path, message }
  })
  return { status: 200, body: { data, ...(told && { errors: told }) } }
}

/** The objects of the schema, as far as the fake GitHub knows them. */
function rootOf(world: World, violations: string[]): Fields {
  const needs = (permission: string): void => {
    if (!has(world, permission)) throw new RefusedError('FORBIDDEN', 'Resource not accessible by integration')
  }

  const connection =
    <T>(entries: () => readonly T[], show: (entry: T) => Fields) =>
    ({ first, last }: Arguments): Fields => {
      const size = first ?? last ?? 0
      if (size < 1 || size > 100) violations.push('a connection needs `first` or `last`, from 1 to 100')
      const all = entries()
      return { nodes: (first === undefined ? all.slice(-size) : all.slice(0, size)).map(show) }
    }

  const commit = (sha: string): Fields => ({
    __typename: 'Commit',
    oid: sha,
    history: connection(
      () => historyOf(world, sha),
      (before) => commit(before.sha),
    ),
    status: () => {
      needs('statuses: read')
      const contexts = newestStatuses(world, sha).map(statusContext)
      const named = ({ name }: Arguments) => contexts.find(({ context }) => context === name) ?? null
      return contexts.length === 0 ? null : { context: named }
    },
    associatedPullRequests: connection(
      () => {
        needs('pull-requests: read')
        return pullsOfCommit(world, sha)
      },
      (pull) => pullRequest(pull, world.repository),
    ),
  })

  const commitOrNull = (name: string | null | undefined): Fields | null => {
    const found = resolve(world, name ?? '')
    return found === undefined ? null : commit(found.sha)
  }

  const pullRequest = ({ number, fields, commits, replaced }: Pull, repository: string): Fields => ({
    number,
    title: fields.title,
    body: fields.body ?? '',
    url: `https://github.com/${repository}/pull/${number}`,
    merged: fields.merged,
    mergeCommit: () => commitOrNull(fields.merge_commit_sha),
    author: actor(fields.user),
    labels: connection(
      () => fields.labels ?? [],
      ({ name }) => ({ name }),
    ),
    baseRef: () => refOf(fields.base?.ref ?? ''),
    commits: connection(
      () => commits,
      (oid) => ({ commit: commit(oid) }),
    ),
    timelineItems: ({ itemTypes, ...page }: Arguments) => {
      if (itemTypes?.join() !== 'HEAD_REF_FORCE_PUSHED_EVENT')
        violations.push('the fake GitHub knows forced pushes alone')
      const push = (oid: string): Fields => ({
        __typename: 'HeadRefForcePushedEvent',
        beforeCommit: commit(oid),
      })
      return connection(() => replaced, push)(page)
    },
  })

  const refOf = (name: string): Fields | null => {
    needs('contents: read')
    const target = commitOrNull(name)
    return target === null ? null : { target }
  }

  return {
    viewer: { login: world.viewer.login, databaseId: world.viewer.id },
    repository: ({ owner, name }: Arguments) => {
      const repository = `${owner}/${name}`
      const cannot = (kind: string): never => {
        throw new RefusedError('NOT_FOUND', `Could not resolve to a ${kind}.`)
      }
      if (![world.repository, world.agentRepository].includes(repository))
        return cannot(`Repository with the name '${repository}'`)
      return {
        object: ({ oid }: Arguments) => {
          needs('contents: read')
          return commitOrNull(oid)
        },
        ref: ({ qualifiedName = '' }: Arguments) => refOf(qualifiedName),
        pullRequest: ({ number = 0 }: Arguments) => {
          needs('pull-requests: read')
          const found = pullOf(world, number, repository)
          return found ? pullRequest(found, repository) : cannot(`PullRequest with the number of ${number}`)
        },
      }
    },
  }
}

function statusContext(status: CommitStatus) {
  const { context, state, description, target_url: targetUrl, created_at: createdAt, creator } = status
  return { context, state: state?.toUpperCase(), description, targetUrl, createdAt, creator: actor(creator) }
}

/** An account as GraphQL tells it: a bot's login without `[bot]`. */
function actor(user: CommitStatus['creator']): Fields | null {
  if (!user) return null
  return { __typename: user.type, login: user.login?.replace('[bot]', ''), databaseId: user.id }
}
