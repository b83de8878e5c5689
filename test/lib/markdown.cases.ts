const BREAK = '\u200B'

/** Texts, and how they stand in Markdown of ours. */
export const SHOWN_TEXTS: readonly [string, string][] = [
  ['plain words', 'plain words'],
  ['   a  b', ' a b'],
  ['<b> & | c', '&#60;b&#62; &#38; &#124; c'],
  ['*_`~[x]$\\', '\\*\\_\\`\\~\\[x\\]\\$\\\\'],
  ['@team and #12', `@${BREAK}team and #${BREAK}12`],
  ['fix 1a2b3c4 in 1234567', `fix 1${BREAK}a2b3c4 in 1234567`],
  ['https://a.example', `https:${BREAK}//a.example`],
  ['12. item', `12${BREAK}. item`],
  ['- item', '\\- item'],
  ['a - b = c: d 2. e', 'a - b = c: d 2. e'],
]

/** Texts, and their code spans. */
export const CODE_SPANS: readonly [string, string][] = [
  ['x y', '`x y`'],
  ['', ''],
  ['a|b', '<code>a&#124;b</code>'],
  [' a', '<code> a</code>'],
  ['|a@b.c www.d', `<code>&#124;a&#64;${BREAK}b&#46;c www${BREAK}&#46;d</code>`],
  ['a\nb', '`a b`'],
]

/** Addresses, and what stands for a link to them. */
export const LINKS: readonly [string, string][] = [
  ['https://a.example/b?c=d&e', '[label](https://a.example/b?c=d&amp;e)'],
  ['http://127.0.0.1:80/x', '[label](http://127.0.0.1/x)'],
  ['https://a.example/(b)|é*', '[label](https://a.example/%28b%29%7C%C3%A9%2A)'],
  ['http://a.example/', '`http://a.example/`'],
  ['https://me@a.example/', '`https://me@a.example/`'],
  ['JAVASCRIPT:alert(1)', '`JAVASCRIPT:alert(1)`'],
  ['nothing', '`nothing`'],
]
