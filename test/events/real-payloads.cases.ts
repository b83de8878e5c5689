const prompt = 'Document it.'

/** What runs do, by the role of who causes them, the inputs, and how they end. */
export const ROLES = [
  [
    'of a reader start no job unless the event needs write permission',
    'read',
    { prompt },
    ['pull-request', 'skipped'],
  ],
  [
    'of a writer start a job, comments without a command aside',
    'write',
    { prompt },
    ['pull-request', 'skipped'],
  ],
  // Where nothing is asked that is an error; a plain comment is none.
  ['fail where nothing is requested, plain comments aside', 'write', { prompt: '' }, ['error', 'skipped']],
] as const
