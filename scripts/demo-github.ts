import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** As much of GitHub as the demo's push needs: one comparison, on loopback. */
export type DemoGitHub = { readonly apiUrl: string; close(): Promise<void> }

const REPOSITORY = 'acme/brindle'
const BEFORE = '6dcb09b5b57875f334f61aebed695e2e4193db5e'
const AFTER = '762941318ee16e59dabbacb1b4049eec22f0d303'
const SUBJECT = 'Refuse an upgrade without a fresh snapshot'
const HTML_URL = `https://github.example/${REPOSITORY}`

const UPGRADE_PATCH = `@@ -12,6 +12,13 @@ export async function upgrade(project: Project, { force }: UpgradeOptions) {
   const current = await readVersion(project)
   if (current === LATEST) return report('Nothing to upgrade.')
 
+  const snapshot = await latestSnapshot(project)
+  if (!force && (snapshot === undefined || isOlderThan(snapshot, '1h'))) {
+    throw new UsageError(
+      'No snapshot of the last hour. Run "brindle snapshot" first, or pass --force.',
+    )
+  }
+
   await migrate(project, current, LATEST)
 }`
const OPTIONS_PATCH = `@@ -3,4 +3,6 @@ export type UpgradeOptions = {
   /** Print what would be done, and do nothing. */
   dryRun: boolean
+  /** Upgrade without a snapshot of the last hour. */
+  force: boolean
 }`

/** The payload of the push that starts the demo. */
export const PUSH_EVENT = {
  ref: 'refs/heads/main',
  before: BEFORE,
  after: AFTER,
  created: false,
  deleted: false,
  forced: false,
  compare: `${HTML_URL}/compare/${BEFORE.slice(0, 12)}...${AFTER.slice(0, 12)}`,
  repository: {
    id: 1,
    name: 'brindle',
    full_name: REPOSITORY,
    html_url: HTML_URL,
    owner: { login: 'acme', id: 2 },
    default_branch: 'main',
    fork: false,
  },
  sender: { login: 'mona', id: 3, type: 'User' },
  pusher: { name: 'mona' },
  head_commit: commit(),
  commits: [commit()],
}

/** Starts it. Whatever else is asked of it is answered 404. */
export async function startDemoGitHub(): Promise<DemoGitHub> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '').split('?', 1)[0] ?? '')
    const body = answers()[path]
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? { message: 'Not Found' }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    apiUrl: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answers(): Record<string, unknown> {
  const root = `/repos/${REPOSITORY}`
  return {
    [`${root}/commits/${AFTER}/pulls`]: [],
    [`${root}/compare/${BEFORE}...${AFTER}`]: {
      html_url: PUSH_EVENT.compare,
      status: 'ahead',
      ahead_by: 1,
      behind_by: 0,
      total_commits: 1,
      commits: [
        {
          sha: AFTER,
          html_url: `${HTML_URL}/commit/${AFTER}`,
          commit: { message: SUBJECT, author: { name: 'Mona', email: 'mona@example.com' } },
          author: { login: 'mona', id: 3, type: 'User' },
          parents: [{ sha: BEFORE }],
        },
      ],
      files: [
        changedFile('src/commands/upgrade.ts', UPGRADE_PATCH, { additions: 7 }),
        changedFile('src/options.ts', OPTIONS_PATCH, { additions: 2 }),
      ],
    },
  }
}

function changedFile(filename: string, patch: string, { additions }: { additions: number }): object {
  return { sha: AFTER, filename, status: 'modified', additions, deletions: 0, changes: additions, patch }
}

function commit(): object {
  return {
    id: AFTER,
    message: SUBJECT,
    timestamp: '2026-08-03T09:00:00Z',
    url: `${HTML_URL}/commit/${AFTER}`,
    author: { name: 'Mona', email: 'mona@example.com', username: 'mona' },
    added: [],
    removed: [],
    modified: ['src/commands/upgrade.ts', 'src/options.ts'],
    distinct: true,
  }
}
