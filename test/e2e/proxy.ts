import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { listen } from '../../docs-service/http.ts'
import { selfSignedCertificate } from '../support/certificate.ts'
import type { Fields } from '../support/json.ts'

/**
 * Starts the only way from a workflow's steps to the network: a proxy that maps the names of real hosts to loopback
 * servers. So a workflow runs as it stands, with the addresses that its tools have by default. Needs `openssl`.
 *
 * @param hosts URL of a loopback server by the host name that it stands for
 * @param rewrite maps the text of every answer, such as the links in it
 */
export async function startHostProxy(
  hosts: Readonly<Record<string, string>>,
  rewrite = (body: string): string => body,
) {
  const certificate = selfSignedCertificate(Object.keys(hosts).map((host) => `DNS:${host}`))
  const folder = mkdtempSync(join(tmpdir(), 'host-proxy-'))
  const authorityFile = join(folder, 'authority.pem')
  writeFileSync(authorityFile, certificate?.cert ?? '')
  const refused: string[] = []

  const server = createTlsServer({ ...certificate }, (incoming, response) => {
    const { method, headers, url = '/' } = incoming
    const target = new URL(url, hosts[headers.host ?? ''])
    const onward = request(target, { method, headers }, async (answer) => {
      const body = await text(answer)
      const {
        'content-length': _length,
        'transfer-encoding': _encoding,
        ...answerHeaders
      } = answer.headers
      response.writeHead(answer.statusCode ?? 502, answerHeaders).end(rewrite(body))
    })
    onward.on('error', () => response.destroy())
    incoming.pipe(onward)
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
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    /** PEM file of the certificate of all hosts. */
    authorityFile,
    /** `host:port` of every other host that a step tried to reach. */
    refused: refused as readonly string[],
    async close() {
      server.closeAllConnections()
      proxy.close().closeAllConnections()
      await once(proxy, 'close')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts a server that keeps the requests that it is sent, as `POST /path`. What it answers is JSON. */
export async function startServer(
  answer: (body: Fields, line: string) => unknown,
  statusOf = (_line: string): number => 200,
) {
  const requests: { readonly line: string; readonly body: Fields }[] = []
  const server = await listen(0, async (incoming, response) => {
    const sent = await text(incoming)
    const line = `${incoming.method} ${incoming.url?.split('?')[0]}`
    const body = sent === '' ? {} : JSON.parse(sent)
    requests.push({ line, body })
    response.writeHead(statusOf(line), { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer(body, line)))
  })
  return { ...server, requests }
}
