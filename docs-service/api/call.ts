/** A call of the service's interface, as its path and method name it. */
export type Call =
  | { name: 'create'; projectId: string }
  | { name: 'look'; projectId: string; jobId: string }
  | { name: 'message'; projectId: string; jobId: string }
  | { name: 'visitors'; projectId: string }

/** The name of a call. */
export type CallName = Call['name']

/** Tells which call a request is; `undefined` if it is none. Path segments are percent-decoded. */
export function callOf(method: string, path: string): Call | undefined {
  const [, version, area, projectId, kind, jobId, action, ...rest] = decodedSegments(path) ?? []
  if (!projectId || rest.length > 0) return undefined
  const route = `${method} ${version}/${area}/${kind}`
  if (route === 'GET v1/analytics/visitors' && jobId === undefined) return { name: 'visitors', projectId }
  if (route === 'POST v2/agent/job' && jobId === undefined) return { name: 'create', projectId }
  if (!jobId) return undefined
  if (route === 'GET v2/agent/job' && action === undefined) return { name: 'look', projectId, jobId }
  if (route === 'POST v2/agent/job' && action === 'message') return { name: 'message', projectId, jobId }
  return undefined
}

function decodedSegments(path: string): string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}
