import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { visit } from 'unist-util-visit'

// Where GitHub looks for mentions (@name, @org/team), references (#12, GH-12, owner/repo#12): outside words.
const MENTION = /(?<![\w`])@[a-z\d][\w-]*(?:\/[\w-]+)?|(?<!\w)#\d+|[\w-]+\/[\w.-]+#\d+|\bGH-\d+/gi

/** Renders Markdown as GitHub does and lists what comes alive in it. */
export function alive(markdown: string) {
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  /** Tags and comments, as written. */
  const html: string[] = []
  const links: string[] = []
  const images: string[] = []
  /** Mentions and references that GitHub would find in the text outside code and links. */
  const mentions: string[] = []
  /** Kinds of all nodes. */
  const kinds = new Set<string>()
  /** Cells of each table row. */
  const cells: number[] = []
  let rawCode = 0
  visit(tree, (node, _index, parent) => {
    kinds.add(node.type)
    if (node.type === 'html') {
      html.push(node.value)
      if (node.value === '<code>') rawCode++
      if (node.value === '</code>') rawCode--
    }
    if (node.type === 'link') links.push(node.url)
    if (node.type === 'image' || node.type === 'imageReference') images.push(node.type)
    if (node.type === 'tableRow') cells.push(node.children.length)
    if (node.type === 'text' && parent?.type !== 'link' && rawCode === 0) {
      mentions.push(...(node.value.match(MENTION) ?? []))
    }
  })
  return { html, links, images, mentions, kinds, cells }
}

/** The lines of a log that the runner would obey, by its own rule. */
export function commandsIn(log: string): string[] {
  return log.split(/\r\n|\r|\n/).filter((line) => {
    // The runner compares by the rules of a language, which skip what is invisible.
    const seen = line.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, '').trimStart()
    return seen.startsWith('::') || /##\[[^\]]+\]/.test(seen)
  })
}
