import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const DEMO = join(import.meta.dirname, '../../scripts/demo.ts')

test('without a terminal the demo shows the whole of a run, prints no link that is dead, and ends', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [DEMO])
  expect(stdout).toMatch(/^Notice: /m)
  expect(stdout).toMatch(/^result +pull-request$/m)
  expect(stdout).toMatch(/^## ✅ /m)
  expect(stdout).toContain('- modified src/commands/upgrade.ts\n- modified src/options.ts')
  expect(stdout).toMatch(/^commit [0-9a-f]{40}$/m)
  expect(stdout).toContain('    Based on the changes in src/commands/upgrade.ts and src/options.ts.')
  expect(stdout).toContain('\n+## Why an upgrade needs a fresh snapshot\n')
  expect(stdout).not.toMatch(/127\.0\.0\.1|localhost|::|mint_/)
})

test('a run that ends without a pull request is a failed demo', async () => {
  const run = promisify(execFile)(process.execPath, [DEMO, '--fault', 'no-credits'])
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining('The run ended with error and exit code 1.'),
  })
})
