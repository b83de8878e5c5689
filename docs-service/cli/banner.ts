import type { DocsService } from '../service.ts'

/** What is said once the service is up: where it is, how to point the action at it, what else it can do. */
export function banner({ url, key, repository }: DocsService, projectId: string): string {
  return `The docs service is up: ${url}

Point the action at it:

    with:
      base-url: ${JSON.stringify(url)}
      project-id: ${JSON.stringify(projectId)}
      api-key: ${JSON.stringify(key)}

Jobs and pull requests:  ${url}/
Sample repository:       ${repository ?? 'none (--agent none)'}

Directives, anywhere in a prompt:
    [agent: fail]  [agent: archive]  [agent: no-change]  [agent: never]  [agent: gitlab]
    [agent: takes 20s]  [agent: status reviewing 2s]

Faults, such as a create that makes its job and loses its answer:
    curl -X POST ${url}/_faults -d '{"kind":"reset-after","match":{"path":"create"}}'
    curl ${url}/_faults        curl -X DELETE ${url}/_faults        curl ${url}/_requests

docs-service/README.md explains all of them. Ctrl-C ends the service and deletes the repository.
`
}
