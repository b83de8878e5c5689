import { defineConfig } from 'vitest/config'

// Only the tests of the part are run against its mutants (scripts/mutate.ts), without the bundle. Left out is what draws
// many cases at random or tests another subject: slow for each mutant, and no killer of its own.
export default defineConfig({
  test: {
    testTimeout: 30_000,
    isolate: false,
    include: [`test/${process.env['TESTS']}/**/*.test.ts`],
    exclude: [
      'test/**/*.bundle.test.ts',
      'test/**/*.property.test.ts',
      'test/lib/http*.test.ts',
      'test/event/real-payloads.test.ts',
    ],
    env: { GITHUB_OUTPUT: '', GITHUB_STATE: '', GITHUB_STEP_SUMMARY: '' },
  },
})
