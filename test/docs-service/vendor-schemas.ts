/** The vendor's description of its answers, as JSON Schemas: every field, and no other. */

const TEXT = { type: 'string', minLength: 1 }
const COUNT = { type: 'integer', minimum: 0 }
const FLAG = { type: 'boolean' }
const DATE = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$' }
const URL = { type: 'string', pattern: '^https?://' }

/** An object with these fields and no others; a name that ends with `?` need not be there. */
function fields(properties: Readonly<Record<string, object>>): object {
  const names = Object.keys(properties)
  return {
    type: 'object',
    additionalProperties: false,
    required: names.filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), properties[name]])),
  }
}

function list(items: object): object {
  return { type: 'array', items }
}

function orNull(schema: object): object {
  return { anyOf: [schema, { type: 'null' }] }
}

const VISITORS = { human: COUNT, ai: COUNT, total: COUNT }
const JOB = fields({
  id: TEXT,
  status: { enum: ['active', 'completed', 'archived', 'failed'] },
  source: fields({ repository: URL, ref: orNull(TEXT) }),
  model: TEXT,
  prLink: orNull(URL),
  createdAt: DATE,
  archivedAt: orNull(DATE),
})

export const SCHEMAS = {
  create: JOB,
  look: JOB,
  message: JOB,
  visitors: fields({
    totals: fields(VISITORS),
    visitors: list(fields({ path: TEXT, ...VISITORS })),
    hasMore: FLAG,
  }),
  feedback: fields({
    feedback: list(fields({ path: TEXT, thumbsUp: COUNT, thumbsDown: COUNT, code: COUNT, total: COUNT })),
    hasMore: FLAG,
  }),
  searches: fields({
    searches: list(
      fields({
        searchQuery: TEXT,
        hits: COUNT,
        ctr: { type: 'number', minimum: 0, maximum: 1 },
        topClickedPage: orNull(TEXT),
        lastSearchedAt: DATE,
      }),
    ),
    totalSearches: COUNT,
    nextCursor: orNull(TEXT),
  }),
  assistant: fields({
    conversations: list(
      fields({
        id: TEXT,
        timestamp: DATE,
        query: TEXT,
        response: { type: 'string' },
        'responseType?': TEXT,
        sources: list(fields({ title: TEXT, url: URL })),
        resolutionStatus: { enum: ['answered', 'unanswered'] },
        queryCategory: orNull(TEXT),
        pageUrl: orNull(TEXT),
      }),
    ),
    nextCursor: orNull(TEXT),
    hasMore: FLAG,
  }),
  error: fields({ error: TEXT, 'details?': list(fields({ message: TEXT })) }),
}
