import { describe, expect, it } from 'vitest'
import { chooseLines, renderHunk, writeLines } from '../../src/context/hunks.ts'
import { findNames } from '../../src/context/names.ts'
import { file } from './describe-run.ts'

/** The lines that are shown of a new file, in so many bytes; `…` for each gap. */
function show(lines: readonly string[], maxBytes: number): string[] {
  const patch = [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)]
  const one = file('src/ship.ts', patch.join('\n'))
  const kept = chooseLines(patch, findNames([one]).get(one) ?? [], maxBytes)
  const shown = writeLines(patch, kept)
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(maxBytes)
  return shown.split('\n').slice(1)
}

const filler = Array.from({ length: 40 }, (_, index) => `  go to the ${index}`)
const definition = ['', 'export function shipAll() {', '  .option("--dry-run")', '}', '']
const licence = ['// Copyright Acme', '// SPDX-License-Identifier: MIT']
const imports = ["import { newThing } from './thing.ts'", 'import {', '  otherThing,', "} from './other.ts'"]

it('the lines that bring names are shown first, and what lies between is left out', () => {
  const shown = show([...filler, ...definition, ...filler], 120)
  expect(shown.slice(-4)).toEqual(['+', '+export function shipAll() {', '+  .option("--dry-run")', '+}'])
  expect(shown).toContain('…')
})

it('licence and imports are shown last, the rest from the top', () => {
  const all = [...licence, ...imports, ...filler.slice(0, 8)]
  expect(show(all, 60)).toEqual(['@@ -0,0 +1,14 @@'])
  expect(show(all, 190).slice(0, 4)).toEqual(['@@ -0,0 +1,14 @@', '…', '+  go to the 0', '+  go to the 1'])
  expect(show(all, 1000)).toHaveLength(15)
})

describe('lines that are commented on', () => {
  const title = '\nLines commented on (the comment is about the last one):'
  const long = Array.from({ length: 100 }, (_, at) => `+xxxx${`${at}`.padStart(4, '0')}`).join('\n')

  it.each([
    ['shown with the last one last', '@@ -1 +1 @@\n a\n+b<c>\n', `${title}\n@@ -1 +1 @@\n a\n+b<c>`],
    ['nothing where there are none', '', ''],
    ['cut from the top', long, `${title}\n… (90 lines above, left out here)${long.slice(-100)}`],
  ])('are %s', (_what, hunk, text) => {
    expect(renderHunk(hunk, 200)).toBe(text)
  })

  it('have the last one in any case, cut and said where it does not fit', () => {
    const hunk = renderHunk(`+a\n+${'x'.repeat(300)}`, 200)
    expect(hunk).toMatch(/\n… \(1 line above, left out here\)\n\+x{80,}… \(\d{3} more characters\)$/)
    expect(Buffer.byteLength(hunk)).toBeLessThanOrEqual(200)
  })
})
