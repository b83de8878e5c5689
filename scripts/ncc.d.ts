declare module '@vercel/ncc' {
  /** A module of a bundle, which may be several in one. */
  export type BundledModule = {
    readonly resource?: string
    readonly modules?: Iterable<BundledModule>
  }

  /** What a bundle is made with; source: the package's readme, "Programmatically From Node.js". */
  type Options = {
    readonly quiet: boolean
    readonly filename: string
    readonly externals: Readonly<Record<string, string>>
  }

  /** The main file, and all others by their names; `stats` are webpack's. */
  type Bundle = {
    readonly code: string
    readonly assets: Readonly<Record<string, { readonly source: string | Uint8Array }>>
    readonly stats: { readonly compilation: { readonly modules: Iterable<BundledModule> } }
  }

  export default function ncc(input: string, options: Options): Promise<Bundle>
}
