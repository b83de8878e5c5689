/** What a commit's message holds, the message, and the lines that are told of it. */
export const MESSAGES: readonly [string, string, readonly string[]][] = [
  [
    'bodies',
    'Add\r\n\r\nIt is <!-- hidden -->on.\n\n- by default',
    ['Add', '  It is on.', '', '  - by default'],
  ],
  [
    'no trailers',
    'Add\n\nBREAKING CHANGE: on\n\nFixes: #12\nSigned-off-by: A <a@example.com>\nCo-authored-by: B <b@example.com>\nChange-Id: I123\n(cherry picked from commit 0123abc)\n---------',
    ['Add', '  BREAKING CHANGE: on'],
  ],
  [
    "the pull request's title for GitHub's merges",
    'Merge pull request #12 from acme/flag\n\nAdd a flag\n\nIt is on.',
    ['Add a flag (#12)', '  It is on.'],
  ],
  [
    'no summaries by review bots, and no lines that name a tool',
    'Add\n\nOn.\n\n## Summary by CodeRabbit\n\n* **New**\n  * x\n\n## More\n\nMore.\n\n> [!NOTE]\n> Risk\n> Written by [Cursor Bugbot](https://x)\n\n🤖 Generated with [Claude Code](https://x)',
    ['Add', '  On.', '', '  ## More', '', '  More.'],
  ],
  ['words for an empty one', '\n', ['(no message)']],
]

/** Subjects that say little to readers of docs. */
export const ROUTINE = [
  "Merge branch 'main' into flag",
  "Merge branches 'a', 'b' and 'c'",
  "Merge remote-tracking branch 'origin/main'",
  'Bump undici from 7.0.0 to 7.1.0 (#12)',
  'chore(deps): update dependency undici to v7',
  'fix(deps): update all non-major dependencies (#3)',
  'Update dependency undici to v7',
  'Update Rust crate h2 to v0.4.15 (#20034)',
  'Update actions/checkout digest to 0123abc',
  'Upgrade undici to 7.1.0',
  'ci: cache npm',
  'test(ship): wait',
  'v1.2.0',
  '1.2.0-rc.1 (#12)',
  'release: v1.2.0',
  'Version Packages',
  'Lock file maintenance',
]
