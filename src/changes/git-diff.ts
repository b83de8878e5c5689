import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import { isSha } from '../event/event.ts'
import { errorCode, errorMessage } from '../lib/text.ts'
import type { ChangedFile } from './ranks.ts'

/** Where git finds a repository, and the runner's environment. */
export type GitSource = {
  /** On the server's own address, such as `https://github.com/acme/docs`. */
  readonly url: string
  /** Empty if none is needed. */
  readonly token: string
  /** An existing folder for temporary files. */
  readonly folder: string
  /** The runner's environment, of which git gets the variables for programs, proxies, and certificates. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cancel?: AbortSignal
}

/** `files`: `undefined` if even the names are missing. `problem`: why something is missing. */
type GitDiff = {
  readonly files: readonly ChangedFile[] | undefined
  readonly problem?: string | undefined
}

/** `diffs`: how many files can have one. */
export const GIT_LIMITS = { timeMs: 120_000, output: 2 ** 26, diffs: 600 }
/** A longer text is data. */
const MAX_FILE_BYTES = 512 * 1024
/** Windows allows 32,767 characters in a command. */
const MAX_SHAS = 500
/** Of one allocation, so that a list ends at a million files: a few folders in each other can name a billion. */
const LIST_MEMORY = { GIT_ALLOC_LIMIT: '8m' }
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const LIST = ['diff-tree', '-r', '-z', '--raw', '--find-renames=100%', '--end-of-options']
/** Before 2.28, git fetches with a filter only from a remote that has promised the rest. */
const FETCH = [
  '-c',
  'remote.origin.promisor=true',
  'fetch',
  '--quiet',
  '--no-tags',
  '--filter=blob:none',
]

/**
 * Reads the changes between two commits: all files, and the diffs of those that are chosen. Git fetches both commits without
 * texts, and then the texts of the chosen files. The files aren't checked out.
 *
 * @param base empty if the head is the first commit
 * @param choose the files whose diffs are wanted, the most important first
 */
export async function readGitDiff(
  source: GitSource,
  { base, head }: Readonly<Record<'base' | 'head', string>>,
  choose: (files: readonly ChangedFile[]) => readonly ChangedFile[],
  limits = GIT_LIMITS,
): Promise<GitDiff> {
  let files: readonly ChangedFile[] | undefined
  let directory = ''
  try {
    const commits = [base || head, head]
    if (!commits.every(isSha)) throw new Error('git needs the SHAs of commits')
    directory = await mkdtemp(join(source.folder, 'docs-agent-'))
    const git = await openGit(source, directory, limits)
    await git.run(['init', '--quiet', '--bare', '--template='])
    await git.run([...FETCH, '--depth=1', '--end-of-options', 'origin', ...commits])
    const changes = readNames(await git.run([...LIST, base || EMPTY_TREE, head]))
    files = changes.map(({ file }) => file)
    const byPath = new Map(changes.map((change) => [change.file.path, change]))
    const wanted = choose(files)
      .flatMap(({ path }) => byPath.get(path) ?? [])
      .filter(({ file }) => file.patch === undefined && file.status !== 'changed')
      .toSorted(
        (one, other) =>
          Number(one.file.status === 'removed') - Number(other.file.status === 'removed'),
      )
    const { shown, problem } = await readDiffs(wanted.slice(0, limits.diffs), git)
    files = files.flatMap((file) => shown.get(file.path) ?? file)
    return { files, problem }
  } catch (error) {
    return { files, problem: errorMessage(error) }
  } finally {
    if (directory !== '')
      await rm(directory, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
  }
}

/** `sides`: before and after the change, mode, type, and SHA as in a folder of git; empty if there is no file. */
type Change = { readonly file: ChangedFile; readonly sides: readonly string[] }

/** `:MODE MODE SHA SHA STATUS`, with a path, or with both paths of a renamed file. */
const RECORD = /:(\d+) (\d+) (\w+) (\w+) (?:R\d+\0([^\0]*)|(\w))\0([^\0]*)\0/gy
const STATUSES: Readonly<Record<string, string>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
}

/** Reads git's list of changed files. */
function readNames(output: string): Change[] {
  return Array.from(output.matchAll(RECORD), (fields) => {
    const [, oldMode, mode, oldSha, sha, from, letter = 'R', path = ''] = fields
    // If the text is the same, only the path or the mode has changed.
    const [lines, patch] = oldSha === sha ? [0, ''] : []
    return {
      file: {
        status: STATUSES[letter] ?? 'changed',
        path,
        oldPath: from ?? path,
        added: lines,
        removed: lines,
        patch,
      },
      sides: [sideOf(oldMode, oldSha), sideOf(mode, sha)],
    }
  })
}

function sideOf(mode = '', sha = ''): string {
  return isSha(sha) ? `${mode} ${mode === '160000' ? 'commit' : 'blob'} ${sha}` : ''
}

/** Numbers of four digits are listed in their order. */
const FIRST = 1000
const PATCH = '\ndiff --git '

/** Reads the diffs of changes. `shown`: what takes the place of a path in the list. */
async function readDiffs(wanted: readonly Change[], git: Awaited<ReturnType<typeof openGit>>) {
  const textsOf = ({ sides }: Change): string[] => sides.join(' ').match(/(?<=blob )\w+/g) ?? []
  const texts = [...new Set(wanted.flatMap(textsOf))]
  for (let at = 0; at < texts.length; at += MAX_SHAS)
    await git.run([...FETCH, '--end-of-options', 'origin', ...texts.slice(at, at + MAX_SHAS)])
  const listed = await git.run(['cat-file', '--batch-check=%(objectsize)'], texts.join('\n'))
  const sizes = listed.split('\n')
  const small = new Set(texts.filter((_, index) => Number(sizes[index]) <= MAX_FILE_BYTES))
  const changes = wanted.filter((change) => textsOf(change).every((sha) => small.has(sha)))
  // In two folders, numbers are the names of the files, so that no path is an argument or part of a patch.
  const folders = [0, 1].map((side) => {
    const entries = changes.map(
      ({ sides }, index) => sides[side] && `${sides[side]}\t${FIRST + index}\n`,
    )
    return `${entries.join('')}\n`
  })
  const made = await git.run(['mktree', '--batch', '--missing'], folders.join(''))
  const diff = ['diff-tree', '-p', '--find-renames', ...made.trim().split('\n')]
  const problem = await git.run(diff).then(() => undefined, errorMessage)
  // If git was stopped, the last patch isn't whole.
  const output = `\n${git.output}`
  const patches = output.slice(0, problem === undefined ? -1 : output.lastIndexOf(PATCH))
  return { shown: readPatches(patches, changes), problem }
}

/** Reads the patches of numbered files. A removed file can be the old path of another one. */
function readPatches(patches: string, changes: readonly Change[]) {
  const shown = new Map<string, ChangedFile | readonly never[]>()
  for (const text of patches.split(PATCH).slice(1)) {
    const [, from, to] = /^a\/(\d{4}) b\/(\d{4})\n/.exec(text) ?? []
    const [old, file] = [from, to].map((number) => changes[Number(number) - FIRST]?.file)
    const start = `${text}\n@@`.indexOf('\n@@')
    if (!old || !file || text.slice(0, start).includes('\nBinary files ')) continue
    const patch = text.slice(start + 1)
    const [added, removed] = ['\n+', '\n-'].map((sign) => patch.split(sign).length - 1)
    const renamed = old !== file && { status: 'renamed', oldPath: old.path }
    shown.set(old.path, [])
    shown.set(file.path, { ...file, ...renamed, added, removed, patch })
  }
  return shown
}

/** Prepares git for a folder, with a deadline for all commands. */
async function openGit(source: GitSource, directory: string, limits: typeof GIT_LIMITS) {
  const env = await environmentFor(source, directory)
  const deadline = AbortSignal.timeout(limits.timeMs)
  const signal = AbortSignal.any([deadline, source.cancel ?? deadline])
  const git = {
    /** What the last command wrote. */
    output: '',
    /** Runs a command. @throws if it fails or is stopped */
    async run(args: readonly string[], input = ''): Promise<string> {
      // A fetch with a filter adds settings, by which git would fetch each missing text by itself.
      await writeFile(join(directory, 'config'), settingsFor(source.url))
      const child = spawn('git', args, {
        cwd: directory,
        env: { ...env, ...(args.includes('--raw') && LIST_MEMORY) },
        // As a group, a command can be stopped with all that it has started.
        detached: true,
      })
      child
        .on('error', () => undefined)
        .stdin.on('error', () => undefined)
        .end(input)
      let errors = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        errors = `${errors}${text}`.slice(0, 4096)
      })
      git.output = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        git.output += text
        if (git.output.length > limits.output) stopChild(child)
      })
      try {
        const [code] = await once(child, 'close', { signal })
        if (code === 0 && git.output.length <= limits.output) return git.output
        throw new Error(
          /^(?:fatal|error): (.{1,300})/m.exec(errors)?.[1] ??
            'it was stopped, by the system or because it wrote too much',
        )
      } catch (error) {
        stopChild(child)
        let reason = errorMessage(error)
        if (errorCode(error) === 'ENOENT') reason = "it isn't installed on the runner"
        if (deadline.aborted) reason = `it took longer than ${limits.timeMs / 1000} s`
        throw new Error(`git failed: ${reason}`)
      }
    },
  }
  return git
}

function stopChild(child: ChildProcess): void {
  try {
    process.kill(-Number(child.pid), 'SIGKILL')
  } catch {
    // Windows has no such groups. Its helpers stop after their connections have been idle.
    child.kill()
  }
}

/** Variables of the runner that git gets. */
const PASSED = /^(?:PATH|(?:https?|no)_proxy|SSL_CERT_(?:FILE|DIR)|GIT_SSL_CA(?:INFO|PATH))$/i

/** Makes git's environment. From it alone, git has the token: no argument and no file contains it. */
async function environmentFor({ url, token, env }: GitSource, directory: string) {
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64')
  const certificates = env['NODE_EXTRA_CA_CERTS'] && join(directory, 'certificates.pem')
  // With a file, git doesn't trust the certificates that it usually trusts.
  if (certificates) await writeFile(certificates, getCACertificates('default').join('\n'))
  return {
    // curl reads this one in lower case only.
    http_proxy: env['HTTP_PROXY'],
    ...Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name))),
    ...(certificates && { GIT_SSL_CAINFO: certificates }),
    GIT_DIR: directory,
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    // The variables that git documents for settings need git 2.31.
    ...(token !== '' && {
      GIT_CONFIG_PARAMETERS: `'http.${new URL(url).origin}/.extraHeader=AUTHORIZATION: basic ${basic}'`,
    }),
  }
}

function settingsFor(url: string): string {
  return `[core]
	repositoryFormatVersion = 0
	bare = true
	bigFileThreshold = 512k
[http]
	followRedirects = false
	lowSpeedLimit = 1000
	lowSpeedTime = 30
[protocol]
	version = 2
[gc]
	auto = 0
[maintenance]
	auto = false
[remote "origin"]
	url = "${new URL(url).href}"
`
}
