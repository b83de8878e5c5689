import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A module of a bundle, which may be several in one. */
export type BundledModule = { readonly resource?: string; readonly modules?: Iterable<BundledModule> }

/**
 * The licenses of all packages in a bundle, by name. ncc's own list leaves out those that only the main file needs.
 *
 * @throws {Error} if a package has no file of its license
 */
export function licensesOf(modules: Iterable<BundledModule>): string {
  const files = [...modules].flatMap((module) => [...(module.modules ?? [module])])
  const folders = new Set(files.flatMap(({ resource = '' }) => packageFolder(resource) ?? []))
  return [...folders].map(licenseOf).toSorted().join('\n')
}

function packageFolder(file: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0]
}

function licenseOf(folder: string): string {
  const { name, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`${name} has no file of its license`)
  return `${name}\n${license}\n${readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n')}\n`
}
