import { defineConfig } from 'vitest/config'

// What decides is tested without the bundle: only those tests are run against mutants.
export default defineConfig({
  test: {
    include: ['test/{inputs,lib,runner,service,trigger,context,job,comments,visitors}/**/*.test.ts'],
    exclude: ['test/lib/http*.test.ts', 'test/lib/tls.test.ts'],
  },
})
