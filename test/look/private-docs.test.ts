import { expect } from 'vitest'
import { pushTo } from '../support/events.ts'
import { AGENT, addCheck, addComment, addPull, time } from '../support/world.ts'
import { itWithScene, PULL, type Scene, type Told } from './runs.ts'

const it = itWithScene()
const PREVIEW = 'https://acme-hush.mintlify.app'

/** Docs in acme/guides, whose pull request 1 says `hush` everywhere; the end of its job. */
function hush({ world }: Scene): Told {
  Object.assign(world, { agentRepository: 'acme/guides', commentsElsewhere: true })
  const pull = addPull(
    world,
    { number: 1, title: 'The hush launch', user: AGENT, files: ['guides/hush.mdx'] },
    world.elsewhere,
  )
  addCheck(world, pull.commits[0] ?? '', {
    status: 'COMPLETED',
    conclusion: 'FAILURE',
    summary: 'hush.mdx is broken',
    startedAt: time(world.now() + 60_000),
  })
  const row = `| hush | 🟢 Ready | [View Preview](${PREVIEW}) | now |`
  const body = `<!-- mintlify-preview-comment-1-->\n${row}`
  addComment(world, { kind: 'main', number: 1, repository: 'acme/guides', author: AGENT, body })
  const prLink = PULL.replace('docs', 'guides')
  const source = { repository: 'https://github.com/acme/guides', ref: 'hush-branch' }
  const get = ['active', { body: { status: 'completed', prLink, source } }]
  return { replies: { post: [{ body: { id: 'job_1' } }], get } }
}

it.for([
  { what: 'the docs are private', isKnown: true, isShown: false },
  { what: 'it isn’t known who can read the docs', isKnown: false, isShown: false },
  { what: 'the code is private, too', isKnown: true, isShown: true },
])(
  'of a docs pull request, title, pages, branch, and preview are outputs alone ($isShown) if $what',
  async ({ isKnown, isShown }, { scene }) => {
    const { world, github } = scene
    const told = hush(scene)
    world.visibility.set('acme/guides', 'PRIVATE')
    if (isShown) world.visibility.set('acme/docs', 'PRIVATE')
    if (!isKnown) github.faults.push({ match: /DocsRepository/, end: '502' })
    const inputs = { 'pr-labels': 'docs' }
    const ends = [
      await scene.ask({ ...told, inputs }),
      await scene.tell(pushTo(world), { ...told, inputs: { ...inputs, prompt: 'Document it.' } }),
    ]
    for (const { summary, log, outputs, titles } of ends) {
      expect(outputs).toMatchObject({
        'pr-title': 'The hush launch',
        'preview-url': `${PREVIEW}/`,
        'preview-status': 'failed',
        'pr-number': '1',
      })
      expect(outputs['pr-files']).toContain('guides/hush.mdx')
      const shown = [summary, ...log, ...titles].join('\n')
      expect(shown.includes('hush')).toBe(isShown)
      expect(summary).toContain('acme/guides/pull/1')
    }
    const replies = world.comments.filter(({ number }) => number === 5)
    const written = JSON.stringify([replies.map(({ history }) => history), scene.statuses()])
    expect(written.includes('hush')).toBe(isShown)
    expect(written).toContain('acme/guides/pull/1')
    expect(scene.statuses().at(-1)).toContain('#1')
  },
)
