import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createProxy, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The address that the action has when `base-url` is not given. */
const SERVICE_HOST = 'api.mintlify.com'

/**
 * The only way out of a workflow's machine: a proxy behind which the docs service's real name leads to the embedded
 * one. So an example runs as it stands, and the action as it is released, with the address that both have.
 */
export type WayOut = {
  /** For `HTTPS_PROXY`. */
  readonly proxyUrl: string
  /** For `NODE_EXTRA_CA_CERTS`: who signed the stand-in's certificate. */
  readonly authorityFile: string
  /** Hosts that were asked for and refused, with their ports. */
  readonly refused: readonly string[]
  close(): Promise<void>
}

/** Opens a way out that leads to a docs service on loopback. Needs `openssl`. */
export async function openWayOut(serviceUrl: string): Promise<WayOut> {
  const folder = mkdtempSync(join(tmpdir(), 'way-out-'))
  const { key, cert, authorityFile } = makeCertificates(folder)
  const refused: string[] = []

  const service = createTlsServer({ key, cert }, (incoming, response) =>
    passOn(incoming, response, serviceUrl),
  )
  const proxy = createProxy((_request, response) => response.writeHead(501).end())
  proxy.on('connect', (asked, socket) => {
    socket.on('error', () => socket.destroy())
    if (asked.url === `${SERVICE_HOST}:443`) {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      service.emit('connection', socket)
    } else {
      refused.push(asked.url ?? '')
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
    }
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const { port } = proxy.address() as AddressInfo

  return {
    proxyUrl: `http://127.0.0.1:${port}`,
    authorityFile,
    refused,
    async close() {
      service.closeAllConnections()
      proxy.closeAllConnections()
      proxy.close()
      await once(proxy, 'close')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function passOn(incoming: IncomingMessage, response: ServerResponse, serviceUrl: string): void {
  const { method, headers } = incoming
  const onward = request(new URL(incoming.url ?? '/', serviceUrl), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  incoming.pipe(onward)
}

function makeCertificates(folder: string): { key: Buffer; cert: Buffer; authorityFile: string } {
  const file = (name: string): string => join(folder, name)
  writeFileSync(
    file('authority.cnf'),
    '[req]\ndistinguished_name=dn\nx509_extensions=ext\nprompt=no\n[dn]\nCN=Examples\n[ext]\nbasicConstraints=critical,CA:true\n',
  )
  writeFileSync(file('extensions.cnf'), `subjectAltName=DNS:${SERVICE_HOST}\n`)
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    ['req', '-x509', ...curve, '-days', '2', '-config', file('authority.cnf')],
    ['-keyout', file('authority.key'), '-out', file('authority.crt')],
  )
  openssl(
    ['req', ...curve, '-config', file('authority.cnf'), '-subj', `/CN=${SERVICE_HOST}`],
    ['-keyout', file('service.key'), '-out', file('service.csr')],
  )
  openssl(
    [
      'x509',
      '-req',
      '-in',
      file('service.csr'),
      '-CA',
      file('authority.crt'),
      '-CAkey',
      file('authority.key'),
    ],
    ['-CAcreateserial', '-days', '2', '-extfile', file('extensions.cnf'), '-out', file('service.crt')],
  )
  return {
    key: readFileSync(file('service.key')),
    cert: readFileSync(file('service.crt')),
    authorityFile: file('authority.crt'),
  }
}

function openssl(...args: readonly (readonly string[])[]): void {
  execFileSync('openssl', args.flat(), { stdio: ['ignore', 'ignore', 'pipe'] })
}
