import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import type { Operation } from './cut-openapi.ts'

/** A request that GitHub's own description of its API knows. */
export type KnownCall = {
  readonly operation: Operation
  /** Parameters of path and query, by name. */
  readonly parameters: Readonly<Record<string, string>>
}

/** A request that GitHub would not take, and why. */
export type BadCall = { readonly problem: string }

type Checked = {
  readonly operation: Operation
  readonly pattern: RegExp
  readonly body: object | null
}

/** Makes the check of requests against GitHub's own description (`fixtures/openapi.json`, see `cut-openapi.ts`). */
export function requestCheck(): (method: string, url: URL, body: unknown) => KnownCall | BadCall {
  const text = readFileSync(join(import.meta.dirname, 'fixtures/openapi.json'), 'utf8')
  const ajv = new Ajv({ strict: false, validateFormats: false, coerceTypes: true })
  const calls: Checked[] = (JSON.parse(text) as Operation[]).map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    body: operation.body === null ? null : { ...operation.body, additionalProperties: false },
  }))

  return (method, url, body) => {
    const call = calls.find(
      ({ operation, pattern }) => operation.method === method && pattern.test(url.pathname),
    )
    if (call === undefined) return { problem: `there is no ${method} ${url.pathname}` }
    const inPath = Object.entries(call.pattern.exec(url.pathname)?.groups ?? {})
    const parameters = Object.fromEntries([
      ...inPath.map(([name, value]) => [name, decodeURIComponent(value)]),
      ...url.searchParams,
    ])
    return problemWith(call, parameters, body) ?? { operation: call.operation, parameters }
  }

  function problemWith(
    { operation, body: schema }: Checked,
    parameters: Record<string, string>,
    body: unknown,
  ): BadCall | undefined {
    for (const [name, value] of Object.entries(parameters)) {
      const known = operation.parameters.find((parameter) => parameter.name === name)
      if (known === undefined) return { problem: `there is no parameter ${name}` }
      if (!ajv.validate(known.schema, value)) return { problem: `${name}: ${ajv.errorsText()}` }
    }
    if (schema === null) return body === undefined ? undefined : { problem: 'there must be no body' }
    // Compiled when it is needed first.
    const validate = ajv.compile(schema)
    return validate(body) ? undefined : { problem: ajv.errorsText(validate.errors) }
  }
}
