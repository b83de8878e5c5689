import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The calls of GitHub's REST API that the action makes: what the loopback GitHub knows. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  '/repos/{owner}/{repo}/collaborators/{username}/permission': ['get'],
  '/repos/{owner}/{repo}/issues/{issue_number}/comments': ['get', 'post'],
  '/repos/{owner}/{repo}/issues/comments/{comment_id}': ['get', 'patch', 'delete'],
  '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions': ['get', 'post'],
  '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}': ['delete'],
  '/repos/{owner}/{repo}/issues/{issue_number}/reactions': ['get', 'post'],
  '/repos/{owner}/{repo}/issues/{issue_number}/reactions/{reaction_id}': ['delete'],
  '/repos/{owner}/{repo}/pulls/{pull_number}/comments': ['get'],
  '/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies': ['post'],
  '/repos/{owner}/{repo}/pulls/comments/{comment_id}': ['get', 'patch'],
  '/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions': ['get', 'post'],
  '/repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions/{reaction_id}': ['delete'],
  '/repos/{owner}/{repo}/pulls/{pull_number}': ['get'],
  '/repos/{owner}/{repo}/pulls/{pull_number}/files': ['get'],
  '/repos/{owner}/{repo}/releases': ['get'],
  '/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs': ['get'],
  '/repos/{owner}/{repo}/compare/{basehead}': ['get'],
  '/repos/{owner}/{repo}/commits/{commit_sha}/pulls': ['get'],
}

/** One call, as far as the loopback GitHub needs it. */
export type Operation = {
  readonly method: string
  /** With its parameters in braces. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  /** JSON schema of the body; `null` if there is none. */
  readonly body: object | null
  /** Status of a success. */
  readonly status: number
  /** An answer that GitHub gives as its example. */
  readonly example: unknown
}

type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: object
}

type Described = {
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Examples>> }>>
}

type Examples = { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }

/**
 * Writes `openapi.json` anew from GitHub's own description. That is no dependency, for its 400 MB:
 * `npm install --no-save @octokit/openapi@23.0.2 && node test/github/cut-openapi.ts`
 */
function cut(): void {
  const source = createRequire(import.meta.url).resolve('@octokit/openapi/package.json')
  const description = JSON.parse(readFileSync(join(source, '../generated/api.github.com.deref.json'), 'utf8'))
  const operations: Operation[] = Object.entries(CALLS).flatMap(([path, methods]) =>
    methods.map((method) => operationOf(path, method, description.paths[path][method])),
  )
  const text = `${JSON.stringify(operations, undefined, 1)}\n`
  writeFileSync(join(import.meta.dirname, 'fixtures/openapi.json'), text)
}

function operationOf(path: string, method: string, found: Described): Operation {
  const status = Object.keys(found.responses).find((code) => code.startsWith('2')) ?? '200'
  const examples = found.responses[status]?.content?.['application/json']?.examples ?? {}
  const parameters = found.parameters.map(({ name, in: place, required, schema }) => ({
    name,
    in: place,
    ...(required === true && { required }),
    schema,
  }))
  return {
    method: method.toUpperCase(),
    path,
    parameters,
    body: found.requestBody?.content['application/json']?.schema ?? null,
    status: Number(status),
    example: Object.values(examples)[0]?.value ?? null,
  }
}

cut()
