import { afterEach } from 'vitest'
import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { type DocsService, startDocsService } from '../../docs-service/service.ts'

/** A docs service that is closed after the test, and the inputs that point the action at it. */
export type DocsForTest = { readonly docs: DocsService; readonly inputs: Record<string, string> }

/** Makes a starter of docs services for the tests of a file: quick jobs, no real git work unless asked for. */
export function docsStarter(): (options?: DocsServiceOptions) => Promise<DocsForTest> {
  const open: DocsService[] = []
  afterEach(async () => {
    await Promise.all(open.splice(0).map((docs) => docs.close()))
  })
  return async (options = {}) => {
    const docs = await startDocsService({ agent: 'none', jobTimeMs: 300, ...options })
    open.push(docs)
    const inputs = {
      'api-key': docs.key,
      'project-id': 'docs',
      'base-url': docs.url,
      'poll-interval': '100ms',
      prompt: 'Explain the new flag.',
      // What GitHub knows of an event has tests of its own, in test/github.
      context: 'none',
    }
    return { docs, inputs }
  }
}

/** The requests a service got, as `POST /path`. */
export function requestLines({ requests }: DocsService): string[] {
  return requests.map(({ method, path }) => `${method} ${path}`)
}

/** The requests of one method. */
export function countOf(docs: DocsService, method: string): number {
  return docs.requests.filter((request) => request.method === method).length
}
