const MISSING = "doesn't exist in the workspace. Check its letter case"

/** Names, and why they can't be read. */
export const UNREADABLE: readonly [string, string | RegExp][] = [
  ['missing.md', MISSING],
  ['docs/a.md/more', MISSING],
  ['$WORKSPACE/missing.md', MISSING],
  ['docs/*.md', /doesn't exist .*Patterns/],
  ['prompts\\style.md', /doesn't exist .*`prompts\/style\.md`/],
  ['a.md, b.md', /doesn't exist .*not by commas/],
  ['steps.a.outputs.b', /^is the text of an expression\. Write it as/],
  ['"a.md"', /doesn't exist .*quotes/],
  ['https://x.example/a.md', /doesn't exist .*URLs/],
  ['~/a.md', /doesn't exist .*outside the workspace/],
  ['Update the docs', /doesn't exist .*`prompt`/],
  ['binary', "isn't a text file"],
  ['docs', 'is a directory'],
  ['..', 'is outside the workspace'],
  ['pipe', "isn't a regular file"],
  ['latin1.txt', "isn't UTF-8 text"],
  ['../outside/secret.txt', 'is outside the workspace'],
  ['outside-link', 'is outside the workspace'],
  ['loop', /^can't be read\. ELOOP: /],
]
