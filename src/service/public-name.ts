/**
 * A name that is safe to show and to hand on, though strangers may have had a hand in it: votes, searches and questions
 * need no login. Made only here, by strict rules; a text that breaks them has no name.
 */
export class PublicName {
  readonly #text: string

  private constructor(text: string) {
    this.#text = text
  }

  get text(): string {
    return this.#text
  }

  /** The path of a page, percent-decoded once. */
  static ofPath(path: string): PublicName | undefined {
    // What is not ASCII keeps its percent sign, and with it has no name.
    const decoded = path.replace(/%([0-7][\da-f])/gi, (_encoded, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    return PATH.test(decoded) ? new PublicName(decoded) : undefined
  }

  /** The path in the address of a page on the web; a path alone is taken as it is. */
  static ofPageUrl(address: string): PublicName | undefined {
    const url = URL.parse(address)
    return PublicName.ofPath(url !== null && /^https?:$/.test(url.protocol) ? url.pathname : address)
  }

  /** A subject that the service sorts questions by. */
  static ofCategory(category: string): PublicName | undefined {
    return CATEGORY.test(category) ? new PublicName(category) : undefined
  }

  /** What somebody searched for: a few plain words, nothing that could be an address, a number or a key. */
  static ofSearch(term: string): PublicName | undefined {
    const words = term.trim().split(/\s+/)
    const digits = term.match(/\p{Nd}/gu)?.length ?? 0
    const isShort = term.length <= MAX_SEARCH_LENGTH && words.length <= MAX_SEARCH_WORDS
    if (!isShort || digits > MAX_SEARCH_DIGITS || !words.every(isPlainWord)) return undefined
    return new PublicName(words.join(' '))
  }
}

const PATH = /^[A-Za-z0-9/_.~-]{1,120}$/
const CATEGORY = /^(?=.*\p{L})[\p{L} &-]{1,40}$/u

const MAX_SEARCH_LENGTH = 60
const MAX_SEARCH_WORDS = 6
/** A year or a version has fewer digits, a telephone number more. */
const MAX_SEARCH_DIGITS = 6

/** Letters and digits, with single marks between them. */
const WORD = /^[\p{L}\p{M}\p{N}]+(?:[.\-_/][\p{L}\p{M}\p{N}]+)*$/u

/** Endings that make `next.config.js` a file; anything else after a dot may be the end of a host's name. */
const FILE_ENDINGS =
  /^(?:[cm]?[jt]sx?|json5?|ya?ml|toml|mdx|html?|css|xml|csv|txt|env|ini|lock|config|\d\w*)$/i

/** How keys of well-known services begin. */
const KEY_PREFIX =
  /^(?:sk|pk|rk|gh[oprsu]|github[-_]pat|glpat|npm|mint|xox[a-z]|hf|key|token)[-_]\w{6}|^(?:AKIA|ASIA|eyJ)\w{8}/

function isPlainWord(word: string): boolean {
  return WORD.test(word) && !/\p{Nd}{6}/u.test(word) && !isAddress(word) && !isLikeKey(word)
}

function isAddress(word: string): boolean {
  return word.split('/').some((part) => {
    const labels = part.split('.')
    const isNumeric = labels.length === 4 && labels.every((label) => /^\d+$/.test(label))
    return isNumeric || (labels.length > 1 && !FILE_ENDINGS.test(labels.at(-1) ?? ''))
  })
}

/** Whether a word begins like a key, is very long, or mixes letters and digits as only keys and ids do. */
function isLikeKey(word: string): boolean {
  const bare = word.replace(/[.\-_/]/g, '')
  const switches = bare.match(/\p{L}(?=\p{N})|\p{N}(?=\p{L})/gu)?.length ?? 0
  const longestRun = Math.max(...word.split(/[.\-_/]/).map((run) => run.length))
  return KEY_PREFIX.test(word) || longestRun > 24 || (bare.length >= 12 && switches >= 4)
}
