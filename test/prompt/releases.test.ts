import { describe, expect, it } from 'vitest'
import { tagsBefore } from '../../src/look/tags.ts'
import { event } from '../support/events.ts'
import { type Harness, startHarness } from '../support/harness.ts'
import { AFTER, addCommit, BEFORE } from '../support/world.ts'
import { addJob, COMPARED, COMPARISON, contextOf, RUN } from './describe-run.ts'

/** A tag, lower and other tags of the repository, and the one to compare with. */
const TAGS: readonly { tag: string; tags: string; before: string | undefined }[] = [
  { tag: 'v1.10.0', tags: 'v1.2.0 v1.9.3 v1.11.0 v2.0.0', before: 'v1.9.3' },
  {
    tag: '@scope/pkg@1.1.0',
    tags: '@scope/other@1.0.9 @scope/pkg@1.0.0 v1.0.5',
    before: '@scope/pkg@1.0.0',
  },
  { tag: 'i18n-v1.2', tags: 'i18n-v1.1 v1.1.5', before: 'i18n-v1.1' },
  { tag: 'v2.0.0', tags: 'v2.0.0-rc.10 v1.9.0 v1.10.0-beta.1', before: 'v1.9.0' },
  { tag: 'v2.0.0-rc.10', tags: 'v2.0.0-rc.9 v2.0.0-beta.3 v2.0.0 v1.9.0', before: 'v2.0.0-rc.9' },
  { tag: '3.9.0rc2', tags: '3.9.0rc1 3.9.0 3.9.0b4', before: '3.9.0rc1' },
  { tag: 'v0.5.10.post1', tags: 'v0.5.10 v0.5.10rc0 v0.5.9', before: 'v0.5.10' },
  { tag: 'v0.5.11', tags: 'v0.5.10 v0.5.10.post1 v0.5.11-rc1', before: 'v0.5.10.post1' },
  { tag: 'v1.2.0-hotfix.1', tags: 'v1.2.0 v1.2.0-rc.1 v1.1.0', before: 'v1.2.0' },
  { tag: 'v1.28.5+k3s2', tags: 'v1.28.5+k3s1 v1.28.5-rc1+k3s1', before: 'v1.28.5+k3s1' },
  { tag: '2026.02.1', tags: '2026.01.30 2025.12.1', before: '2026.01.30' },
  { tag: 'v.docker.4.5.1', tags: 'v.docker.4.5.0 v4.5.0', before: 'v.docker.4.5.0' },
  { tag: 're2-supervisor-b', tags: 're2-supervisor-a', before: undefined },
  { tag: 'v4.0.0', tags: 'v4 v3 v3.9.0 v4.1.0', before: 'v3.9.0' },
  { tag: 'v1.0.0', tags: 'v1.0.0-rc.1 v1.1.0 other-v0.9.0', before: undefined },
]

it.each(TAGS)('the tag before $tag among $tags is $before', ({ tag, tags, before }) => {
  expect(tagsBefore(tag, [tag, ...tags.split(' ')])[0]).toBe(before)
})

describe('a release', () => {
  const release = {
    name: 'Ship it',
    body: 'Notes <!-- x -->',
    html_url: 'https://github.com/releases/1',
  }
  const notes = ['Notes:', '  Notes']

  /** What is told of a release of this tag. */
  function tellOf(
    tag_name: string,
    scene: Harness,
    { published_at = '2026-03-01T00:00:00Z', inputs = {} } = {},
  ) {
    const change = { ...release, tag_name, published_at }
    const made = event('release', { action: 'published', release: change })
    return contextOf(scene, made, inputs)
  }

  it('is compared with the version before it on another commit, among thousands of tags and releases of other packages', async () => {
    const scene = await startHarness()
    const { tags, releases, comparisons } = scene.world
    for (let patch = 0; patch < 320; patch++) {
      tags.set(`pkg-b@2.0.${patch}`, BEFORE)
      releases.push({ tag_name: `pkg-b@2.0.${patch}`, draft: false })
    }
    addCommit(scene.world, { sha: AFTER })
    tags.set('pkg@1.0.0', BEFORE)
    for (const name of ['pkg@1.0.1', 'pkg@1.1.0-rc.1', 'pkg@1.1.0']) tags.set(name, AFTER)
    comparisons.set('pkg@1.0.0...pkg@1.1.0', COMPARISON)
    const { lines, requests } = await tellOf('pkg@1.1.0', scene)
    const known = [RUN, 'Release: Ship it', 'Tag: pkg@1.1.0', 'URL: https://github.com/releases/1']
    const before = ['Release before: pkg@1.0.0', COMPARED[0]]
    expect(lines.slice(2)).toEqual([...known, ...before, ...notes, ...COMPARED.slice(1)])
    expect(requests).toEqual([
      'GET /git/matching-refs/tags/pkg@',
      'POST /graphql TagCommits',
      'GET /compare/pkg@1.0.0...pkg@1.1.0',
    ])
  })

  it("that isn't a version is compared with the newest release published before it", async () => {
    const scene = await startHarness()
    const days = { autumn: '03', summer: '01', spring: '02', winter: '04' }
    for (const [tag_name, day] of Object.entries(days))
      scene.world.releases.push({
        tag_name,
        published_at: `2026-02-${day}T00:00:00Z`,
        draft: false,
      })
    scene.world.comparisons.set('spring...autumn', COMPARISON)
    const { lines } = await tellOf('autumn', scene, { published_at: '2026-02-03T00:00:00Z' })
    expect(lines).toEqual(expect.arrayContaining(['Release before: spring', ...COMPARED]))
  })

  it('that is the first of all has its commit', async () => {
    const scene = await startHarness()
    const { lines, logged } = await tellOf('pkg@1.0.0', scene)
    const compare = `Compare: https://github.com/acme/docs/commit/${BEFORE}`
    const changes = ['Commits:', '- aaaaaaa Begin', 'Changed files: none']
    expect(lines.slice(6)).toEqual(['Release before: none', compare, ...notes, ...changes])
    expect(logged).toEqual([])
  })

  it.each([
    { what: 'the notes alone', inputs: {}, requests: [] },
    {
      what: 'its changes with `paths`',
      inputs: { paths: 'src/**' },
      requests: ['POST /graphql TagCommits', 'GET /compare/pkg-a@1.0.0...pkg-a@1.1.0'],
    },
  ])('on the commit of the last job has $what', async ({ inputs, requests: compared }) => {
    const scene = await startHarness()
    const { tags, comparisons } = scene.world
    addCommit(scene.world, { sha: AFTER })
    addJob(scene, AFTER)
    tags.set('pkg-a@1.0.0', BEFORE)
    comparisons.set('pkg-a@1.0.0...pkg-a@1.1.0', COMPARISON)
    const { lines, requests } = await tellOf('pkg-a@1.1.0', scene, { inputs })
    expect(lines).toEqual(expect.arrayContaining(notes))
    expect(lines.some((line) => line.startsWith('Changes: '))).toBe(compared.length === 0)
    expect(lines.includes('- 1111111 Add a flag')).toBe(compared.length > 0)
    expect(requests).toEqual(['GET /git/matching-refs/tags/pkg-a@', ...compared])
  })
})
