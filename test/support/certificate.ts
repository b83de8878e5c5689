import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A private key with its self-signed certificate. */
export type Certificate = { readonly key: Buffer; readonly cert: Buffer }

/** Makes a certificate that nobody trusts; `undefined`, with a warning, where there is no openssl. */
export function selfSignedCertificate(
  names: readonly string[] = ['IP:127.0.0.1'],
): Certificate | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', `subjectAltName=${names.join(',')}`]
  const kind = [
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '1',
  ]
  try {
    execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    })
    return { key: readFileSync(key), cert: readFileSync(cert) }
  } catch {
    console.warn('openssl is not installed, so nothing is tried with TLS.')
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
