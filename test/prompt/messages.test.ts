import { describe, expect, it } from 'vitest'
import { renderCommits } from '../../src/prompt/render.ts'
import { changesOf } from './describe-run.ts'

/** What a commit's message holds, the message, and the lines that are told of it. */
const MESSAGES: readonly [string, string, readonly string[]][] = [
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
const ROUTINE = [
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

describe('commit messages', () => {
  /** Lines shown of commits with these messages, oldest first, below the title. */
  function show(
    messages: readonly string[],
    { maxBytes = 16_384, total = messages.length } = {},
  ): string[] {
    const commits = messages.map((message, index) => ({
      sha: `${index + 1}`.repeat(40),
      message,
      pulls: [],
    }))
    const { text } = renderCommits(changesOf({ commits, commitCount: total }), maxBytes)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes)
    return text.split('\n').slice(2)
  }

  it.each(MESSAGES)('have %s', (_what, message, [subject, ...body]) => {
    expect(show([message])).toEqual([`- 1111111 ${subject}`, ...body])
  })

  it.each(ROUTINE)('that are routine come last: %s', (message) => {
    expect(show(['Add a flag', message])).toEqual(['- 1111111 Add a flag', `- 2222222 ${message}`])
  })

  it.each([
    'Update the guide',
    'fix: retry',
    'docs: test your setup',
    'Bumpers',
    'Releases are signed',
  ])('that are not routine come newest first: %s', (message) => {
    expect(show(['Add a flag', message])).toEqual([`- 2222222 ${message}`, '- 1111111 Add a flag'])
  })

  it('lose their bodies before a subject is left out, the oldest first', () => {
    const messages = [`One\n\n${'x'.repeat(60)}`, `Two\n\n${'y'.repeat(60)}`, 'Three']
    expect(show(messages)).toContain(`  ${'x'.repeat(60)}`)
    expect(show(messages, { maxBytes: 150 })).toEqual([
      '- 3333333 Three',
      '- 2222222 Two',
      `  ${'y'.repeat(60)}`,
      '- 1111111 One',
      '  xxxx',
      '  … (56 more characters)',
    ])
  })

  it('that are long are cut: subjects after 300 bytes, bodies after 1,000', () => {
    const [subject = '', body = '', rest = ''] = show([`${'x'.repeat(400)}\n\n${'y'.repeat(2000)}`])
    expect([subject.length, body.length]).toEqual([308, 970])
    expect([subject.slice(-26), rest]).toEqual([
      'xxx… (125 more characters)',
      '  … (1,032 more characters)',
    ])
  })

  it('that do not fit are counted, as are those that GitHub does not list', () => {
    const messages = Array.from({ length: 9 }, (_, index) => `Change ${index}`)
    const commits = messages.map((message) => ({ sha: '', message, pulls: [] }))
    const known = changesOf({ commits, commitCount: 300 })
    expect(renderCommits(known, 200).text).toMatch(
      /^\nCommits \(300, of which GitHub lists the newest 9\):\n- Change 8\n/,
    )
    expect(show(messages, { maxBytes: 100 })).toEqual([
      '- 9999999 Change 8',
      '- 8888888 Change 7',
      '- 7777777 Change 6',
      '… (6 more, left out here)',
    ])
    expect(renderCommits(changesOf({ commits: commits.slice(8) }), 5).text).toBe('')
    expect(renderCommits(undefined, 16_384).text).toBe('')
  })
})
