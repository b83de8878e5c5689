import { tmpdir } from 'node:os'

/** What the runner says of a step, read once. */
export type Environment = Readonly<ReturnType<typeof readEnvironment>>

/**
 * Reads the environment: the only place that does. A text is empty where the runner does not set it.
 * Source: GitHub's documentation, "Variables reference".
 */
export function readEnvironment(env: NodeJS.ProcessEnv) {
  const read = (name: string): string => env[name] ?? ''
  const either = (name: string): string => env[name.toLowerCase()] ?? read(name)
  return {
    /** Inputs by name, as they were given. A missing entry was not given at all. */
    inputs: withPrefix(env, 'INPUT_'),
    /** State that this step's main part saved for its post part, by name. */
    state: withPrefix(env, 'STATE_'),
    workspace: read('GITHUB_WORKSPACE') || process.cwd(),
    /** A folder that the runner empties after each workflow job. */
    tempFolder: read('RUNNER_TEMP') || tmpdir(),
    summaryPath: read('GITHUB_STEP_SUMMARY'),
    eventName: read('GITHUB_EVENT_NAME'),
    eventPath: read('GITHUB_EVENT_PATH'),
    repository: read('GITHUB_REPOSITORY'),
    actor: read('GITHUB_ACTOR'),
    workflow: read('GITHUB_WORKFLOW'),
    /** Path of the workflow's file and its ref: `acme/docs/.github/workflows/weekly.yml@refs/heads/main`. */
    workflowRef: read('GITHUB_WORKFLOW_REF'),
    job: read('GITHUB_JOB'),
    action: read('GITHUB_ACTION'),
    ref: read('GITHUB_REF'),
    sha: read('GITHUB_SHA'),
    runId: read('GITHUB_RUN_ID'),
    runAttempt: read('GITHUB_RUN_ATTEMPT'),
    serverUrl: read('GITHUB_SERVER_URL') || 'https://github.com',
    apiUrl: read('GITHUB_API_URL') || 'https://api.github.com',
    proxy: {
      httpsProxy: withScheme(either('HTTPS_PROXY')),
      httpProxy: withScheme(either('HTTP_PROXY')),
      noProxy: either('NO_PROXY'),
    },
  }
}

/** A proxy may be given as `HOST:PORT`, as curl takes it. */
function withScheme(proxy: string): string {
  return proxy === '' || proxy.includes('://') ? proxy : `http://${proxy}`
}

function withPrefix(env: NodeJS.ProcessEnv, prefix: string) {
  const found = Object.entries(env).filter(([name]) => name.startsWith(prefix))
  return new Map(
    found.map(([name, value]) => [name.slice(prefix.length).toLowerCase(), value ?? '']),
  )
}

/** Whether this run has been started again by hand. */
export function isRerun({ runAttempt }: Environment): boolean {
  return Number(runAttempt) > 1
}

/** What tells one step from another; the workflow's file stays the same when the workflow is renamed. */
export function stepNames({ workflowRef, workflow, job, action: step }: Environment) {
  const file = /^[^/]+\/[^/]+\/(?:\.github\/workflows\/)?(.+?)@/.exec(workflowRef)?.[1]
  return { workflow: file ?? workflow, job, step }
}

/** URL of the workflow run; empty outside of one. */
export function runUrlOf({ serverUrl, repository, runId }: Environment): string {
  return runId === '' ? '' : `${serverUrl}/${repository}/actions/runs/${runId}`
}

/** URL of this attempt of the workflow run; empty outside of one. */
export function attemptUrlOf(environment: Environment): string {
  const url = runUrlOf(environment)
  return url && `${url}/attempts/${environment.runAttempt || 1}`
}

/** The run and attempt of this repository that a page belongs to; `undefined` if it is another page. */
export function attemptIn(url: string, { serverUrl, repository }: Environment) {
  const prefix = `${serverUrl}/${repository}/actions/runs/`
  const path = url.startsWith(prefix) ? url.slice(prefix.length) : ''
  const [, runId, attempt = '1'] = /^(\d+)(?:\/attempts\/(\d+))?/.exec(path) ?? []
  return runId === undefined ? undefined : { runId, attempt }
}
