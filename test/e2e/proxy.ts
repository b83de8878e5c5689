import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The only way from a workflow's steps to the network: a proxy that maps the names of real hosts to loopback servers.
 * So a workflow runs as it stands, with the addresses that its tools have by default.
 */
export type HostProxy = {
  /** For `HTTPS_PROXY`. */
  readonly url: string
  /** PEM file of the authority that signed the hosts' certificate. */
  readonly authorityFile: string
  /** `host:port` of every other host that a step tried to reach. */
  readonly refused: readonly string[]
  close(): Promise<void>
}

/** URL of a loopback server by the host name that it stands for. */
export type Hosts = Readonly<Record<string, string>>

/**
 * Starts the proxy. Needs `openssl`.
 *
 * @param hosts the hosts that exist
 * @param rewrite maps the text of every answer, such as the links in it
 */
export async function startHostProxy(hosts: Hosts, rewrite: (body: string) => string): Promise<HostProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'host-proxy-'))
  const { key, cert, authorityFile } = makeCertificates(folder, Object.keys(hosts))
  const refused: string[] = []

  const server = createTlsServer({ key, cert }, (incoming, response) => {
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
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const address = proxy.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${address.port}`,
    authorityFile,
    refused,
    async close() {
      server.closeAllConnections()
      proxy.closeAllConnections()
      proxy.close()
      await once(proxy, 'close')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Target = { readonly target: string; readonly rewrite: (body: string) => string }

function forward(incoming: IncomingMessage, response: ServerResponse, { target, rewrite }: Target): void {
  const { method, headers, url = '/' } = incoming
  const onward = request(new URL(url, target), { method, headers }, async (answer) => {
    let body = ''
    for await (const chunk of answer.setEncoding('utf8')) body += chunk
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...answerHeaders } = answer.headers
    response.writeHead(answer.statusCode ?? 502, answerHeaders).end(rewrite(body))
  })
  onward.on('error', () => response.destroy())
  incoming.pipe(onward)
}

function makeCertificates(folder: string, hosts: readonly string[]): HostCertificate {
  const file = (name: string): string => join(folder, name)
  writeFileSync(
    file('authority.cnf'),
    '[req]\ndistinguished_name=dn\nx509_extensions=ext\nprompt=no\n[dn]\nCN=Examples\n[ext]\nbasicConstraints=critical,CA:true\n',
  )
  writeFileSync(file('extensions.cnf'), `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}\n`)
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl([
    ...['req', '-x509', ...curve, '-days', '2', '-config', file('authority.cnf')],
    ...['-keyout', file('authority.key'), '-out', file('authority.crt')],
  ])
  openssl([
    ...['req', ...curve, '-config', file('authority.cnf'), '-subj', '/CN=host'],
    ...['-keyout', file('host.key'), '-out', file('host.csr')],
  ])
  openssl([
    ...[
      'x509',
      '-req',
      '-in',
      file('host.csr'),
      '-CA',
      file('authority.crt'),
      '-CAkey',
      file('authority.key'),
    ],
    ...['-CAcreateserial', '-days', '2', '-extfile', file('extensions.cnf'), '-out', file('host.crt')],
  ])
  return {
    key: readFileSync(file('host.key')),
    cert: readFileSync(file('host.crt')),
    authorityFile: file('authority.crt'),
  }
}

type HostCertificate = { readonly key: Buffer; readonly cert: Buffer; readonly authorityFile: string }

function openssl(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
