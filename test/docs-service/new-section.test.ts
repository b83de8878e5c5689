import { expect, test } from 'vitest'
import { bestPage } from '../../docs-service/agent/best-page.ts'
import { subjectOf, withNewSection } from '../../docs-service/agent/new-section.ts'

test.each([
  ['Please document the --json flag.', 'the --json flag'],
  ['\n\n## Rate limits\nmore', 'Rate limits'],
  ['[agent: fail] Explain JSON output', 'JSON output'],
  ['[agent: fail]', 'an update of the docs'],
])('the subject of %j is %j', (prompt, subject) => {
  expect(subjectOf(prompt)).toBe(subject)
})

test('a new section comes before the closing section', () => {
  expect(withNewSection('# A\n\ntext\n\n## Next steps\n\n- go\n', 'Explain JSON')).toBe(
    '# A\n\ntext\n\n## JSON\n\nThis section covers JSON.\n\n## Next steps\n\n- go\n',
  )
})

test('without a closing section it comes last, and nothing in it is read as MDX code', () => {
  expect(withNewSection('# A\n\n', 'Add {braces} & <tags>\n* one')).toBe(
    '# A\n\n## &#123;braces} &amp; &lt;tags>\n\nThis section covers &#123;braces} &amp; &lt;tags>. In short:\n\n- one\n',
  )
})

const PAGES = [
  { path: 'introduction.mdx', text: 'Brindle keeps copies. Webhooks are rare.' },
  { path: 'guides/webhooks.mdx', text: 'Receive events.' },
  { path: 'guides/tokens.mdx', text: 'Rotate a token every quarter.' },
]

test.each([
  ['Add a section about webhooks', 'guides/webhooks.mdx'],
  ['How often should I rotate them?', 'guides/tokens.mdx'],
  ['Describe a webhook', 'guides/webhooks.mdx'],
  ['Something else entirely', 'introduction.mdx'],
])('%j is about %s', (prompt, path) => {
  expect(bestPage(PAGES, prompt)?.path).toBe(path)
})
