import { describe, expect, it } from 'vitest'
import { eventRow } from '../../src/events/event-table.ts'
import { type Command, readCommand, textAfterCommand } from '../../src/events/trigger.ts'
import { bot, type Event, issueComment, newIssue, person, review, reviewComment } from '../support/events.ts'
import { ASKS, NO_COMMANDS, TEXTS } from './command.cases.ts'

const author = person('octocat')

function commandIn(event: Event): Command | undefined {
  return readCommand({ ...event, row: eventRow(event.name) }, '/docs')
}

describe('the text after a command', () => {
  it.each(TEXTS)('of %j is %j', (text, rest) => {
    expect(textAfterCommand(text, '/docs')?.trim()).toBe(rest)
  })

  it.each(NO_COMMANDS)('is none where the command is %s: %j', (_what, texts) => {
    for (const text of texts) expect([text, textAfterCommand(text, '/docs')]).toEqual([text, undefined])
  })

  it('may follow any word', () => {
    expect(textAfterCommand('@Docs-Bot go', '@docs-bot')).toBe(' go')
    expect(textAfterCommand('İ go', 'İ')).toBe(' go')
  })

  // Anybody may write 64 KiB of anything.
  it.each([
    ['quoted lines', '> a\r\n', '/docs x', 'x'],
    ['quotes and comments', '> a\n\n<!-- b -->\n\n', '/docs x', 'x'],
    ['comments', '<!---->', '/docs x', 'x'],
    ['open comments', '\n <!-- ', '/docs x', undefined],
    ['empty lines', ' \n', '/docs x', 'x'],
    ['comments after it', '<!-- a -->', 'x', 'x', '/docs '],
    ['open comments after it', '\n<!-- ', 'x', 'y', '/docs y'],
    ['invisible characters after it', '\u200B', 'x', 'x', '/docs '],
  ])('is found in 64 KiB of %s', (_what, piece, end, instructions, start = '') => {
    const body = `${start}${piece.repeat((64 * 1024) / piece.length)}${end}`
    expect(commandIn(issueComment({ id: 1, body, author }))?.instructions).toBe(instructions)
  })
})

describe('a command', () => {
  it.each(ASKS)('%j says %j (fresh: %j)', (body, instructions, fresh) => {
    expect(commandIn(issueComment({ id: 1, body, author }))).toMatchObject({ instructions, fresh })
  })

  const written = { id: 11, body: '/docs explain it', author }
  const further = reviewComment({ ...written, id: 12, replyTo: 11 })
  const onPull = { kind: 'main', number: 5, isPull: true, rootId: 0 }
  const inReview = { ...onPull, kind: 'review', rootId: 11 }
  const onIssue = { ...onPull, isPull: false }
  it.each<[Event, string, number, string, object]>([
    [issueComment(written), 'issue-comment', 11, 'pull/5#issuecomment-11', onPull],
    [issueComment({ ...written, onIssue: true }), 'issue-comment', 11, 'issues/5#issuecomment-11', onIssue],
    [reviewComment(written), 'review-comment', 11, 'pull/5#discussion_r11', inReview],
    [further, 'review-comment', 12, 'pull/5#discussion_r12', inReview],
  ])('tells who wrote it, where, and where it is answered (%#)', (event, kind, id, path, thread) => {
    const source = { kind, id, url: `https://github.com/acme/docs/${path}`, thread }
    expect(commandIn(event)).toMatchObject({ source, author: { id: 7001, login: 'octocat', isBot: false } })
  })

  it('comes from a bot by the type of its account alone', () => {
    const isBot = (by: typeof author) => commandIn(issueComment({ ...written, author: by }))?.author.isBot
    expect(isBot(bot('Renovate[bot]'))).toBe(true)
    expect(isBot(person('Renovate[bot]'))).toBe(false)
    expect(isBot({ ...author, type: 'Organization' })).toBe(false)
  })

  const payload = { action: 'created', comment: { id: 1, body: '/docs x' }, issue: { number: 1 } }
  it.each<[string, Event]>([
    ['an edited comment', issueComment({ ...written, action: 'edited' })],
    ['a review', review(written)],
    ['a new issue', newIssue(written)],
    ['another event', { ...issueComment(written), name: 'commit_comment' }],
    ['an event named like a method', { ...issueComment(written), name: 'constructor' }],
    ['a comment without author', { name: 'issue_comment', payload }],
  ])('is not in %s', (_what, event) => {
    expect(commandIn(event)).toBeUndefined()
  })
})
