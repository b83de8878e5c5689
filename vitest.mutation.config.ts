import { defineConfig } from 'vitest/config'

// What decides is tested without the bundle: only those tests are run against mutants.
export default defineConfig({
  test: {
    testTimeout: 30_000,
    include: [
      'test/{comments,context,events,github,inputs,job,lib,memory,readers,runner,service}/**/*.test.ts',
    ],
    exclude: [
      'test/**/*.bundle.test.ts',
      'test/**/*.property.test.ts',
      'test/lib/http*.test.ts',
      'test/events/real-payloads.test.ts',
      'test/memory/failing-github.test.ts',
    ],
    env: { GITHUB_OUTPUT: '', GITHUB_STATE: '', GITHUB_STEP_SUMMARY: '' },
  },
})
