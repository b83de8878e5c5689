const SIZE = 64 * 1024

/** Texts of 64 KiB, as large as GitHub lets them be, that anybody may write; each with what it says after `/docs`. */
export const LARGE_TEXTS: readonly (readonly [
  what: string,
  text: string,
  instructions: string | undefined,
])[] = [
  ['deep quotes', `${filled('>')}\n\n/docs x`, 'x'],
  ['a quote of many lines with it', `${filled('> a\r\n')}\r\n/docs x`, 'x'],
  [
    'a long quoted line and many without the mark',
    `> ${filled('> ', 0.5)}a\n${filled('a\n', 0.4)}/docs x`,
    undefined,
  ],
  ['many quotes', `${filled('>\n\n')}/docs x`, 'x'],
  ['many quotes and comments', `${filled('> a\n\n<!-- b -->\n\n')}/docs x`, 'x'],
  ['many comments', `${filled('<!---->')}/docs x`, 'x'],
  ['many open comments', `${filled('\n <!-- ')}/docs x`, undefined],
  ['many empty lines', `${filled(' \n')}/docs x`, 'x'],
  ['one long empty line', `${filled(' ')}/docs x`, undefined],
  ['deep lists', `${filled('1. - ')}\n\n/docs x`, undefined],
  ['a rule that is none', `> a\n${filled('- ')}x\n\n/docs x`, undefined],
  ['much emphasis', `/docs ${filled('*a_')}x`, `${filled('*a_')}x`],
  ['comments after the command', `/docs ${filled('<!-- a -->')}x`, 'x'],
  [
    'open comments after it',
    `/docs x ${filled('<!-', 0.5)}\n${filled('<!-- ', 0.5)}`,
    `x ${filled('<!-', 0.5)}`,
  ],
  ['invisible characters after it', `/docs ${filled('\u200B')}x`, 'x'],
]

function filled(piece: string, part = 1): string {
  return piece.repeat((part * SIZE) / piece.length)
}
