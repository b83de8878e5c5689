import { isLoopbackHost } from '../lib/transport.ts'
import type { GitHub } from './client.ts'

/** The path of a pull request (GitHub, Gitea, Bitbucket, Azure) or a merge request (GitLab). */
const PULL_REQUEST_PATH =
  /^\/(.+?)\/(?:-\/)?(?:pull|pulls|pull-requests|pullrequest|merge_requests)\/(\d+)(?:\/|$)/

/**
 * Reads the URL of a pull request or merge request.
 *
 * @returns `number`: empty if the URL has none; `name`: short, such as `acme/docs#12`, with the host before it unless that
 * is well known, or the URL's host and path where that form is not known
 */
export function parsePullRequest(prLink: string) {
  const url = URL.parse(prLink)
  if (url === null) return { number: '', name: prLink, project: '' }
  const { host, hostname, pathname } = url
  const [, project = '', number = ''] = PULL_REQUEST_PATH.exec(pathname) ?? []
  if (number === '') return { number, name: `${host}${pathname}`, project }
  // Any other host could pass for one of these.
  const isKnown = ['github.com', 'gitlab.com', 'bitbucket.org'].includes(hostname) || isLoopbackHost(hostname)
  const mark = pathname.includes('/merge_requests/') ? '!' : '#'
  return { number, name: `${isKnown ? '' : `${host}/`}${project}${mark}${number}`, project }
}

/** GitHub's numbers are GraphQL integers. */
const MAX_NUMBER = 2 ** 31 - 1

/** A pull request of this GitHub; `undefined` if the link is none. `repository`: `owner/name`. */
export function locatePullRequest(prLink: string, { serverUrl }: Pick<GitHub, 'serverUrl'>) {
  if (URL.parse(prLink)?.origin !== URL.parse(serverUrl)?.origin) return undefined
  const { project, number } = parsePullRequest(prLink)
  const [, owner, repo] = /^([\w.-]+)\/([\w.-]+)$/.exec(project) ?? []
  if (!owner || !repo || Number(number) > MAX_NUMBER) return undefined
  return { owner, repo, repository: project, number: Number(number) }
}
