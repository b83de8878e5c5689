import { getOctokit } from '@actions/github'
import { afterGrace, type Deps } from '../lib/clock.ts'
import type { HttpClient } from '../lib/http.ts'
import type { Environment } from '../runner/environment.ts'
import { gitHubFetch } from './fetch.ts'

/** GitHub's client. */
export type Octokit = ReturnType<typeof getOctokit>

/** What GitHub's client needs from outside. */
export type OctokitOptions = Deps & {
  readonly environment: Environment
  /** May be empty: then every call fails. */
  readonly token: string
  readonly http: HttpClient
}

/** How long a comment may still be finished once the run was cancelled; the whole run has 5 s. */
const CANCEL_GRACE_MS = 4000

/** Opens GitHub's client: over this action's own connections, and with its limits. */
export function openOctokit({ environment, token, http, clock, random, cancel }: OctokitOptions): Octokit {
  const lateCancel = afterGrace(cancel, CANCEL_GRACE_MS, clock)
  const apiUrl = new URL(environment.apiUrl)
  const silent = (): void => undefined
  return getOctokit(token, {
    baseUrl: apiUrl.href.replace(/\/$/, ''),
    userAgent: 'docs-agent-action',
    // The client's own log goes to the console, where its text could be read as a workflow command.
    log: { debug: silent, info: silent, warn: silent, error: silent },
    request: { fetch: gitHubFetch({ http, apiUrl, clock, random, cancel, lateCancel }) },
  })
}
