import type { DocsService } from '../../docs-service/service.ts'

/** Inputs of a run without context or an earlier job: what GitHub knows of an event has tests of its own. */
export const QUIET = { prompt: 'Explain the new flag.', context: 'none', 'follow-up': 'false' }

/** How many requests of a method the docs service got. */
export function countOf({ requests }: DocsService, method: string): number {
  return requests.filter((request) => request.method === method).length
}
