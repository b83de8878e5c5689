import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { issueComment, person, push } from './events.ts'
import { type GitHubFault, startGitHub } from './github.ts'
import { type Scene, sceneStarter, writtenComment } from './scene.ts'
import { commandOn, startSimulation } from './simulated-runs.ts'

const DIST = join(import.meta.dirname, '../../dist')
const newScene = sceneStarter()
const octocat = person('octocat')
const body = '/docs explain it'
const inputs = { context: 'none' }

async function command(
  fault?: GitHubFault,
  root = '',
): Promise<{ scene: Scene; run: Awaited<ReturnType<Scene['run']>> }> {
  const scene = await newScene({ root })
  scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
  scene.world.pulls.set(5, {})
  const { id } = writtenComment(scene.world, { author: octocat, body })
  if (fault !== undefined) scene.github.faults.push(fault)
  return { scene, run: await scene.run({ event: issueComment({ id, body, author: octocat }), inputs }) }
}

const notPermission = /^(?!.*\/permission).*$/
const limited = { status: 403, body: { message: 'You have exceeded a secondary rate limit.' } }

describe('what GitHub does not do', () => {
  it.each<[string, GitHubFault]>([
    [
      'all is forbidden',
      { match: notPermission, end: { status: 403, body: { message: 'Resource not accessible' } } },
    ],
    ['nothing is found', { match: notPermission, end: { status: 404, body: { message: 'Not Found' } } }],
    ['all is limited', { match: notPermission, end: limited }],
    [
      'all is limited for long',
      { match: notPermission, end: { ...limited, headers: { 'retry-after': '3600' } } },
    ],
  ])('never fails the job: %s', async (_what, fault) => {
    const { scene, run } = await command(fault)
    expect(run).toMatchObject({ exitCode: 0, outputs: { result: 'pull-request' } })
    expect(run.log).toContain('::GitHub could not be asked to')
    expect(scene.docs.jobs).toHaveLength(1)
  })

  it('is warned of once for each permission that is missing', async () => {
    const { run } = await command({ match: notPermission, end: { status: 403, body: {} } })
    const warnings = [...run.log.matchAll(/::warning title=[^:]*::.*needs the permission `([^`]*)`/g)].map(
      ([, name]) => name,
    )
    expect(warnings).toEqual(['pull-requests: write'])
  })

  it('is no failure where somebody else has taken the reaction away', async () => {
    const gone = { status: 404, body: { message: 'Not Found' } }
    const { scene, run } = await command({ match: /^DELETE /, end: gone })
    expect(run.log).not.toContain('::warning')
    expect(run.state['pending-comment']).toBe('')
    expect(scene.github.requests.filter((line) => line.startsWith('DELETE'))).toHaveLength(1)
  })

  it('names `issues: write` for an issue', async () => {
    const scene = await newScene()
    scene.world.roles.set('octocat', { permission: 'write', role_name: 'write' })
    scene.world.scopes.clear()
    const { id } = writtenComment(scene.world, { author: octocat, body, number: 8 })
    const run = await scene.run({
      event: issueComment({ id, body, author: octocat, number: 8, onIssue: true }),
      inputs,
    })
    expect(run.log.match(/::warning title=[^:]*::.*`issues: write`/g)).toHaveLength(1)
  })

  it('is asked for again where it is only read or means the same twice, after the pause that GitHub names', async () => {
    const { scene, run } = await command({
      match: /eyes|^GET|^PATCH/,
      end: { status: 503, body: {}, headers: { 'retry-after': '0' } },
      times: 2,
    })
    expect(run.log).not.toContain('::warning')
    expect(scene.github.requests.slice(0, 4)).toEqual([
      'GET /collaborators/octocat/permission',
      'GET /collaborators/octocat/permission',
      'GET /collaborators/octocat/permission',
      'POST /issues/comments/5001/reactions eyes',
    ])
  })

  it('is not asked for again where it may have been done: one reply, not two', async () => {
    const { scene } = await command({
      match: /^POST \/issues\/5\/comments$/,
      end: { status: 502, body: {} },
      times: 1,
      handled: true,
    })
    expect(scene.said()).toMatchObject([
      [expect.stringContaining('Passing this on'), expect.stringContaining('Pull request ready')],
      [expect.stringContaining('💬')],
    ])
  })

  it.each<[string, GitHubFault['end']]>([
    ['all fails', { status: 502, body: 'Bad gateway' }],
    ['all connections break', 'reset'],
  ])('never fails the job, and is asked for three times: %s', async (_what, end) => {
    const github = await startGitHub()
    const simulation = await startSimulation(github, { latencyMs: () => 100 })
    onTestFinished(async () => {
      await Promise.all([simulation.close(), github.close()])
    })
    github.faults.push({ match: notPermission, end })
    const run = simulation.run({ event: commandOn(simulation, body), runId: 1001 })
    const { outputs, log } = await simulation.clock.runUntil(run)
    expect(outputs['result']).toBe('pull-request')
    expect(log.join('\n')).toContain('GitHub could not be asked to')
    expect(simulation.docs.jobs).toHaveLength(1)
    expect(github.requests.filter((line) => line.endsWith(' eyes'))).toHaveLength(3)
    expect(github.requests.filter((line) => line === 'POST /issues/5/comments').length).toBeLessThanOrEqual(2)
  })

  it('never follows a redirect with the token', async () => {
    const { scene, run } = await command({
      match: notPermission,
      end: { status: 302, body: {}, headers: { location: 'https://example.com/' } },
    })
    expect(run.outputs['result']).toBe('pull-request')
    expect(run.log).toContain('redirects are not followed')
    expect(scene.docs.jobs).toHaveLength(1)
  })
})

describe('a GitHub Enterprise Server', () => {
  it('is asked below its own path', async () => {
    const { scene, run } = await command(undefined, '/api/v3')
    expect(run.outputs).toMatchObject({ result: 'pull-request', 'comment-id': '5002' })
    expect(scene.reactions()).toEqual(['rocket'])
  })
})

describe("GitHub's client", () => {
  it('is not even loaded by a run that needs nothing of GitHub', async () => {
    const scene = await newScene()
    const env = { NODE_DEBUG: 'module', GITHUB_API_URL: 'no URL at all' }
    const inputs = { prompt: 'Document it.', comment: 'never' }
    const run = await scene.run({ inputs, env })
    expect(run.outputs['result']).toBe('pull-request')
    const withClient = readdirSync(DIST).filter((file) => {
      return readFileSync(join(DIST, file), 'utf8').includes('listForAuthenticatedUser')
    })
    expect(withClient).toEqual([expect.stringMatching(/^(?!index\.js$).*\.js$/)])
    expect(run.log).not.toContain(`dist/${withClient[0]}`)
    const asking = await scene.run({
      event: push(),
      inputs: { prompt: 'Document it.' },
      env: { NODE_DEBUG: 'module' },
    })
    expect(asking.log).toContain(`dist/${withClient[0]}`)
  })

  it('has a token that no log holds, whatever GitHub says', async () => {
    const scene = await newScene()
    const token = scene.github.token
    scene.github.faults.push({
      match: /./,
      end: { status: 403, body: { message: `Bad ${token}\n::error::x` } },
    })
    const run = await scene.run({ event: push(), inputs: { prompt: 'Document it.' } })
    expect(run.log.replace(`::add-mask::${token}`, '')).not.toContain(token)
    expect(run.log).not.toMatch(/^::error::/m)
  })
})
