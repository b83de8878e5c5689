import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { restEndpointMethods } from '@octokit/plugin-rest-endpoint-methods'

/** GitHub's client, as `@actions/github` puts it together, but without the HTTP library that comes with that. */
export const GitHubClient = Octokit.plugin(restEndpointMethods, paginateRest)
