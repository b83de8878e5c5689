import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import ncc from '@vercel/ncc'
import { minify } from 'rolldown/utils'
import { licensesOf } from './licenses.ts'

const require = createRequire(import.meta.url)
const UNDICI = dirname(require.resolve('undici/package.json'))
const LLHTTP = join(UNDICI, 'lib/llhttp')

const LEFT_OUT = `throw new Error('This part of undici is left out of the bundle.')`

/** Files of undici in whose place the bundle has less. */
const REPLACED = {
  // HTTP/2 and form data: `src/machinery/http-way.ts` asks for neither.
  'dispatcher/client-h2.js': `module.exports = () => { ${LEFT_OUT} }`,
  'web/fetch/body.js': LEFT_OUT,
  'web/fetch/formdata.js': LEFT_OUT,
  'web/webidl/index.js': LEFT_OUT,
  // The trial parser, which only an environment variable turns on.
  'dispatcher/parser-h1.js': 'module.exports = { getMiloEnabled: () => false }',
  // An index of header names takes longer to build than it saves in the answers of a run.
  'core/tree.js': 'module.exports = { tree: { lookup: () => null } }',
  // The two tables in use, written out instead of computed by every run.
  'llhttp/constants.js': `module.exports = ${writtenOut(join(LLHTTP, 'constants.js'), ['ERROR', 'TYPE'])}`,
}

/** Lines of undici that load all of `node:http` for its limit of headers, and for a class that no body of ours has. */
const REWRITTEN = {
  'dispatcher/client.js': ["const http = require('node:http')", 'const http = { maxHeaderSize: 16384 }'],
  'core/util.js': ["const { IncomingMessage } = require('node:http')", 'class IncomingMessage {}'],
} as const

/** undici's parser for processors without SIMD lies beside the bundle. */
const WITHOUT_SIMD = {
  '../llhttp/llhttp-wasm.js': './llhttp-wasm.js',
  '@actions/http-client': './unused.js',
  '@actions/http-client/lib/auth': './unused.js',
  '@actions/exec': './unused.js',
}

/**
 * Compiles `src` and bundles it into `dist`. The bundler's own TypeScript loader can't work with TypeScript 7.
 * PERFORMANCE.md says what each step is worth.
 */
async function build(): Promise<void> {
  rmSync('build', { recursive: true, force: true })
  compile()
  // Without a type of its own, the compiled code would be bundled as an ES module, like this package.
  writeFileSync('build/package.json', '{}\n')
  placeUndici('build/node_modules/undici')
  const entry = resolve('build/index.js')
  const { code, assets, stats } = await ncc(entry, { quiet: true, externals: WITHOUT_SIMD })
  rmSync('dist', { recursive: true, force: true })
  mkdirSync('dist')
  await write('action.js', code)
  await write('index.js', "require('./action.js').main()\n")
  await write('post.js', "require('./action.js').post()\n")
  await write('unused.js', '')
  for (const [name, { source }] of Object.entries(assets)) await write(name, source)
  await write('licenses.txt', licensesOf(stats.compilation.modules))
  copyFileSync(join(LLHTTP, 'llhttp-wasm.js'), 'dist/llhttp-wasm.js')
  await write('package.json', '{ "type": "commonjs" }\n')
}

function compile(): void {
  // On Windows the programs of a package are scripts that only a shell can start.
  const shell = process.platform === 'win32'
  execFileSync('tsc', ['--project', 'tsconfig.build.json'], { stdio: 'inherit', shell })
}

/** Puts undici, with what is replaced in it, where the compiled code finds it first. */
function placeUndici(folder: string): void {
  cpSync(UNDICI, folder, { recursive: true })
  for (const [file, code] of Object.entries(REPLACED)) {
    if (!existsSync(join(folder, 'lib', file))) throw new Error(`undici no longer has ${file}`)
    writeFileSync(join(folder, 'lib', file), code)
  }
  for (const [file, [line, instead]] of Object.entries(REWRITTEN)) {
    const code = readFileSync(join(folder, 'lib', file), 'utf8')
    if (!code.includes(line)) throw new Error(`undici's ${file} no longer has the line: ${line}`)
    writeFileSync(join(folder, 'lib', file), code.replace(line, instead))
  }
}

function writtenOut(file: string, names: readonly string[]): string {
  const all = require(file)
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, all[name]])))
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
  writeFileSync(path, asAscii(code))
}

/** Code without a character beyond ASCII: V8 reads it as it is and keeps it in half the memory. */
function asAscii(code: string): string {
  if (/\\[^\0-\x7f]|String\.raw/.test(code)) throw new Error('This code can not be written in ASCII alone.')
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

await build()
