import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/**
 * Starts the only way from a workflow's steps to the network: a proxy that maps the names of real hosts to loopback
 * servers. So a workflow runs as it stands, with the addresses that its tools have by default. Needs `openssl`.
 *
 * @param hosts URL of a loopback server by the host name that it stands for
 * @param rewrite maps the text of every answer, such as the links in it
 */
export async function startHostProxy(
  hosts: Readonly<Record<string, string>>,
  rewrite: (body: string) => string,
) {
  const folder = mkdtempSync(join(tmpdir(), 'host-proxy-'))
  const authorityFile = join(folder, 'authority.crt')
  const refused: string[] = []

  const server = createTlsServer(makeCertificate(folder, Object.keys(hosts)), (incoming, response) => {
    const target = hosts[incoming.headers.host ?? '']
    if (target === undefined) response.writeHead(421).end()
    else forward(incoming, response, { target, rewrite })
  })
  const proxy = createServer((_request, response) => response.writeHead(501).end())
  proxy.on('connect', ({ url = '' }, socket) => {
    socket.on('error', () => socket.destroy())
    const [host = '', port] = url.split(':')
    if (port === '443' && hosts[host] !== undefined) {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      server.emit('connection', socket)
    } else {
      refused.push(url)
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
    }
  })
  const { url, close } = await listen(proxy)
  return {
    url,
    /** PEM file of the authority that signed the hosts' certificate. */
    authorityFile,
    /** `host:port` of every other host that a step tried to reach. */
    refused: refused as readonly string[],
    async close() {
      server.closeAllConnections()
      await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts a server that keeps the requests that it is sent, as `POST /path`. What it answers is JSON. */
export async function startServer(
  answer: (body: Readonly<Record<string, unknown>>, line: string) => unknown,
  statusOf = (_line: string): number => 200,
) {
  const requests: { readonly line: string; readonly body: Readonly<Record<string, unknown>> }[] = []
  const server = createServer(async (incoming, response) => {
    const sent = await text(incoming)
    const line = `${incoming.method} ${incoming.url?.split('?')[0]}`
    const body = sent === '' ? {} : JSON.parse(sent)
    requests.push({ line, body })
    response.writeHead(statusOf(line), { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer(body, line)))
  })
  return { ...(await listen(server)), requests }
}

async function listen(server: Server) {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

type Target = { readonly target: string; readonly rewrite: (body: string) => string }

function forward(incoming: IncomingMessage, response: ServerResponse, { target, rewrite }: Target): void {
  const { method, headers, url = '/' } = incoming
  const onward = request(new URL(url, target), { method, headers }, async (answer) => {
    const body = await text(answer)
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...answerHeaders } = answer.headers
    response.writeHead(answer.statusCode ?? 502, answerHeaders).end(rewrite(body))
  })
  onward.on('error', () => response.destroy())
  incoming.pipe(onward)
}

/** A certificate for hosts, and `authority.crt` beside it. */
function makeCertificate(folder: string, hosts: readonly string[]) {
  const ca = '[req]\ndistinguished_name=dn\nx509_extensions=ext\nprompt=no\n[dn]\nCN=Examples\n'
  writeFileSync(join(folder, 'ca.cnf'), `${ca}[ext]\nbasicConstraints=critical,CA:true\n`)
  writeFileSync(join(folder, 'hosts.cnf'), `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}\n`)
  const curve = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -config ca.cnf'
  for (const command of [
    `req -x509 ${curve} -days 2 -keyout authority.key -out authority.crt`,
    `req ${curve} -subj /CN=host -keyout host.key -out host.csr`,
    'x509 -req -in host.csr -CA authority.crt -CAkey authority.key -CAcreateserial -days 2 -extfile hosts.cnf -out host.crt',
  ]) {
    execFileSync('openssl', command.split(' '), { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  }
  return { key: readFileSync(join(folder, 'host.key')), cert: readFileSync(join(folder, 'host.crt')) }
}
