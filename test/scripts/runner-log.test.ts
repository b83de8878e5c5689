import { expect, test } from 'vitest'
import { RunnerLog } from '../../scripts/runner-log.ts'

function drawn(...lines: string[]) {
  const log = new RunnerLog()
  return lines.map((line) => log.draw(line))
}

test.each([
  ['Job x was accepted.', { text: 'Job x was accepted.' }],
  [
    '::notice title=Docs agent::Ready: 100%25%0Aand more',
    { text: 'Notice: Ready: 100%\nand more', colour: 'blue' },
  ],
  ['::warning::Slow', { text: 'Warning: Slow', colour: 'yellow' }],
  ['::error title=A,file=b::No', { text: 'Error: No', colour: 'red' }],
  ['::group::Details', { text: '▼ Details', colour: 'bold' }],
  ['::endgroup::', undefined],
  ['::debug::hidden', undefined],
  ['::set-output name=a::b', undefined],
])('%s is drawn as the runner draws it', (line, shown) => {
  expect(drawn(line)).toEqual([shown])
})

test('what was masked is shown as ***, in annotations too', () => {
  expect(drawn('::add-mask::mint_demo', 'key mint_demo', '::error::mint_demo refused')).toEqual([
    undefined,
    { text: 'key ***' },
    { text: 'Error: *** refused', colour: 'red' },
  ])
})

test('between stop-commands and its word nothing is a command', () => {
  expect(drawn('::stop-commands::abc', '::error::text', '::abc::', '::error::text')).toEqual([
    undefined,
    { text: '::error::text' },
    undefined,
    { text: 'Error: text', colour: 'red' },
  ])
})
