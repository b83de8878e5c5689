import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { GIT_LIMITS, type GitSource, readGitDiff } from '../../src/changes/git-diff.ts'
import type { ChangedFile } from '../../src/changes/ranks.ts'
import type { Certificate } from '../support/certificate.ts'
import { type GitFiles, gitBackend, makeRepository } from '../support/git-server.ts'
import { TestServers } from '../support/http-servers.ts'

type Options = {
  readonly source?: Partial<GitSource>
  readonly ends?: { readonly base?: string; readonly head?: string }
  readonly choose?: (files: readonly ChangedFile[]) => readonly ChangedFile[]
  readonly limits?: Partial<typeof GIT_LIMITS>
  /** Answers in place of the server of the repository. */
  readonly answer?: (backend: RequestListener) => RequestListener
  readonly certificate?: Certificate
  /** Adds a commit to the repository, and returns its SHA. */
  readonly addCommit?: (repository: string) => string
}

/** Makes a folder for one test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'git-diff-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Reads the last commit of a repository with these commits, from a server of its own. */
export async function readChange(commits: readonly GitFiles[], options: Options = {}) {
  const { answer = (backend) => backend, choose = (files) => files, certificate } = options
  const [root, folder] = [makeFolder(), makeFolder()]
  const repository = join(root, 'docs')
  const shas = makeRepository(repository, commits)
  if (options.addCommit) shas.push(options.addCommit(repository))
  const [head = '', base = ''] = shas.toReversed()
  const server = await new TestServers().start(answer(gitBackend(root)), certificate)
  const source = { url: `${server.origin}/docs`, token: '', folder, env: process.env }
  const diff = await readGitDiff(
    { ...source, ...options.source },
    { base, head, ...options.ends },
    choose,
    { ...GIT_LIMITS, ...options.limits },
  )
  const posts = server.requests.filter((request) => request.startsWith('POST '))
  return { ...diff, posts, left: readdirSync(folder) }
}
