import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isObject } from '../test/support/json.ts'
import type { OpenApi, Operation } from '../test/support/openapi.ts'

const FILE = join(import.meta.dirname, '../test/support/fixtures/openapi.json')
const PROSE =
  /^(?:title|description|examples?|deprecated|externalDocs|readOnly|format|discriminator|x-.*)$/

type Content = { readonly schema?: object; readonly examples?: Readonly<Record<string, unknown>> }
type Answer = { readonly content?: Readonly<Record<string, Content>> }
type Parameter = { readonly name: string; readonly schema: object }

/**
 * Writes `test/support/fixtures/openapi.json` again from GitHub's own description: the same operations, and those that are added,
 * such as `'GET /repos/{owner}/{repo}/tags'`. GitHub's description isn't a dependency, because it has 400 MB:
 * `npm install --no-save @octokit/openapi@23.0.2 && node scripts/cut-openapi.ts`
 */
function cut(added: readonly string[]): void {
  const source = createRequire(import.meta.url).resolve('@octokit/openapi/package.json')
  const whole = JSON.parse(readFileSync(join(source, '../generated/api.github.com.json'), 'utf8'))
  const definitions: Record<string, unknown> = {}

  /** The part that a reference names. */
  const follow = (node: unknown): unknown => {
    const ref = isObject(node) ? node['$ref'] : undefined
    if (typeof ref !== 'string') return node
    const names = ref.split('/').slice(1)
    return follow(names.reduce((at, name) => at[name], whole))
  }

  /** What an example holds, which may be a reference to another example. */
  const exampleOf = (example: unknown): unknown => {
    const node = follow(example)
    return isObject(node) && 'value' in node ? exampleOf(node['value']) : (node ?? null)
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
    const described: Record<string, unknown> = Object.fromEntries(kept)
    if (isObject(properties)) {
      const fields = Object.entries(properties).map(([name, field]) => [name, plain(field)])
      described['properties'] = Object.fromEntries(fields)
    }
    return nullable === true ? { anyOf: [described, { type: 'null' }] } : described
  }

  const operationOf = (method: string, path: string): Operation => {
    const { parameters = [], requestBody, responses } = whole.paths[path][method.toLowerCase()]
    const good = Object.entries<Answer>(responses).filter(([status]) => status.startsWith('2'))
    const answers = good.map(([status, answer]) => [status, plain(jsonOf(answer)?.schema ?? null)])
    const [example] = good.flatMap(([, answer]) => Object.values(jsonOf(answer)?.examples ?? {}))
    const known: Parameter[] = parameters.map(follow)
    return {
      method,
      path,
      parameters: known.map(({ name, schema }) => ({ name, schema: plain(schema) as object })),
      body: plain(jsonOf(requestBody ?? {})?.schema ?? null) as object | null,
      answers: Object.fromEntries(answers),
      example: exampleOf(example),
    }
  }

  const { operations } = JSON.parse(readFileSync(FILE, 'utf8')) as OpenApi
  const wanted = [...operations.map(({ method, path }) => `${method} ${path}`), ...added]
  const kept = wanted
    .map((call) => call.split(' '))
    .map(([method = '', path = '']) => operationOf(method, path))
  writeFileSync(FILE, `${JSON.stringify({ operations: kept, definitions })}\n`)
}

function jsonOf({ content }: Answer): Content | undefined {
  return content?.['application/json']
}

cut(process.argv.slice(2))
