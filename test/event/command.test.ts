import { describe, expect, it } from 'vitest'
import { readCommandText } from '../../src/event/command.ts'
import { author, contextOf, expectSkip, J1, opening, startScene } from '../stories/scene.ts'
import { bot, commentIn, docsReview, issueComment } from '../support/events.ts'
import { addReview } from '../support/world.ts'

type Row = { readonly text: string; readonly request?: string; readonly quote?: string }

const EMAIL = 'Reply to this email directly, view it on GitHub <https://github.com/a/b>'

const TEXTS: readonly Row[] = [
  { text: '/docs explain it', request: 'explain it' },
  { text: '/DOCS: explain', request: 'explain' },
  { text: '/docs, explain', request: 'explain' },
  { text: '/docs：Kürzer.', request: 'Kürzer.' },
  { text: '/docs， please', request: 'please' },
  { text: '/docs', request: '' },
  { text: '\uFEFF\r\n  /docs a\r\nb', request: 'a\nb' },
  { text: '/docs a <!-- hidden -->\u202eb', request: 'a b' },
  { text: '<!-- x\n\n/no --> /docs a', request: 'a' },
  {
    text: '> It is wrong.\n>  No.\n\n/docs fix it',
    request: 'fix it',
    quote: 'It is wrong.\n No.',
  },
  { text: '/docsx' },
  { text: '/docs-agent a' },
  { text: 'Please /docs a' },
  { text: '**/docs** a' },
  { text: '`/docs` a' },
  { text: '    /docs a' },
  { text: '> /docs a' },
  { text: '<!-- /docs a -->' },
  { text: '<!-- open\n/docs a' },
  { text: `/docs a\n\nAm Mo. schrieb mona:\n> Old.\n> ${EMAIL}`, request: 'a' },
  { text: `/docs a\n\n-----Original Message-----\nOld.\n${EMAIL}`, request: 'a' },
  { text: `/docs a\n\nFrom: Ada\nSent: Monday\nTo: Bob\n\nOld.\n${EMAIL}`, request: 'a' },
  { text: '/docs a\n\n> Not an email.', request: 'a\n\n> Not an email.' },
]

it.each(TEXTS)('the command in $text', ({ text, request, quote = '' }) => {
  const read = readCommandText(text, '/docs')
  expect(read).toEqual(request === undefined ? undefined : { request, quote, isFresh: false })
})

it.each([
  { text: '/docs new Other.', request: 'Other.', isFresh: true },
  { text: '/docs new', request: '', isFresh: true },
  { text: '/docs newer', request: 'newer', isFresh: false },
])('$text wants a new job: $isFresh', ({ text, ...command }) => {
  expect(readCommandText(text, '/docs')).toMatchObject(command)
})

describe('no request of any kind is made', () => {
  it.each([
    { what: 'for a chat comment', body: 'I read the /docs today', by: author },
    { what: 'for a bot that may not', body: '/docs Please.', by: bot('helper[bot]') },
    { what: 'for an edited comment', body: '/docs Please.', by: author, action: 'edited' },
  ])('$what, whatever the other inputs are', async ({ body, by, action = 'created' }) => {
    const { step } = await startScene()
    const on = issueComment({ id: 5001, number: 77, author: by, body, action })
    const end = await step(on, { inputs: { timeout: 'soon', 'api-key': '' } })
    expectSkip(end)
    expect(end.requests).toEqual([])
  })

  it('for a review without a command', async () => {
    const { step, world } = await startScene()
    const made = addReview(world, { number: 200, author, body: 'Shorter.' })
    const end = await step(docsReview(made), { inputs: {} })
    expectSkip(end)
    expect(end.requests).toEqual([])
  })
})

it('with `command` empty, a comment is an event like others, and the text a part of the context', async () => {
  const { step, world, inputs } = await startScene()
  const on = commentIn(world, { number: 77, author, body: '/docs Explain.' })
  const end = await step(on, { inputs: { ...inputs, command: '' }, replies: opening('j1', 200) })
  expect(end.started).toEqual(['create'])
  expect(end.requests.filter((line) => /POST .*77\/comments/.test(line))).toEqual([])
  expect(JSON.stringify(end.bodies[0])).toContain('Comment by octocat')
})

describe('`/docs` alone', () => {
  it.each([{ prompt: 'Document it.' }, { 'prompt-file': 'prompt.md' }])(
    'starts a job with %j',
    async (inputs) => {
      const { command } = await startScene()
      const files = { 'prompt.md': 'Document it.' }
      expect((await command('/docs', 77, { ...J1, inputs, files })).started).toEqual(['create'])
    },
  )

  it('sends the prompt and the changes to a job that it continues', async () => {
    const { command, inputs } = await startScene()
    await command('/docs Explain.', 77, J1)
    const end = await command('/docs', 77, { ...J1, inputs })
    expect(end.started).toEqual(['message to j1'])
    expect(end.bodies[0]).toMatchObject({ prompt: expect.stringMatching(/^Bring the docs up/) })
    expect(contextOf(end).join('\n')).toContain('src/flag.ts')
  })

  it('is answered with one usage reply, in a re-run, too', async () => {
    const { step, world, said, reactions } = await startScene()
    const on = commentIn(world, { number: 77, author, body: '/docs' })
    for (const attempt of [1, 2]) expectSkip(await step(on, { inputs: {}, runId: 9, attempt }))
    expect([said().length, reactions()]).toEqual([1, ['eyes']])
    expect(said()[0]?.join()).toContain('`/docs')
  })
})
