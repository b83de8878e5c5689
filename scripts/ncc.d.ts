declare module '@vercel/ncc' {
  import type { BundledModule } from './licenses.ts'

  /** What a bundle is made with; source: the package's readme, "Programmatically From Node.js". */
  type Options = {
    readonly quiet: boolean
    /** The name of the main file. */
    readonly filename: string
    /** What is not to be bundled, by the text of its import (between slashes, a regular expression), with what is to be imported in its place. */
    readonly externals: Readonly<Record<string, string>>
  }

  /** The main file, and all others by their names. */
  type Bundle = {
    readonly code: string
    readonly assets: Readonly<Record<string, { readonly source: string | Uint8Array }>>
    /** As webpack gives them. */
    readonly stats: { readonly compilation: { readonly modules: Iterable<BundledModule> } }
  }

  export default function ncc(input: string, options: Options): Promise<Bundle>
}
