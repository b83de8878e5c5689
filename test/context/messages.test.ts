import { describe, expect, it } from 'vitest'
import { renderCommits } from '../../src/context/messages.ts'

/** Lines told of commits with these messages, oldest first. */
function tell(messages: readonly string[], { maxBytes = 16_384, total = messages.length } = {}): string[] {
  const commits = messages.map((message, index) => ({ sha: `${index + 1}`.repeat(40), message }))
  const text = renderCommits({ commits, total }, maxBytes)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes)
  return text.split('\n').slice(1)
}

describe('commit messages', () => {
  it('are told with their bodies, newest first', () => {
    expect(tell(['Add a flag\r\n\r\nIt is <!-- hidden -->on.\n\n- by default', 'Use it'])).toEqual([
      'Commits:',
      '- 2222222 Use it',
      '- 1111111 Add a flag',
      '  It is on.',
      '',
      '  - by default',
    ])
  })

  it('have no trailers, but what looks like one stays', () => {
    const message = [
      'Add a flag',
      '',
      'BREAKING CHANGE: it is on',
      '',
      'Fixes: #12',
      'Signed-off-by: A <a@example.com>',
      'Co-authored-by: B <b@example.com>',
      'Change-Id: I123',
      '(cherry picked from commit 0123abc)',
      '---------',
    ].join('\n')
    expect(tell([message])).toEqual(['Commits:', '- 1111111 Add a flag', '  BREAKING CHANGE: it is on'])
  })

  it("of GitHub's merges are the title of the pull request", () => {
    const merge = 'Merge pull request #12 from acme/flag\n\nAdd a flag\n\nIt is on.'
    expect(tell([merge])).toEqual(['Commits:', '- 1111111 Add a flag (#12)', '  It is on.'])
  })

  it.each([
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
    'chore: format',
    'ci: cache npm',
    'test(ship): wait',
    'v1.2.0',
    '1.2.0-rc.1 (#12)',
    'release: v1.2.0',
    'Version Packages',
    'Lock file maintenance',
  ])('that are routine come last: %s', (message) => {
    expect(tell(['Add a flag', message])).toEqual([
      'Commits:',
      '- 1111111 Add a flag',
      `- 2222222 ${message}`,
    ])
  })

  it.each(['Update the guide', 'fix: retry', 'docs: test your setup', 'Bumpers', 'Releases are signed'])(
    'that are not routine keep their place: %s',
    (message) => {
      expect(tell(['Add a flag', message])[1]).toBe(`- 2222222 ${message}`)
    },
  )

  it('lose their bodies before a subject is left out, the oldest first', () => {
    const messages = [`One\n\n${'x'.repeat(60)}`, `Two\n\n${'y'.repeat(60)}`, 'Three']
    const [all, one] = [tell(messages), tell(messages, { maxBytes: 150 })]
    expect(all).toContain(`  ${'x'.repeat(60)}`)
    expect(one).toEqual([
      'Commits:',
      '- 3333333 Three',
      '- 2222222 Two',
      `  ${'y'.repeat(60)}`,
      '- 1111111 One',
      '  xxxx',
      '  … (56 more characters)',
    ])
  })

  it('that are long are cut: subjects after 300 bytes, bodies after 1,000', () => {
    const [, subject = '', body = '', rest = ''] = tell([`${'x'.repeat(400)}\n\n${'y'.repeat(2000)}`])
    expect([subject.length, body.length]).toEqual([308, 971])
    expect([subject.slice(-26), rest]).toEqual(['xxx… (125 more characters)', '  … (1031 more characters)'])
  })

  it('that are empty say so', () => {
    expect(tell(['\n'])).toEqual(['Commits:', '- 1111111 (no message)'])
  })

  it('that do not fit are counted, with those that GitHub does not list', () => {
    const messages = Array.from({ length: 9 }, (_, index) => `Change ${index}`)
    expect(tell(messages, { maxBytes: 100, total: 600 })).toEqual([
      'Commits:',
      '- 9999999 Change 8',
      '- 8888888 Change 7',
      '- 7777777 Change 6',
      '… (597 more, left out here)',
    ])
    expect(tell(['Change'], { maxBytes: 5 })).toEqual([])
    expect(tell([])).toEqual([])
  })
})
