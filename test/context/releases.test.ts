import { describe, expect, it } from 'vitest'
import { releasesBefore, tagsBefore } from '../../src/context/since.ts'

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
    ['v1.0.0', ['v1.0.0', 'v1.1.0', 'other-v0.9.0'], undefined],
    ['nightly', ['v1.0.0'], undefined],
    ['', ['v1.0.0'], undefined],
  ])('of %s among %j is %s', (tag, tags, before) => {
    expect(tagsBefore(tag, [tag, ...tags])[0]).toBe(before)
  })
})

describe('the release before one', () => {
  const release = (tag_name: string, day: number, draft = false) => ({
    tag_name,
    draft,
    published_at: draft ? null : `2026-01-0${day}T00:00:00Z`,
  })

  it.each([
    ['v3.2.0', ['v3.1.8', 'v3.1.7']],
    // Not by version, where its tag is none, but by time.
    ['nightly-b', ['v3.1.7', 'nightly-a', 'v3.1.8']],
  ])('%s is no draft, and none is later: %j', (tag, before) => {
    const days = { 'v3.1.8': 1, 'nightly-a': 2, 'v3.1.7': 3, 'v4.2.0': 5, 'nightly-c': 6 }
    const releases = Object.entries(days).map(([name, day]) => release(name, day))
    expect(releasesBefore(release(tag, 4), [release('v3.1.9', 3, true), ...releases])).toEqual(before)
  })
})
