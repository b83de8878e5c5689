import { expect } from 'vitest'
import { DONE, itWithScene, RERUN, RUN, WORKING } from '../look/runs.ts'
import type { GitHubFault } from '../support/github.ts'

const it = itWithScene()
const CANCEL = '🛑 **Canceled: the job is still running**'
const REPLY = /^POST \/issues\/5\/comments$/
const SLOW = { replies: { post: [{ takesMs: 5000 }] } }

it('the post step of a killed run ends its reply with the way to wait for the job', async ({
  scene,
}) => {
  const { post } = await scene.ask({ killAtMs: 3000 })
  expect(scene.said()[0]?.at(-1)).toBe(
    `🛑 **Interrupted**\n\n**octocat** asked: explain it · ${RUN}\n\n` +
      `The workflow run was interrupted. The job is still running. To wait for it, re-run the ${RUN}, or run the action with \`job-id: job_1\`.`,
  )
  const finished = 'Finished the comment https://github.com/acme/docs/pull/5#issuecomment-5002.'
  expect(post.log).toContain(finished)
})

it('the post step of a killed run ends what was begun before GitHub has answered, and leaves no secret in the state', async ({
  scene,
}) => {
  scene.github.faults.push({ match: REPLY, end: { delayMs: 2000 } })
  const words = '/docs explain mint_0123456789'
  const { state } = await scene.ask({ words, killAtMs: 1000 })
  expect(scene.headlines()).toEqual(['🛑 **Interrupted**'])
  expect(JSON.stringify([state, scene.said()])).not.toContain('mint_0123456789')
})

it('the post step of a killed run ends a reply in a review thread there, with the words that a job may be running', async ({
  scene,
}) => {
  const event = scene.reviewComment('/docs explain this line')
  const { post } = await scene.tell(event, { ...SLOW, killAtMs: 3000 })
  expect(post.log.join('\n')).toContain('responded, so a job may be running.')
  expect(scene.said()[0]?.at(-1)).toContain(
    'If a job was started, it is still running and may open a pull',
  )
  expect(scene.world.comments[1]?.kind).toBe('review')
})

it.for([
  {
    what: 'a record of a job',
    options: { inputs: { prompt: 'Document it.' } },
    says: 'It started no job.',
  },
  {
    what: 'a request for a job',
    options: { ...SLOW, inputs: { prompt: 'Document it.' } },
    says: 'so a job may be running.',
  },
])('the post step of a killed run reports $what', async ({ options, says }, { scene }) => {
  const slow = says === 'It started no job.' ? [/graphql/, /^POST \/statuses/] : []
  for (const match of slow) scene.github.faults.push({ match, end: { delayMs: 5000 } })
  const event = { name: 'schedule', payload: {} }
  const { post } = await scene.tell(event, { ...options, killAtMs: 1000 })
  expect(post.summary).toContain(says)
})

const body = { message: 'You have exceeded a secondary rate limit.' }
const limit = { status: 403, body, headers: { 'retry-after': '50' } }
it.for<[string, GitHubFault['end'], number]>([
  ['a secondary limit', limit, 45_000],
  ['502', '502', 10_000],
  ['no comment', 'empty', 10_000],
  ['a stray 404', '404', 0],
  ['a stray 403', '403', 0],
  ['a stray 422', '422', 0],
])(
  'the post step makes the last edit, which failed with %s',
  async ([_what, end, recoversMs], { scene }) => {
    const { clock, github } = scene
    clock.at(clock.now() + 7000, () => github.faults.push({ match: /./, end }))
    await scene.ask({
      beforePost() {
        expect(scene.headlines()).toEqual([WORKING])
        if (recoversMs === 0) github.faults.splice(0)
        else clock.at(clock.now() + recoversMs, () => github.faults.splice(0))
      },
    })
    expect(scene.headlines()).toEqual([DONE])
  },
)

it('the post step looks for the reply before each of its three tries to write it', async ({
  scene,
}) => {
  const { clock, github } = scene
  github.faults.push({ match: REPLY, end: '502' })
  const { post } = await scene.ask({
    beforePost: () => clock.at(clock.now() + 10_000, () => github.faults.splice(0)),
  })
  const [look, write] = ['GET /issues/5/comments', 'POST /issues/5/comments']
  expect(post.requests).toEqual([look, write, look, write, look, write])
  expect(post.tookMs).toBe(12_000)
  expect(scene.headlines()).toEqual(['❌ **GitHub is unavailable (502)**'])
})

it.for([
  ['that somebody deleted is written anew at the end', true],
  ['that only seems to be deleted is edited, without a second one', false],
] as const)('a reply %s', async ([_what, isDeleted], { scene }) => {
  const { clock, github, world } = scene
  clock.at(clock.now() + 7000, () => {
    if (isDeleted) world.comments.splice(1, 1)
    else github.faults.push({ match: /^PATCH /, end: '404', times: 1 })
  })
  const { warnings } = await scene.ask()
  expect([scene.headlines(), warnings]).toEqual([[DONE], []])
})

it.for([
  [5, 'pull-requests: write'],
  [8, 'issues: write'],
] as const)(
  'a command on %i does not start a job without `%s`, and its re-run does not either',
  async ([number, name], { scene }) => {
    scene.world.scopes.clear()
    const event = scene.comment('/docs explain it', { number, onIssue: number === 8 })
    for (const run of [{}, RERUN]) {
      const { calls, outputs, log, titles, post } = await scene.tell(event, run)
      expect([calls, outputs['result']]).toEqual([[], 'error'])
      expect(titles).toEqual([expect.stringMatching(/^Missing permission: /)])
      expect(log.join()).toContain(`  ${name}`)
      expect([post.requests, post.titles]).toEqual([[], []])
    }
  },
)

it.for([
  ['ends its reply, and leaves lookups to the post step', false, CANCEL],
  ['leaves all to the post step where GitHub fails', true, WORKING],
] as const)('a run that is canceled %s', async ([_what, isFailing, headline], { scene }) => {
  const { clock, github } = scene
  if (isFailing) clock.at(clock.now() + 5500, () => github.faults.push({ match: /./, end: '502' }))
  const { tookMs, warnings } = await scene.ask({
    end: 'cancelled',
    beforePost() {
      expect(scene.headlines()).toEqual([headline])
      github.faults.splice(0)
    },
  })
  expect(tookMs).toBeLessThanOrEqual(6000 + 4000)
  expect(scene.headlines()).toEqual([CANCEL])
  expect(warnings).toEqual([])
})
