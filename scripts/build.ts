import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { minify } from 'terser'

/**
 * Compiles `src` and bundles it into `dist`. The bundler's own TypeScript loader can't work with TypeScript 7.
 * PERFORMANCE.md says what CommonJS and minifying are worth.
 */
async function build(): Promise<void> {
  rmSync('build', { recursive: true, force: true })
  run('tsc', ['--project', 'tsconfig.build.json'])
  // Without a type of its own, the compiled code would be bundled as an ES module, like this package.
  writeFileSync('build/package.json', '{}\n')
  rmSync('dist', { recursive: true, force: true })
  run('ncc', ['build', 'build/index.js', '--out', 'dist', '--minify', '--license', 'licenses.txt', '--quiet'])
  await minifyChunks('dist')
  writeFileSync('dist/package.json', '{ "type": "commonjs" }\n')
}

/** The bundler minifies its main file alone; this does the parts that are loaded on demand. */
async function minifyChunks(folder: string): Promise<void> {
  for (const name of readdirSync(folder).filter((file) => /^\d+\.index\.js$/.test(file))) {
    const path = join(folder, name)
    const { code } = await minify(readFileSync(path, 'utf8'))
    if (code === undefined) throw new Error(`${name} could not be minified`)
    writeFileSync(path, code)
  }
}

function run(command: string, args: readonly string[]): void {
  // On Windows the programs of a package are scripts that only a shell can start.
  execFileSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' })
}

await build()
