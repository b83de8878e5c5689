import { expect, it } from 'vitest'
import { sentencesWithCode } from '../../src/lib/markdown.ts'
import { docsLink } from '../../src/lib/text.ts'

it('links to the docs stay links in summaries and comments, and other addresses do not become some', () => {
  const steps = `Rotate \`a\` ${docsLink('manage.md#rotate-the-api-key')}, not https://evil.example/docs/manage.md.`
  expect(sentencesWithCode(steps).source).toMatch(
    /^Rotate `a` \(\[docs\]\(https:\/\/github\.com\/[^\s()]+\/docs\/manage\.md#rotate-the-api-key\)\), not https:\u200B\/\/evil/,
  )
})
