const ROUTES = [
  { name: 'create', method: 'POST', path: /^\/v2\/agent\/([^/]+)\/job$/ },
  { name: 'look', method: 'GET', path: /^\/v2\/agent\/([^/]+)\/job\/([^/]+)$/ },
  { name: 'message', method: 'POST', path: /^\/v2\/agent\/([^/]+)\/job\/([^/]+)\/message$/ },
  { name: 'visitors', method: 'GET', path: /^\/v1\/analytics\/([^/]+)\/visitors$/ },
  { name: 'views', method: 'GET', path: /^\/v1\/analytics\/([^/]+)\/views$/ },
  { name: 'feedback', method: 'GET', path: /^\/v1\/analytics\/([^/]+)\/feedback\/by-page$/ },
  { name: 'searches', method: 'GET', path: /^\/v1\/analytics\/([^/]+)\/searches$/ },
  { name: 'assistant', method: 'GET', path: /^\/v1\/analytics\/([^/]+)\/assistant$/ },
] as const

/** The calls of the service's interface. */
export const CALL_NAMES = ROUTES.map(({ name }) => name)

export type CallName = (typeof ROUTES)[number]['name']

/** A call, with its path's parameters decoded; `jobId` is empty where the path has none. */
export type Call = { readonly name: CallName; readonly projectId: string; readonly jobId: string }

/** Which call a request is; `undefined` if it is none. */
export function callOf(method: string, path: string): Call | undefined {
  for (const route of ROUTES) {
    const [, projectId = '', jobId = ''] = route.path.exec(path) ?? []
    if (route.method !== method || projectId === '') continue
    try {
      return {
        name: route.name,
        projectId: decodeURIComponent(projectId),
        jobId: decodeURIComponent(jobId),
      }
    } catch {
      return undefined
    }
  }
  return undefined
}
