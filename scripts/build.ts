import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ncc, { type BundledModule } from '@vercel/ncc'
import { minify } from 'rolldown/utils'
import { readOptions } from './options.ts'

const USAGE = `Builds dist/ from src/: compiles it, and bundles it with the packages that it uses.

  npm run build`

/** Replaces a module that is loaded at start, but never used. */
const UNUSED = './unused.js'
/** Replaces an optional module; the module that loads it catches the error. */
const MISSING = './missing.js'

/**
 * Modules that the bundle leaves out because a run never uses them, by the text of the import (between slashes, a regular
 * expression), with their replacements. An entry that no longer matches only makes the bundle larger.
 * `test/main/transport.bundle.test.ts` goes through all of undici that is in use; bench/README.md has the sizes.
 */
const LEFT_OUT = {
  // undici speaks HTTP/2 only without `allowH2: false` (src/lib/http.ts).
  './client-h2.js': UNUSED,
  // A proxy is http or https.
  '/^\\./(lib/dispatcher/)?socks5-proxy-agent$/': UNUSED,
  // RetryAgent and its interceptor repeat requests. This action repeats them itself (src/lib/time.ts).
  '/^\\.\\.?/(lib/)?handler/retry-handler$/': UNUSED,
  // undici's trial parser is used only without `useMilo: false` (src/lib/http.ts).
  '/^\\.\\./milo/(no-)?simd\\.js$/': MISSING,
  // fetch, WebSocket, EventSource, cookies and FormData: this action uses undici's `request` and `EnvHttpProxyAgent`, with bodies of text.
  '/^(\\./lib|\\.\\.)/web/.+/': UNUSED,
  '/^\\.\\./web/webidl$/': UNUSED,
  // Test doubles, caches and interceptors are only used by code that asks for them by name.
  '/^\\./lib/(mock|cache|interceptor)/.+/': UNUSED,
  // @actions/core asks for an OIDC token with it, which this action does not. @actions/github makes proxy agents with
  // it, but they go unused: the action hands Octokit a `fetch` of its own (src/github/client.ts).
  '@actions/http-client': UNUSED,
  // @actions/core starts programs with it to describe the platform, which this action does not ask for.
  '@actions/exec': UNUSED,
}

/** `new` of these two is called at start; whatever else is asked of them fails. */
const UNUSED_CODE = `// In the place of modules of which a run uses nothing: see scripts/build.ts.
exports.CacheStorage = class {}
exports.HttpClient = class { getAgent() {} getAgentDispatcher() {} }
`

const MISSING_CODE = `throw new Error('This module is left out of the bundle: see scripts/build.ts.')
`

/**
 * Compiles `src` and bundles it into `dist`: `action.js` for both steps, with modules that are loaded on demand in their
 * own files, and a small file for each step. The bundler's own TypeScript loader can't work with TypeScript 7.
 */
async function build(): Promise<void> {
  rmSync('build', { recursive: true, force: true })
  // On Windows the programs of a package are scripts that only a shell can start.
  const shell = process.platform === 'win32'
  execFileSync('tsc', ['--project', 'config/tsconfig.build.json'], { stdio: 'inherit', shell })
  // Without a type of its own, the compiled code would be bundled as an ES module, like this package.
  writeFileSync('build/package.json', '{}\n')
  const { code, assets, stats } = await ncc(resolve('build/main.js'), {
    quiet: true,
    filename: 'action.js',
    externals: LEFT_OUT,
  })
  rmSync('dist', { recursive: true, force: true })
  mkdirSync('dist')
  await write('action.js', code)
  for (const [name, { source }] of Object.entries(assets)) await write(name, source)
  writeFileSync('dist/index.js', "require('./action.js').main()\n")
  writeFileSync('dist/post.js', "require('./action.js').post()\n")
  writeFileSync('dist/unused.js', UNUSED_CODE)
  writeFileSync('dist/missing.js', MISSING_CODE)
  writeFileSync('dist/licenses.txt', licensesOf(stats.compilation.modules))
  writeFileSync('dist/package.json', '{ "type": "commonjs" }\n')
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

/**
 * The licenses of all packages in a bundle, by name. ncc's own list leaves out those that only the main file needs.
 *
 * @throws {Error} if a package has no file of its license
 */
function licensesOf(modules: Iterable<BundledModule>): string {
  const files = [...modules].flatMap((module) => [...(module.modules ?? [module])])
  const folder = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/
  const folders = new Set(files.flatMap(({ resource = '' }) => folder.exec(resource)?.[0] ?? []))
  return [...folders].map(licenseOf).toSorted().join('\n')
}

function licenseOf(folder: string): string {
  const { name, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`${name} has no file of its license`)
  return `${name}\n${license}\n${readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n')}\n`
}

readOptions(USAGE, {})
await build()
