const hint = (words: string) => `does not exist in the workspace (${words})`
const MISSING = hint('check its letter case, and that actions/checkout runs before this step')

/** Names, and why they can't be read. */
export const UNREADABLE: readonly [string, string | RegExp][] = [
  ['missing.md', MISSING],
  ['docs/*.md', hint('globs are not expanded: name each file')],
  ['prompts\\style.md', hint('write / between folders: prompts/style.md')],
  ['a.md, b.md', hint('name one file per line, without commas')],
  ['steps.a.outputs.b', hint(`it is the text of an expression: write it as \`\${{ … }}\``)],
  ['docs/a.md/more', MISSING],
  ['"a.md"', hint('write it without quotes')],
  ['https://x.example/a.md', hint('URLs are not fetched')],
  ['~/a.md', hint('files outside the workspace are not read')],
  ['$WORKSPACE/missing.md', MISSING],
  ['Update the docs', hint('is it an instruction? Then write it as `prompt`')],
  ['docs', 'is a directory, not a file'],
  ['.', 'is a directory, not a file'],
  ['..', 'is outside the workspace'],
  ['pipe', 'is not a regular file'],
  ['latin1.txt', 'is not UTF-8 text'],
  ['../outside/secret.txt', 'is outside the workspace'],
  ['outside-link', 'is outside the workspace'],
  ['/etc/hostname', 'is outside the workspace'],
  ['loop', /^can't be read \(ELOOP: /],
]
