import {
  cleanHunks,
  cleanMarkdown,
  logText,
  oneLine,
  readableText,
  visibleText,
} from '../../src/lib/text.ts'

/** A function, a text, and what it makes of it. */
export const CLEANED: readonly [(text: string) => string, string, string][] = [
  [visibleText, 'a: List<T> = b < c && <p>', 'a: List<T> = b < c && <p>'],
  [visibleText, 'a\u202eb\u2066c\u200bd\u00ade\ufe0ff\u{e0041}', 'abcdef'],
  [visibleText, 'one\r\ntwo\tthree\rfour\u2028five', 'one\ntwo\tthree\nfour\nfive'],
  [visibleText, '\ud800', '\ufffd'],
  // No line of a diff becomes two.
  [cleanHunks, '+one\r\n-two\rthree\u2028four\u0085five\n six', '+one\n-two three four five\n six'],
  [cleanMarkdown, 'a <!-- hidden --> b', 'a  b'],
  [cleanMarkdown, 'a\n  <!-- hidden', 'a'],
  [cleanMarkdown, 'a <!\u200b-- hidden --> b', 'a  b'],
  // On the page, nobody sees a comment in this one, but its text.
  [cleanMarkdown, 'a <!<!-- x -->-- shown --> b', 'a ‹!-- shown --> b'],
  [oneLine, 'one\ntwo\u2028three\ttabs\u0085x\ry\ufeffz <!-- x --> b', 'one two three tabs x yz b'],
  // What joins letters stays, what turns them round goes.
  [
    readableText,
    '👩\u200d💻 \u0645\u200c\u0647 a\u202eb\u0007c\u00ad',
    '👩\u200d💻 \u0645\u200c\u0647 abc',
  ],
  [logText, '::set-output name=x::y', ': :set-output name=x::y'],
  [logText, ' \t::error::x\n::y', ' \t: :error::x\n: :y'],
  [logText, 'a ##[error]x ###[y]', 'a ## [error]x ### [y]'],
  [logText, ':\u200b:error::x', ': :error::x'],
]

/** A text, the bytes and the indent that it may have, and what is left of it. */
export const CUT_TEXTS: readonly [string, number, string, string][] = [
  ['x'.repeat(100), 100, '', 'x'.repeat(100)],
  ['x'.repeat(101), 100, '', `${'x'.repeat(75)}… (26 more characters)`],
  ['😀'.repeat(60), 100, '', `${'😀'.repeat(19)}… (41 more characters)`],
  ['x'.repeat(100), 10, '', ''],
  ['one\n\ntwo', 12, '  ', '  one\n\n  two'],
  [`one\n${'x'.repeat(60)}`, 60, '  ', `  one\n  ${'x'.repeat(25)}\n  … (35 more characters)`],
  [`${'one\n'.repeat(12)}one`, 60, '  ', `${'  one\n'.repeat(5)}  o\n  … (30 more characters)`],
]
