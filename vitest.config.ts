import { defineConfig } from 'vitest/config'

/** Tests that run `dist/`, which is built before the first of them. */
const BUNDLE = 'test/**/*.bundle.test.ts'

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most of the time these tests wait for processes that they started.
    maxWorkers: 4,
    // A worker loads each module once, not once for each file: nothing here keeps state in a module.
    isolate: false,
    // On a runner, what a test sets as an output would become one of the step that runs the tests.
    env: { GITHUB_OUTPUT: '', GITHUB_STATE: '', GITHUB_STEP_SUMMARY: '' },
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: [BUNDLE] } },
      {
        extends: true,
        test: { name: 'bundle', include: [BUNDLE], globalSetup: 'test/support/build-bundle.ts' },
      },
    ],
  },
})
