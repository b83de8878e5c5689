import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import ncc from '@vercel/ncc'
import { minify } from 'rolldown/utils'
import { licensesOf } from './licenses.ts'

const LEFT_OUT = './left-out.js'
const WITHOUT_SIMD = './llhttp-wasm.js'

/** Stands for a part that is not there; the parser that it stands for is only used if it says so. */
const LEFT_OUT_CODE = `
module.exports = () => { throw new Error('This part of undici is left out of the bundle.') }
module.exports.getMiloEnabled = () => false
`

/** What undici imports in case it is asked for; PERFORMANCE.md says what that is worth. */
const NOT_BUNDLED = {
  // HTTP/2, its second HTTP/1 parser and form data: `src/machinery/http-way.ts` asks for none of them.
  './client-h2.js': LEFT_OUT,
  './parser-h1.js': LEFT_OUT,
  '../web/fetch/body.js': LEFT_OUT,
  '../web/fetch/formdata': LEFT_OUT,
  '../web/webidl': LEFT_OUT,
  // Beside the bundle, for processors that can't do with the other one.
  '../llhttp/llhttp-wasm.js': WITHOUT_SIMD,
}

/**
 * Compiles `src` and bundles it into `dist`. The bundler's own TypeScript loader can't work with TypeScript 7.
 * PERFORMANCE.md says what CommonJS and minifying are worth.
 */
async function build(): Promise<void> {
  rmSync('build', { recursive: true, force: true })
  compile()
  // Without a type of its own, the compiled code would be bundled as an ES module, like this package.
  writeFileSync('build/package.json', '{}\n')
  const entry = resolve('build/index.js')
  const { code, assets, stats } = await ncc(entry, { quiet: true, externals: NOT_BUNDLED })
  rmSync('dist', { recursive: true, force: true })
  mkdirSync('dist')
  await write('index.js', code)
  for (const [name, { source }] of Object.entries(assets)) await write(name, source)
  await write('licenses.txt', licensesOf(stats.compilation.modules))
  await write(LEFT_OUT, LEFT_OUT_CODE)
  copyFileSync(
    createRequire(import.meta.url).resolve('undici/lib/llhttp/llhttp-wasm.js'),
    join('dist', WITHOUT_SIMD),
  )
  await write('package.json', '{ "type": "commonjs" }\n')
}

function compile(): void {
  // On Windows the programs of a package are scripts that only a shell can start.
  const shell = process.platform === 'win32'
  execFileSync('tsc', ['--project', 'tsconfig.build.json'], { stdio: 'inherit', shell })
}

/** Writes a file of `dist`, minified if it is code. Functions and classes keep the names that errors show. */
async function write(name: string, source: string | Uint8Array): Promise<void> {
  const path = join('dist', name)
  if (!name.endsWith('.js')) return writeFileSync(path, source)
  const options = {
    compress: { keepNames: { function: true, class: true } },
    mangle: { toplevel: true, keepNames: true },
  }
  const { code, errors } = await minify(name, String(source), options)
  if (errors.length > 0) throw new Error(`${name} could not be minified: ${errors[0]?.message}`)
  writeFileSync(path, code)
}

await build()
