import type { PullRequestState } from '../github/pull-requests.ts'
import { isLoopbackHost } from '../lib/loopback.ts'

/** The pull request of a job that a new job takes over from. */
export type EarlierPullRequest = { readonly prLink: string; readonly state: PullRequestState }

/**
 * The number of a pull request (GitHub) or merge request (GitLab), from its URL.
 *
 * @returns digits; empty if the URL has none
 */
export function pullRequestNumber(prLink: string | null): string {
  const path = URL.parse(prLink ?? '')?.pathname ?? ''
  return /\/(?:pull|pulls|pull-requests|merge_requests|pullrequest)\/(\d+)(?:\/|$)/.exec(path)?.[1] ?? ''
}

/**
 * A short name for a pull request: `acme/docs#12`, with the host before it unless that is well known, or the URL's host
 * and path where that form is not known.
 */
export function pullRequestName(prLink: string): string {
  const url = URL.parse(prLink)
  const number = pullRequestNumber(prLink)
  const project = /^\/(.+?)\/(?:-\/)?(?:pull|pulls|pull-requests|merge_requests|pullrequest)\//.exec(
    url?.pathname ?? '',
  )?.[1]
  if (url === null) return prLink
  if (number === '' || project === undefined) return `${url.host}${url.pathname}`
  const host = isWellKnown(url) ? '' : `${url.host}/`
  return `${host}${project}${url.pathname.includes('/merge_requests/') ? '!' : '#'}${number}`
}

/** Whether a host needs no naming; any other could pass for one of these. */
function isWellKnown({ hostname }: URL): boolean {
  return ['github.com', 'gitlab.com', 'bitbucket.org'].includes(hostname) || isLoopbackHost(hostname)
}
