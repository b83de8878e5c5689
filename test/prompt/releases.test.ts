import { describe, expect, it } from 'vitest'
import { tagsBefore } from '../../src/prompt/bases.ts'
import { event } from '../support/events.ts'
import { type Harness, startHarness } from '../support/harness.ts'
import { COMPARED, COMPARISON, RUN, tell } from './describe-run.ts'

/** A tag, others of the repository, and the one before it. */
const TAGS = [
  ['v1.10.0', ['v1.2.0', 'v1.9.3', 'v1.11.0', 'v2.0.0'], 'v1.9.3'],
  ['v3.25.77', ['v4.2.0', 'v3.25.76', 'v3.25.9'], 'v3.25.76'],
  ['@scope/pkg@1.1.0', ['@scope/other@1.0.9', '@scope/pkg@1.0.0', 'v1.0.5'], '@scope/pkg@1.0.0'],
  ['svm/v0.4.0', ['svm/v0.3.9', 'rpc/v0.3.99', 'v0.3.95'], 'svm/v0.3.9'],
  ['i18n-v1.2', ['i18n-v1.1', 'v1.1.5'], 'i18n-v1.1'],
  ['v2.0.0', ['v2.0.0-rc.10', 'v2.0.0-rc.9', 'v1.9.0'], 'v2.0.0-rc.10'],
  ['v2.0.0-rc.1', ['v2.0.0-beta.3', 'v2.0.0', 'v1.9.0'], 'v2.0.0-beta.3'],
  ['3.9.0rc2', ['3.9.0rc1', '3.9.0', '3.9.0b4'], '3.9.0rc1'],
  ['2026.02.1', ['2026.01.30', '2025.12.1'], '2026.01.30'],
  ['v1.1.0+build.2', ['v1.0.0+build.9'], 'v1.0.0+build.9'],
  ['v1.0.0', ['v1.0.0', 'v1.1.0', 'other-v0.9.0'], undefined],
  ['nightly', ['v1.0.0'], undefined],
] as const

it.each(TAGS)('the tag before %s among %j is %s', (tag, tags, before) => {
  expect(tagsBefore(tag, [tag, ...tags])[0]).toBe(before)
})

describe('a release', () => {
  const release = {
    name: 'Ship it',
    body: 'Notes <!-- x -->',
    html_url: 'https://github.com/releases/1',
  }
  const notes = ['Notes:', '  Notes']

  /** What is told of a release of this tag. */
  function tellOf(tag_name: string, scene: Harness) {
    const made = event('release', { action: 'published', release: { ...release, tag_name } })
    return tell(scene, { event: made })
  }

  it('is told with what has changed since the release before it on another commit', async () => {
    const scene = await startHarness()
    const { releases, comparisons } = scene.world
    for (const tag_name of ['pkg@1.1.0', 'pkg@1.1.0-rc.1', 'other@1.0.9', 'pkg@1.0.0'])
      releases.push({ tag_name, draft: false })
    releases.push({ tag_name: 'pkg@1.0.9', draft: true })
    comparisons.set('pkg@1.1.0-rc.1...pkg@1.1.0', {
      status: 'identical',
      total_commits: 0,
      commits: [],
      files: [],
    })
    comparisons.set('pkg@1.0.0...pkg@1.1.0', COMPARISON)
    const { lines, requests } = await tellOf('pkg@1.1.0', scene)
    const known = [RUN, 'Release: Ship it', 'Tag: pkg@1.1.0', 'URL: https://github.com/releases/1']
    const before = ['Release before: pkg@1.0.0', COMPARED[0]]
    expect(lines.slice(2)).toEqual([...known, ...before, ...notes, ...COMPARED.slice(1)])
    const compared = ['pkg@1.1.0-rc.1...pkg@1.1.0', 'pkg@1.0.0...pkg@1.1.0']
    expect(requests).toEqual(['GET /releases', ...compared.map((ends) => `GET /compare/${ends}`)])
  })

  it.each([
    ['none', 'there is nothing to compare with', []],
    [
      'not known',
      'GitHub returned 502',
      [expect.stringMatching(/^warning: Failed to read what has changed/)],
    ],
  ])('without one says so: %s', async (before, why, logged) => {
    const scene = await startHarness()
    if (before !== 'none')
      scene.github.faults.push({ match: /releases/, end: { status: 502, body: {} } })
    const known = await tellOf('pkg@1.0.0', scene)
    const files = `Changed files: not known: ${why}`
    expect(known.lines.slice(6)).toEqual([`Release before: ${before}`, ...notes, files])
    expect(known.logged).toEqual(logged)
  })
})
