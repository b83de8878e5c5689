import type { Redact } from '../lib/markdown.ts'

/** A name that strangers may have had a hand in, since votes, searches and questions need no login. */
export type PublicName = {
  readonly of: 'path' | 'search' | 'category'
  /** As it is; `undefined` where it is withheld. */
  readonly forPeople: string | undefined
  /** For an agent that writes, which is never handed a stranger's words in their order. */
  readonly forAgent: string | undefined
}

/** Judges names, for all places that they go to. The same text is the same object, withheld or not. */
export class PublicNames {
  readonly #redact: Redact
  readonly #known = new Map<string, PublicName>()

  /** @param redact takes this run's secrets out of a text: what it would change is withheld */
  constructor(redact: Redact) {
    this.#redact = redact
  }

  /** The path of a page, percent-decoded once. */
  ofPath(path: string): PublicName {
    // What is not ASCII keeps its percent sign, and with it is withheld.
    const decoded = path.replace(/%([0-7][\da-f])/gi, (_encoded, hex) =>
      String.fromCharCode(Number(`0x${hex}`)),
    )
    const words = decoded.split(/[/._~-]+/).filter((word) => word !== '')
    const isShort = decoded.length <= 80 && words.length <= 8 && words.every(isShortWord)
    const forAgent = isShort && !/[A-Z]/.test(decoded) ? decoded : undefined
    const name = { of: 'path', forPeople: decoded, forAgent } as const
    // With a slash at its end it is the same page.
    return this.#judge(`path ${decoded.replace(/(?<=.)\/$/, '')}`, PATH.test(decoded), name)
  }

  /** The path in the address of a page on the web; a path alone is taken as it is. */
  ofPageUrl(address: string): PublicName {
    const url = URL.parse(address)
    return this.ofPath(url !== null && /^https?:$/.test(url.protocol) ? url.pathname : address)
  }

  /** A subject that the service sorts questions by. */
  ofCategory(category: string): PublicName {
    const words = category.split(/[ &-]+/).filter((word) => word !== '')
    const forAgent = words.length <= 3 ? category : undefined
    const name = { of: 'category', forPeople: category, forAgent } as const
    return this.#judge(`category ${category}`, CATEGORY.test(category), name)
  }

  /** What readers searched for; an agent gets its words in lower case and alphabetical order, each once. */
  ofSearch(term: string): PublicName {
    const words = term.trim().split(/\s+/)
    const forPeople = words.join(' ')
    const isShort = forPeople.length <= 60 && words.length <= 6
    const isPublic = isShort && words.every((word) => WORD.test(word) && isShortWord(word))
    const lowerCase = words.map((word) => word.toLowerCase())
    const sorted = [...new Set(lowerCase)].sort((left, right) => left.localeCompare(right, 'en'))
    const forAgent = words.length <= 5 ? sorted.join(' ') : undefined
    return this.#judge(`search ${term}`, isPublic, { of: 'search', forPeople, forAgent })
  }

  /** @param key the same for what is the same */
  #judge(key: string, isPublic: boolean, name: PublicName): PublicName {
    const isShown = isPublic && !this.#isSecret(name.forPeople ?? '')
    const withheld = { of: name.of, forPeople: undefined, forAgent: undefined }
    const judged = this.#known.get(key) ?? (isShown ? name : withheld)
    this.#known.set(key, judged)
    return judged
  }

  #isSecret(text: string): boolean {
    return this.#redact(text) !== text || text.split(/[\s/]+/).some((part) => KEY_PREFIX.test(part))
  }
}

const PATH = /^[A-Za-z0-9/_.~-]{1,120}$/
const CATEGORY = /^(?=.*\p{L})(?!.*\p{Default_Ignorable_Code_Point})[\p{L} &-]{1,40}$/u

/** Letters and digits, with single marks between them. Invisible characters could carry a hidden text. */
const WORD =
  /^(?!.*\p{Default_Ignorable_Code_Point})[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}]*(?:[.\-_/][\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}]*)*$/u

/** How keys begin. */
const KEY_PREFIX = /^(?:gh[oprsu]_|github_pat_|AKIA|sk-|mint_)/i

/** A year or a version has fewer digits, a telephone number more; longer words are mostly keys and ids. */
function isShortWord(word: string): boolean {
  return word.length <= 20 && (word.match(/\p{Nd}/gu)?.length ?? 0) <= 4
}
