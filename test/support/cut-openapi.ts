import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isObject } from './json.ts'
import type { OpenApi, Operation } from './openapi.ts'

/** The calls of GitHub's REST API that the fake GitHub knows; all are below `/repos/{owner}/{repo}`. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  '': ['get'],
  '/actions/workflows/{workflow_id}/runs': ['get'],
  '/collaborators/{username}/permission': ['get'],
  '/commits/{commit_sha}/pulls': ['get'],
  '/commits/{ref}/status': ['get'],
  '/commits/{ref}/statuses': ['get'],
  '/compare/{basehead}': ['get'],
  '/git/matching-refs/{ref}': ['get'],
  '/issues/comments/{comment_id}': ['get', 'patch', 'delete'],
  '/issues/comments/{comment_id}/reactions': ['get', 'post'],
  '/issues/comments/{comment_id}/reactions/{reaction_id}': ['delete'],
  '/issues/{issue_number}/comments': ['get', 'post'],
  '/issues/{issue_number}/labels': ['post'],
  '/issues/{issue_number}/reactions': ['get', 'post'],
  '/issues/{issue_number}/reactions/{reaction_id}': ['delete'],
  '/pulls/comments/{comment_id}': ['get', 'patch'],
  '/pulls/comments/{comment_id}/reactions': ['get', 'post'],
  '/pulls/comments/{comment_id}/reactions/{reaction_id}': ['delete'],
  '/pulls/{pull_number}': ['get'],
  '/pulls/{pull_number}/comments': ['get'],
  '/pulls/{pull_number}/comments/{comment_id}/replies': ['post'],
  '/pulls/{pull_number}/commits': ['get'],
  '/pulls/{pull_number}/files': ['get'],
  '/pulls/{pull_number}/requested_reviewers': ['post'],
  '/releases': ['get'],
  '/statuses/{sha}': ['post'],
  '/tags': ['get'],
}

const PROSE = /^(?:title|description|examples?|deprecated|externalDocs|readOnly|format|discriminator|x-.*)$/

type Content = { readonly schema?: object; readonly examples?: Readonly<Record<string, unknown>> }
type Answer = { readonly content?: Readonly<Record<string, Content>> }
type Parameter = { readonly name: string; readonly schema: object }

/**
 * Writes `fixtures/openapi.json` anew from GitHub's own description. That is no dependency, for its 400 MB:
 * `npm install --no-save @octokit/openapi@23.0.2 && node test/support/cut-openapi.ts`
 */
function cut(): void {
  const source = createRequire(import.meta.url).resolve('@octokit/openapi/package.json')
  const whole = JSON.parse(readFileSync(join(source, '../generated/api.github.com.json'), 'utf8'))
  const definitions: Record<string, unknown> = {}

  /** The part that a reference names. */
  const follow = (node: unknown): unknown => {
    const ref = isObject(node) ? node['$ref'] : undefined
    if (typeof ref !== 'string') return node
    return follow(
      ref
        .split('/')
        .slice(1)
        .reduce((at, name) => at[name], whole),
    )
  }

  /** A schema as JSON Schema has it, without its prose; what it refers to goes to the definitions. */
  const plain = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(plain)
    if (!isObject(schema)) return schema
    const { $ref, nullable, properties, ...rest } = schema
    if (typeof $ref === 'string') {
      const name = $ref.split('/').at(-1) ?? ''
      if (!(name in definitions)) {
        definitions[name] = {}
        definitions[name] = plain(follow(schema))
      }
      return { $ref: `github#/definitions/${name}` }
    }
    const kept = Object.entries(rest)
      .filter(([key]) => !PROSE.test(key))
      .map(([key, value]) => [key, key === 'enum' || key === 'default' ? value : plain(value)])
    const whole = Object.fromEntries(kept)
    if (isObject(properties)) {
      const fields = Object.entries(properties).map(([name, field]) => [name, plain(field)])
      whole.properties = Object.fromEntries(fields)
    }
    return nullable === true ? { anyOf: [whole, { type: 'null' }] } : whole
  }

  const operationOf = (path: string, method: string): Operation => {
    const { parameters = [], requestBody, responses } = whole.paths[path][method]
    const good = Object.entries<Answer>(responses).filter(([status]) => status.startsWith('2'))
    const answers = good.map(([status, answer]) => [status, plain(jsonOf(answer)?.schema ?? null)])
    const [example] = good.flatMap(([, answer]) => Object.values(jsonOf(answer)?.examples ?? {}))
    const followed = follow(example)
    return {
      method: method.toUpperCase(),
      path,
      parameters: parameters
        .map(follow)
        .map(({ name, schema }: Parameter) => ({ name, schema: plain(schema) })),
      body: plain(jsonOf(requestBody ?? {})?.schema ?? null) as object | null,
      answers: Object.fromEntries(answers),
      example: isObject(followed) ? followed['value'] : null,
    }
  }

  const operations = Object.entries(CALLS).flatMap(([path, methods]) =>
    methods.map((method) => operationOf(`/repos/{owner}/{repo}${path}`, method)),
  )
  const kept: OpenApi = { operations, definitions }
  writeFileSync(join(import.meta.dirname, 'fixtures/openapi.json'), `${JSON.stringify(kept)}\n`)
}

function jsonOf({ content }: Answer): Content | undefined {
  return content?.['application/json']
}

cut()
