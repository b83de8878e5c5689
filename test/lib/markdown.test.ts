import { describe, expect, it } from 'vitest'
import { code, link, MAX_LINK_LENGTH, Markdown, md, table } from '../../src/lib/markdown.ts'

const BREAK = '\u200B'

describe('text in Markdown of ours', () => {
  it.each([
    ['plain words', 'plain words'],
    ['a\n\nb', 'a b'],
    ['a\tb', 'a b'],
    ['   a  b', ' a  b'],
    ['<b> & | c', '&#60;b&#62; &#38; &#124; c'],
    ['*_`~[x]$\\', '\\*\\_\\`\\~\\[x\\]\\$\\\\'],
    ['@team and #12', `@${BREAK}team and #${BREAK}12`],
    ['see GH-12, gh-1, GH-x', `see GH-${BREAK}12, gh-${BREAK}1, GH-x`],
    ['https://a.example', `https:${BREAK}//a.example`],
    ['www.a.example', `www${BREAK}.a.example`],
    ['12. item', `12${BREAK}. item`],
    ['3) item', `3${BREAK}) item`],
    ['- item', '\\- item'],
    [' + item', ' \\+ item'],
    ['== =', '\\== ='],
    ['a - b = c: d', 'a - b = c: d'],
  ])('%j becomes %j', (text, expected) => {
    expect(md`${text}`.source).toBe(expected)
  })

  it('is put between Markdown that stays as it is', () => {
    expect(md`**${'a*b'}** ${3} ${code('x')}`.source).toBe('**a\\*b** 3 `x`')
  })
})

describe('a code span', () => {
  it.each([
    ['x y', '`x y`'],
    ['', ''],
    ['a|b', '<code>a&#124;b</code>'],
    ['a`b', '<code>a&#96;b</code>'],
    [' a', '<code> a</code>'],
    ['a@b.c', '`a@b.c`'],
    ['|a@b.c www.d', `<code>&#124;a&#64;${BREAK}b&#46;c www${BREAK}&#46;d</code>`],
    ['|x://y', `<code>&#124;x&#58;${BREAK}&#47;&#47;y</code>`],
    ['a\nb', '`a b`'],
  ])('of %j is %j', (text, expected) => {
    expect(code(text).source).toBe(expected)
  })
})

describe('a link', () => {
  it.each([
    ['https://a.example/b?c=d&e', '[label](https://a.example/b?c=d&amp;e)'],
    ['http://127.0.0.1:80/x', '[label](http://127.0.0.1/x)'],
    ['https://a.example/(b)', '[label](https://a.example/%28b%29)'],
    ['http://a.example/', '`http://a.example/`'],
    ['https://me@a.example/', '`https://me@a.example/`'],
    ['https://:pw@a.example/', '`https://:pw@a.example/`'],
    ['nothing', '`nothing`'],
  ])('to %j is %j', (url, expected) => {
    expect(link('label', url).source).toBe(expected)
  })

  it('is no link beyond what browsers follow', () => {
    const url = (length: number): string => 'https://a.example/'.padEnd(length, 'x')
    expect(link('label', url(MAX_LINK_LENGTH)).source).toBe(`[label](${url(MAX_LINK_LENGTH)})`)
    expect(link('label', url(MAX_LINK_LENGTH + 1)).source).toBe(
      `\`${url(MAX_LINK_LENGTH)}… (1 more characters)\``,
    )
  })
})

it('a table has a rule that aligns each column', () => {
  expect(table(['a', 'b'], [['1|2', Markdown.raw('**3**')]], 'lr').source).toBe(
    '| a | b |\n| :--- | ---: |\n| 1&#124;2 | **3** |',
  )
})
