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
 * A short name for a pull request: `acme/docs#12`, or the URL's host and path where that form is not known.
 */
export function pullRequestName(prLink: string): string {
  const url = URL.parse(prLink)
  const number = pullRequestNumber(prLink)
  const project = /^\/(.+?)\/(?:-\/)?(?:pull|pulls|pull-requests|merge_requests|pullrequest)\//.exec(
    url?.pathname ?? '',
  )?.[1]
  if (url === null) return prLink
  if (number === '' || project === undefined) return `${url.host}${url.pathname}`
  return url.pathname.includes('/merge_requests/') ? `${project}!${number}` : `${project}#${number}`
}
