import { schema as description } from '@octokit/graphql-schema'
import { buildASTSchema, execute, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql'
import type { CommitFile, PullRequest } from '../../src/github/client.ts'
import { historyOf, newestStatuses, pullsOfCommit, resolve } from './history.ts'
import { type Fields, isObject } from './json.ts'
import type { Answer } from './rest.ts'
import {
  type Account,
  type Comment,
  type Commit,
  type CommitStatus,
  has,
  type Pull,
  pullOf,
  time,
  type World,
} from './world.ts'

type Page = Readonly<
  Partial<Record<'first' | 'last', number | null> & Record<'after' | 'before', string | null>> & {
    /** GitHub's default, which is ignored. */
    orderBy?: object
  }
>

type Arguments = Page &
  Readonly<
    Partial<Record<'name' | 'owner' | 'oid' | 'expression' | 'query', string>> &
      Partial<Record<'itemTypes', readonly string[]>>
  > & {
    readonly number?: number
    readonly writersOnly?: boolean
  }

/** @throws an error as GitHub words it, with its type */
function refuse(type: string, message: string): never {
  throw new GraphQLError(message, { extensions: { type } })
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
  if (problems.length > 0) return { status: 422, body: undefined }
  const { data, errors } = await execute({
    schema: gitHubSchema(),
    document,
    rootValue: rootOf(world, violations),
    variableValues: isObject(body['variables']) ? body['variables'] : {},
    fieldResolver(source, parameters, _context, { fieldName, parentType }) {
      if (fieldName === broken)
        refuse('INTERNAL', 'Something went wrong while executing your query.')
      if (!isObject(source) || !(fieldName in source)) {
        violations.push(`the fake GitHub does not know ${parentType.name}.${fieldName}`)
        return null
      }
      const field = source[fieldName]
      return typeof field === 'function' ? field(parameters) : field
    },
  })
  const told = errors?.map(({ message, path, extensions }) => ({ ...extensions, path, message }))
  return { status: 200, body: { data, ...(told && { errors: told }) } }
}

/** The objects of the schema, as far as the fake GitHub knows them. */
function rootOf(world: World, violations: string[]): Fields {
  let isPublic = false
  const needs = (permission: string): void => {
    if (!isPublic && !has(world, permission))
      refuse('FORBIDDEN', 'Resource not accessible by integration')
  }

  const connection =
    <T>(entries: () => readonly T[], show: (entry: T) => Fields) =>
    ({ first, last, after, before, orderBy: _, ...others }: Page): Fields => {
      const size = first ?? last ?? 0
      if (size < 1 || size > 100)
        violations.push('a connection needs `first` or `last`, from 1 to 100')
      const unknown = Object.keys(others)
      if (unknown.length > 0) violations.push(`the fake GitHub does not know ${unknown.join(', ')}`)
      const all = entries()
      const indexOf = (cursor: string): number => Number(cursor.slice('cursor:'.length))
      const until = before ? indexOf(before) : all.length
      const start = first == null ? Math.max(0, until - size) : after ? indexOf(after) + 1 : 0
      const end = Math.min(until, start + size)
      const nodes = all.slice(start, end).map(show)
      const pageInfo = {
        hasNextPage: end < all.length,
        hasPreviousPage: start > 0,
        startCursor: nodes.length === 0 ? null : `cursor:${start}`,
        endCursor: nodes.length === 0 ? null : `cursor:${end - 1}`,
      }
      return { nodes, pageInfo, totalCount: all.length }
    }

  const comment = (one: Comment): Fields => commentFields(one, world)

  const commit = (one: Commit): Fields => ({
    __typename: 'Commit',
    oid: one.sha,
    history: connection(() => historyOf(world, one.sha), commit),
    status: () => {
      needs('statuses: read')
      const own = newestStatuses(world, one.sha)
      const named = ({ name }: Arguments) => {
        const found = own.find(({ context }) => context === name)
        return found === undefined ? null : statusContext(found)
      }
      return own.length === 0 ? null : { context: named }
    },
    associatedPullRequests: connection(
      () => {
        needs('pull-requests: read')
        return pullsOfCommit(world, one.sha)
      },
      (pull) => pullRequest(pull, world.repository),
    ),
  })

  const commitOrNull = (name: string | null | undefined): Fields | null => {
    const found = resolve(world, name ?? '')
    return found === undefined ? null : commit(found)
  }

  const pullRequest = (pull: Pull, repository: string): Fields => {
    const { number, fields, commits, files } = pull
    const isOfFork = fields.head?.repo?.full_name !== repository
    const comments = () =>
      world.comments.filter((one) => one.kind === 'main' && one.number === number)
    return {
      __typename: 'PullRequest',
      number,
      changedFiles: files.length,
      headRefOid: fields.head?.sha,
      files: connection(() => files, pullFile),
      comments: connection(comments, comment),
      latestOpinionatedReviews: ({ writersOnly, ...page }: Arguments) => {
        const own = world.reviews.filter(
          (one) =>
            one.number === number &&
            one.state !== 'COMMENTED' &&
            (!writersOnly || canPush(one.author, world)),
        )
        const newest = new Map(own.map((one) => [one.author.login, one]))
        return connection(
          () => [...newest.values()],
          ({ state }) => ({ state }),
        )(page)
      },
      autoMergeRequest: pull.fields.auto_merge ? { enabledAt: time(0) } : null,
      reviewThreads: connection(
        () => {
          const own = world.comments.filter((one) => one.kind === 'review' && one.number === number)
          return [...Map.groupBy(own, ({ id, rootId }) => rootId ?? id).values()]
        },
        (thread) => {
          const [first] = thread
          return {
            isResolved: first?.isResolved === true,
            path: first?.path ?? '',
            line: first?.line ?? null,
            startLine: first?.startLine ?? null,
            originalLine: first?.line ?? null,
            comments: connection(() => thread, comment),
          }
        },
      ),
      title: fields.title,
      state: fields.merged === true ? 'MERGED' : fields.state?.toUpperCase(),
      createdAt: fields.created_at,
      body: fields.body ?? '',
      url: `https://github.com/${repository}/pull/${number}`,
      merged: fields.merged,
      mergeCommit: () => commitOrNull(fields.merge_commit_sha),
      author: actor(fields.user),
      assignees: connection(
        () => fields.assignees ?? [],
        (user) => ({ login: user?.login, databaseId: user?.id }),
      ),
      labels: connection(
        () => fields.labels ?? [],
        (label) => ({ name: label?.name }),
      ),
      commits: connection(
        () => commits,
        // Statuses of a fork's commit are the fork's there.
        (oid) => ({ commit: { ...commitOrNull(oid), ...(isOfFork && { status: null }) } }),
      ),
      timelineItems: ({ itemTypes = [], ...page }: Arguments) => {
        const known: Readonly<Record<string, () => readonly Fields[]>> = {
          HEAD_REF_FORCE_PUSHED_EVENT: () =>
            pull.replaced.map((oid) => ({
              __typename: 'HeadRefForcePushedEvent',
              beforeCommit: commitOrNull(oid),
            })),
          CLOSED_EVENT: () =>
            fields.state === 'closed'
              ? [
                  {
                    __typename: 'ClosedEvent',
                    actor: { __typename: pull.isClosedByBot ? 'Bot' : 'User' },
                  },
                ]
              : [],
        }
        const list = itemTypes.length === 1 ? known[itemTypes[0] ?? ''] : undefined
        if (list === undefined) violations.push('the fake GitHub knows one kind of item at a time')
        return connection(list ?? (() => []), (one) => one)(page)
      },
    }
  }

  return {
    viewer: { login: world.viewer.login, databaseId: world.viewer.id },
    // Pull requests by author, state and days.
    search: ({ query = '', type: _, ...page }: Arguments & { readonly type?: string }) => {
      needs('pull-requests: read')
      const value = (name: string) => new RegExp(`(?:^| )${name}:(\\S+)`).exec(query)?.[1]
      const isIn = (days = '..9', at: string | null | undefined): boolean => {
        const [from = '', to = ''] = days.split('..')
        const day = at?.slice(0, 10) ?? ''
        return from <= day && day <= to
      }
      const found = [...world.pulls.values()].filter(({ fields }) => {
        const { user, state, merged, closed_at: closedAt } = fields
        const isClosed = state !== 'open'
        return (
          user?.login?.replace(/^(.*)\[bot\]$/, 'app/$1') === value('author') &&
          !(query.includes('is:open') && isClosed) &&
          !(query.includes('is:unmerged') && merged) &&
          isIn(value('closed'), isClosed ? closedAt : null) &&
          isIn(value('merged'), isClosed && merged ? closedAt : null)
        )
      })
      const createdAt = ({ fields }: Pull): string => fields.created_at ?? ''
      found.sort((left, right) => createdAt(left).localeCompare(createdAt(right)))
      if (value('sort') !== 'created-asc') found.reverse()
      const show = (one: Pull): Fields => pullRequest(one, world.repository)
      return { issueCount: found.length, ...connection(() => found, show)(page) }
    },
    repository: ({ owner, name }: Arguments) => {
      const repository = `${owner}/${name}`
      const cannot = (kind: string) => refuse('NOT_FOUND', `Could not resolve to a ${kind}.`)
      const isElsewhere = repository === world.agentRepository && repository !== world.repository
      if (repository !== world.repository && (!isElsewhere || world.agentAccess === 'none'))
        return cannot(`Repository with the name '${repository}'`)
      isPublic = isElsewhere && world.agentAccess === 'public'
      const visibility = world.visibility.get(repository) ?? 'PUBLIC'
      return {
        nameWithOwner: repository,
        visibility,
        object: ({ oid, expression }: Arguments) => {
          needs('contents: read')
          return commitOrNull(oid ?? expression)
        },
        issueOrPullRequest: ({ number = 0 }: Arguments) => {
          const found = pullOf(world, number, repository)
          if (found) return pullRequest(found, repository)
          const own = world.comments.filter((one) => one.kind === 'main' && one.number === number)
          return { __typename: 'Issue', comments: connection(() => own, comment) }
        },
        pullRequest: ({ number = 0 }: Arguments) => {
          needs('pull-requests: read')
          const found = pullOf(world, number, repository)
          return found
            ? pullRequest(found, repository)
            : cannot(`PullRequest with the number of ${number}`)
        },
      }
    },
  }
}

function pullFile({
  filename,
  status = 'modified',
  additions = 0,
  deletions = 0,
}: CommitFile): Fields {
  const changeType = status === 'removed' ? 'DELETED' : status?.toUpperCase()
  return { path: filename, changeType, additions, deletions }
}

function commentFields(
  { id, history, author, atMs, isHidden, ...one }: Comment,
  { viewer }: World,
): Fields {
  return {
    viewerDidAuthor: author.id === viewer.id,
    databaseId: id,
    isMinimized: isHidden === true,
    authorAssociation: one.association ?? 'NONE',
    body: history.at(-1),
    author: actor(author),
    createdAt: time(atMs),
  }
}

/** Whether an account may write to the repository. */
function canPush({ login }: Account, { roles }: World): boolean {
  return /^(?:write|maintain|admin)$/.test(roles.get(login.toLowerCase())?.permission ?? '')
}

function statusContext({ target_url: targetUrl, created_at: createdAt }: CommitStatus) {
  return { targetUrl, createdAt }
}

/** An account as GraphQL tells it: a bot's login without `[bot]`. */
function actor(user: PullRequest['user']): Fields | null {
  if (!user) return null
  return { __typename: user.type, login: user.login?.replace('[bot]', ''), databaseId: user.id }
}
