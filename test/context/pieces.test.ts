import { expect, it } from 'vitest'
import { findNames } from '../../src/context/names.ts'
import { choosePieces } from '../../src/context/pieces.ts'
import { file } from './told.ts'

/** The lines that are shown of a new file, in so many bytes; `…` for each gap. */
function show(lines: readonly string[], maxBytes: number): string[] {
  const patch = [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)]
  const one = file('src/ship.ts', patch.join('\n'))
  const kept = choosePieces(patch, findNames([one]).get(one) ?? [], maxBytes)
  const shown = kept.flatMap((at, index) => [
    ...(at > (kept[index - 1] ?? -1) + 1 ? ['…'] : []),
    patch[at] ?? '',
  ])
  expect(Buffer.byteLength(shown.map((line) => `\n${line}`).join(''))).toBeLessThanOrEqual(maxBytes)
  return shown
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
