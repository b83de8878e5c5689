import { execFileSync, spawn } from 'node:child_process'
import type { IncomingMessage, RequestListener } from 'node:http'

/** A text or bytes, or an entry with another mode: for a submodule, the text is its commit. */
type GitFile = string | Buffer | { readonly mode: string; readonly text: string }
export type GitFiles = Readonly<Record<string, GitFile>>

/** Makes a repository of git with one commit for each list of files. @returns the SHAs of the commits */
export function makeRepository(folder: string, commits: readonly GitFiles[]): string[] {
  const parts = commits.flatMap((files, index) => [
    `commit refs/heads/main\nmark :${index + 1}\ncommitter Ada <ada@acme.example> 0 +0000\ndata 0\n`,
    'deleteall\n',
    ...Object.entries(files).flatMap(([path, file]) => entryOf(JSON.stringify(path), file)),
    `get-mark :${index + 1}\n`,
  ])
  const git = ['-C', folder, '-c', 'safe.directory=*']
  execFileSync('git', ['init', '--quiet', '--bare', folder])
  const input = Buffer.concat(parts.map((part) => Buffer.from(part)))
  const shas = execFileSync('git', [...git, 'fast-import', '--quiet'], { input })
  return shas.toString().trim().split('\n')
}

function entryOf(path: string, file: GitFile): (string | Buffer)[] {
  if (typeof file === 'string' || Buffer.isBuffer(file))
    return [`M 100644 inline ${path}\ndata ${Buffer.byteLength(file)}\n`, file, '\n']
  const { mode, text } = file
  if (mode === '160000') return [`M 160000 ${text} ${path}\n`]
  return [`M ${mode} inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`]
}

/** Answers as a server of the git repositories in a folder, by git's own `http-backend`. */
export function gitBackend(folder: string): RequestListener {
  const settings = ['safe.directory=*', 'uploadpack.allowFilter=true']
  const args = [...settings.flatMap((setting) => ['-c', setting]), 'http-backend']
  return (incoming, response) => {
    const env = { PATH: process.env['PATH'], HOME: folder, ...cgiVariables(incoming, folder) }
    const child = spawn('git', args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
    incoming.pipe(child.stdin).on('error', () => undefined)
    response.on('close', () => child.kill())
    let head = Buffer.alloc(0)
    child.stdout.on('data', function read(chunk: Buffer) {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      const lines = head.subarray(0, end).toString().split('\r\n')
      const fields = lines.map((line) => line.split(': '))
      const { Status = '200', ...headers } = Object.fromEntries(fields)
      response.writeHead(Number.parseInt(Status, 10), headers)
      response.write(head.subarray(end + 4))
      child.stdout.off('data', read).pipe(response)
    })
  }
}

function cgiVariables({ method, url = '', headers }: IncomingMessage, folder: string) {
  const [path, query] = url.split('?')
  return {
    GIT_PROJECT_ROOT: folder,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_PROTOCOL: headers['git-protocol']?.toString(),
    HTTP_CONTENT_ENCODING: headers['content-encoding'],
    REQUEST_METHOD: method,
    CONTENT_TYPE: headers['content-type'],
    PATH_INFO: path,
    QUERY_STRING: query,
  }
}
