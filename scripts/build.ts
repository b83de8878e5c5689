import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'

/** Compiles `src` and bundles it into `dist`. The bundler's own TypeScript loader can't work with TypeScript 7. */
function build(): void {
  rmSync('build', { recursive: true, force: true })
  run('tsc', ['--project', 'tsconfig.build.json'])
  rmSync('dist', { recursive: true, force: true })
  run('ncc', ['build', 'build/index.js', '--out', 'dist', '--license', 'licenses.txt', '--quiet'])
}

function run(command: string, args: readonly string[]): void {
  // On Windows the programs of a package are scripts that only a shell can start.
  execFileSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' })
}

build()
