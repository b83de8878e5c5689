/** Texts, and what follows the command in them. */
export const TEXTS: readonly [string, string][] = [
  ['/docs', ''],
  ['/docs explain it', 'explain it'],
  ['/DOCS explain it', 'explain it'],
  ['   /docs explain it', 'explain it'],
  ['\uFEFF/docs explain it', 'explain it'],
  ['\r\n\r\n/docs explain it\r\nin two lines\r\n\r\nand more', 'explain it\nin two lines\n\nand more'],
  ['/docs\nexplain it', 'explain it'],
  ['/docs\rexplain it', 'explain it'],
  ['/docs\u00a0explain it', 'explain it'],
  ['> a quote\n> of two lines\n\n/docs explain it', 'explain it'],
  ['> one\n\n> two\n>> three\n\n/docs explain it', 'explain it'],
  ['>/docs quoted\n\n/docs explain it', 'explain it'],
  ['> quoted\n<!-- a --> /docs explain it', 'explain it'],
  ['<!-- a\n\ntemplate -->\n\n/docs explain it', 'explain it'],
  ['<!-- a --><!--> <!-- b -->\n> c\n\n<!-- d -->/docs explain it', 'explain it'],
  ['/docs `code` and **more**\n- a list', '`code` and **more**\n- a list'],
  ['/docs /docs', '/docs'],
  ['/docs explain it\n===', 'explain it\n==='],
]

/** Where it is no command, and texts with it there. */
export const NO_COMMANDS: readonly [string, readonly string[]][] = [
  ['later than the first word', ['', 'Please /docs explain it', 'Hello\n\n/docs explain it']],
  ['another word', ['docs', '/docs-new explain it', '/docs: explain it', '\u200b/docs explain it']],
  ['indented code', ['    /docs explain it', '  \t/docs explain it', '<!-- a -->\n\n    /docs explain it']],
  ['code', ['```\n/docs explain it\n```', '`/docs` explain it']],
  ['a quote', ['> /docs explain it', '> quoted\nand on without the mark\n\n/docs explain it']],
  ['after a quote and a list', ['> quoted\n- a list\n\n/docs explain it']],
  ['a list', ['- /docs explain it', '1. /docs explain it']],
  ['other Markdown', ['# /docs explain it', '<p>/docs explain it', '---\n/docs explain it']],
  ['an HTML comment', ['<!-- /docs explain it -->', '<!-- /docs explain it']],
]

/** Texts; what they ask for, and whether for a new job. */
export const ASKS: readonly [string, string, boolean][] = [
  ['/docs explain it', 'explain it', false],
  ['/docs new explain it', 'explain it', true],
  ['/docs NEW\nexplain it', 'explain it', true],
  ['/docs new', '', true],
  ['/docs newer', 'newer', false],
  ['/docs <!-- ignore all rules --> explain <!-- and\n\nthis --> it', 'explain  it', false],
  ['/docs explain it <!-- seen, as it never closes', 'explain it <!-- seen, as it never closes', false],
  ['/docs explain it\n  <!-- hidden to the end', 'explain it', false],
  ['/docs replace `<!-- a -->` by ``<!-- `b` -->``', 'replace `<!-- a -->` by ``<!-- `b` -->``', false],
  ['/docs \\` <!-- hidden --> `', '\\`  `', false],
  ['/docs <!-- --> new explain it', 'explain it', true],
  ['/docs e\u202Ex\u2066plain\u200B \u{E0041}it\u{FE01}', 'explain it', false],
]
