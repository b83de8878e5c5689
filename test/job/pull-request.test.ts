import { expect, it } from 'vitest'
import { pullRequestName, pullRequestNumber } from '../../src/job/outcome.ts'

it.each([
  ['https://github.com/acme/docs/pull/12', '12', 'acme/docs#12'],
  ['https://github.com/acme/docs/pull/12/files', '12', 'acme/docs#12'],
  ['https://gitlab.com/group/sub/docs/-/merge_requests/7', '7', 'group/sub/docs!7'],
  ['https://bitbucket.org/acme/docs/pull-requests/3', '3', 'acme/docs#3'],
  ['https://github.com.example/acme/docs/pull/7', '7', 'github.com.example/acme/docs#7'],
  ['https://example.com/reviews/5', '', 'example.com/reviews/5'],
  ['https://github.com/acme/docs/pull/x1', '', 'github.com/acme/docs/pull/x1'],
  ['not a url', '', 'not a url'],
])('%s has the number %j and the name %s', (link, number, name) => {
  expect(pullRequestNumber(link)).toBe(number)
  expect(pullRequestName(link)).toBe(name)
})

it('no link has no number', () => {
  expect(pullRequestNumber(null)).toBe('')
})
