import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'

/** Compiles `src` and bundles it into `dist`. The bundler's own TypeScript loader can't work with TypeScript 7. */
function build(): void {
  for (const folder of ['build', 'dist']) rmSync(folder, { recursive: true, force: true })
  execFileSync('tsc', ['--project', 'tsconfig.build.json'], { stdio: 'inherit' })
  execFileSync('ncc', ['build', 'build/index.js', '--out', 'dist', '--license', 'licenses.txt', '--quiet'], {
    stdio: 'inherit',
  })
}

build()
