import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { type Fields, isObject } from './json.ts'
import type { Answer } from './rest.ts'

/**
 * GitHub's own description of its REST API, as far as the fake GitHub needs it. `fixtures/openapi.json` has the operations in
 * use, without prose, from `generated/api.github.com.json` of `@octokit/openapi` 23.0.2. To add an operation, copy its
 * parameters, body, answers, and example, and add the schemas that they name to the definitions. References become
 * `github#/definitions/NAME`, and `nullable` becomes an `anyOf` with the type `null`.
 */
export type OpenApi = {
  readonly operations: readonly Operation[]
  readonly definitions: Readonly<Record<string, unknown>>
}

export type Operation = {
  readonly method: string
  /** With its parameters in braces. */
  readonly path: string
  readonly parameters: readonly { readonly name: string; readonly schema: object }[]
  /** JSON schema of the body; `null` if there is none. */
  readonly body: object | null
  /** JSON schemas of the answers of success, by status; `null` for an empty one. */
  readonly answers: Readonly<Record<string, object | null>>
  /** An answer that GitHub gives as its example. */
  readonly example: unknown
}

/** A request that GitHub's description knows. */
export type Call = {
  readonly operation: Operation
  /** Parameters of path and query, by name. */
  readonly parameters: Readonly<Record<string, string>>
  readonly body: Fields
}

const file = join(import.meta.dirname, 'fixtures/openapi.json')
const description = JSON.parse(readFileSync(file, 'utf8')) as OpenApi
const ajv = new Ajv({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'github', definitions: description.definitions })
const operations = description.operations.map((one) => {
  const anyRef = one.path.replace('refs/{ref}', 'refs/(?<ref>.+)')
  return { ...one, pattern: new RegExp(`^${anyRef.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`) }
})

/** Finds the call that a request makes, or says why GitHub would not take it. */
export function readCall(
  method: string,
  url: URL,
  body: unknown,
): Call | { readonly problem: string } {
  const operation = operations.find(
    (one) => one.method === method && one.pattern.test(url.pathname),
  )
  if (operation === undefined) return { problem: `there is no ${method} ${url.pathname}` }
  const inPath = Object.entries(operation.pattern.exec(url.pathname)?.groups ?? {})
  const parameters = Object.fromEntries([
    ...inPath.map(([name, value]) => [name, decodeURIComponent(value)]),
    ...url.searchParams,
  ])
  for (const [name, value] of Object.entries<string>(parameters)) {
    const known = operation.parameters.find((parameter) => parameter.name === name)
    if (known === undefined) return { problem: `there is no parameter ${name}` }
    // A query has text alone.
    const type = 'type' in known.schema ? known.schema.type : undefined
    const isJson = type === 'integer' || (type === 'boolean' && /^(?:true|false)$/.test(value))
    if (!ajv.validate(known.schema, isJson ? JSON.parse(value) : value))
      return { problem: `${name}: ${ajv.errorsText()}` }
  }
  if (Number(parameters['per_page'] ?? 1) > 100) return { problem: 'per_page: at most 100' }
  if (operation.body === null) {
    if (body !== undefined) return { problem: 'there must be no body' }
  } else if (!ajv.validate(operation.body, body)) {
    return { problem: ajv.errorsText() }
  } else if (isObject(body) && 'properties' in operation.body) {
    const known = Object.keys(operation.body.properties ?? {})
    const unknown = Object.keys(body).filter((name) => !known.includes(name))
    if (unknown.length > 0) return { problem: `there is no field ${unknown.join(', ')}` }
  }
  return { operation, parameters, body: isObject(body) ? body : {} }
}

/** Says why an answer is none that GitHub would give; `undefined` if it is one. */
export function answerProblem(
  { answers }: Operation,
  { status, body }: Answer,
): string | undefined {
  if (status >= 400) return undefined
  const schema = answers[status]
  if (schema === undefined) return `there is no answer with status ${status}`
  if (schema === null) return body === undefined ? undefined : 'the answer has no body'
  return ajv.validate(schema, body) ? undefined : ajv.errorsText()
}
