import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { archiveOfWorkTree } from '../scripts/archive.ts'
import { bytes, type Table } from './table.ts'

const ROOT = join(import.meta.dirname, '..')
const DIST_LIMIT = 1_000_000
const ARCHIVE_LIMIT = 300_000

/** A table, and what in it is over its limit, as sentences. */
export type Checked = { readonly table: Table; readonly failures: readonly string[] }

/** Sizes of what a runner downloads and of what Node reads. */
export function measureSizes(): Checked {
  const dist = join(ROOT, 'dist')
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).map((name) => join(dist, name))
  const total = files
    .map((file) => statSync(file))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
  const archive = gzipSync(archiveOfWorkTree()).length
  return {
    table: {
      title: 'Size',
      head: ['', 'bytes', 'limit'],
      rows: [
        ['dist/action.js', bytes(statSync(join(dist, 'action.js')).size), ''],
        ['all of dist/', bytes(total), bytes(DIST_LIMIT)],
        ['archive that a runner downloads', bytes(archive), bytes(ARCHIVE_LIMIT)],
      ],
    },
    failures: [
      ...(total > DIST_LIMIT ? [`dist/ has ${bytes(total)}, more than ${bytes(DIST_LIMIT)}.`] : []),
      ...(archive > ARCHIVE_LIMIT
        ? [`The archive has ${bytes(archive)}, more than ${bytes(ARCHIVE_LIMIT)}.`]
        : []),
    ],
  }
}
