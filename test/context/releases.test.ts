import { describe, expect, it } from 'vitest'
import { releasesBefore, tagsBefore } from '../../src/context/releases.ts'

describe('the tag before one', () => {
  it.each([
    ['v1.10.0', ['v1.2.0', 'v1.9.3', 'v1.11.0', 'v2.0.0'], 'v1.9.3'],
    ['v3.25.77', ['v4.2.0', 'v3.25.76', 'v3.25.9'], 'v3.25.76'],
    ['1.0.1', ['v1.0.0'], 'v1.0.0'],
    ['@scope/pkg@1.1.0', ['@scope/other@1.0.9', '@scope/pkg@1.0.0', 'v1.0.5'], '@scope/pkg@1.0.0'],
    ['svm/v0.4.0', ['svm/v0.3.9', 'rpc/v0.3.99', 'v0.3.95'], 'svm/v0.3.9'],
    ['go1.21.5', ['go1.21.4', 'go1.3'], 'go1.21.4'],
    ['i18n-v1.2', ['i18n-v1.1', 'v1.1.5'], 'i18n-v1.1'],
    ['v2.0.0', ['v2.0.0-rc.10', 'v2.0.0-rc.9', 'v1.9.0'], 'v2.0.0-rc.10'],
    ['v2.0.0-rc.1', ['v2.0.0-beta.3', 'v2.0.0', 'v1.9.0'], 'v2.0.0-beta.3'],
    ['3.9.0rc2', ['3.9.0rc1', '3.9.0', '3.9.0b4'], '3.9.0rc1'],
    ['2026.02.1', ['2026.01.30', '2025.12.1'], '2026.01.30'],
    ['v1.1.0+build.2', ['v1.0.0+build.9'], 'v1.0.0+build.9'],
  ])('of %s among %j is %s', (tag, tags, before) => {
    expect(tagsBefore(tag, [tag, ...tags])[0]).toBe(before)
  })

  it.each([
    ['v1.0.0', ['v1.0.0', 'v1.1.0', 'other-v0.9.0']],
    ['nightly', ['v1.0.0']],
    ['', ['v1.0.0']],
  ])('of %s is none among %j', (tag, tags) => {
    expect(tagsBefore(tag, tags)).toEqual([])
  })
})

describe('the release before one', () => {
  const release = (tag_name: string, day: number, draft = false) => ({
    tag_name,
    draft,
    published_at: draft ? null : `2026-01-0${day}T00:00:00Z`,
  })

  it('has the highest lower version, whenever it was published, and is no draft', () => {
    const releases = [
      release('v4.2.0', 4),
      release('v3.1.9', 3, true),
      release('v3.1.8', 1),
      release('v3.1.7', 2),
    ]
    expect(releasesBefore(release('v3.2.0', 5), releases)).toEqual(['v3.1.8', 'v3.1.7'])
  })

  it('was published last before it, where its tag is no version', () => {
    const releases = [release('nightly-c', 4), release('nightly-a', 1), release('v1.0.0', 2)]
    expect(releasesBefore(release('nightly-b', 3), releases)).toEqual(['v1.0.0', 'nightly-a'])
  })
})
