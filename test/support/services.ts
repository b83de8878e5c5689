import type { DocsServiceOptions } from '../../docs-service/options.ts'
import { startDocsService } from '../../docs-service/service.ts'
import { startGitHub } from './github.ts'

/** Options of the docs service, and those of the GitHub next to it. */
export type ServicesOptions = DocsServiceOptions & {
  readonly github?: Parameters<typeof startGitHub>[0]
}

/** Starts a docs service, and a GitHub that knows its pull requests, by default with links and without files. */
export async function startServices({ github: gitHubOptions, ...options }: ServicesOptions = {}) {
  const repository = 'https://github.com/acme/docs'
  const [docs, github] = await Promise.all([
    startDocsService({ agent: 'none', repository, ...options }),
    startGitHub(gitHubOptions),
  ])
  github.world.agentPulls = () => docs.jobs.flatMap(({ pull }) => pull ?? [])
  return {
    docs,
    github,
    world: github.world,
    /** Inputs that lead to both. */
    access: {
      'api-key': docs.key,
      'project-id': 'docs',
      'base-url': docs.url,
      'github-token': github.token,
    },
    close: () => Promise.all([docs.close(), github.close()]),
  }
}
