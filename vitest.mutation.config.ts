import { defineConfig } from 'vitest/config'

// What decides is tested without the bundle: only those tests are run against mutants. Left out is what draws many
// cases at random or tests another subject: slow for each mutant, and no killer of its own.
export default defineConfig({
  test: {
    testTimeout: 30_000,
    isolate: false,
    include: ['test/{context,decide,inputs,job,lib,look,pull,record}/**/*.test.ts'],
    exclude: [
      'test/**/*.bundle.test.ts',
      'test/**/*.property.test.ts',
      'test/lib/http*.test.ts',
      'test/look/real-payloads.test.ts',
      'test/record/failing-github.test.ts',
    ],
    env: { GITHUB_OUTPUT: '', GITHUB_STATE: '', GITHUB_STEP_SUMMARY: '' },
  },
})
