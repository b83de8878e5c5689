/** `visitors-from`, `visitors-to`, and what is wrong with them. */
export const WRONG_PERIODS: readonly [string, string, ...string[]][] = [
  [
    '2026-07-28',
    '2026-07-27',
    'visitors-to ("2026-07-27") is not after visitors-from ("2026-07-28"): are the two swapped?',
  ],
  ['2026-07-27', '2026-07-27', 'visitors-to ("2026-07-27") is not after visitors-from ("2026-07-27")'],
  [
    '2025-08-01',
    '2026-08-03',
    'visitors-to ("2026-08-03") is more than 366 days after visitors-from ("2025-08-01")',
  ],
  ['2026-08-04', '2026-08-05', 'visitors-from ("2026-08-04") is in the future, so there are no visitors yet'],
  [
    '2026-02-30',
    '2026-07-27T00:00:00Z',
    'visitors-from ("2026-02-30") is not a valid date',
    'visitors-to ("2026-07-27T00:00:00Z") is not a valid date',
  ],
  ['', '2026-08-03', 'visitors-from is missing, though visitors-to is given'],
  ['2026-07-27', '', 'visitors-to is missing, though visitors-from is given'],
  ['2026-02-20', 'tomorrow', 'visitors-to ("tomorrow") is not a valid date'],
  [
    '',
    'tomorrow',
    'visitors-to ("tomorrow") is not a valid date',
    'visitors-from is missing, though visitors-to is given',
  ],
]

const SITE = { 'site-url': 'https://docs.example.com' }
const cure = (them: string) =>
  `no effect without a visitors report: add \`visitors-summary: true\`, or remove ${them}.`

/** Inputs of a report that have no effect, and the sentence about them. */
export const UNUSED = [
  [{ 'visitors-days': '14' }, `\`visitors-days\` has ${cure('it')}`],
  [
    { 'visitors-days': '14', 'visitors-max-requests': '9', ...SITE },
    `\`visitors-days\`, \`visitors-max-requests\` and \`site-url\` have ${cure('them')}`,
  ],
  [
    { 'reader-signals': 'report', ...SITE, 'visitors-trend': '4', 'visitors-top': '5' },
    `\`visitors-top\` and \`visitors-trend\` have ${cure('them')}`,
  ],
  [
    {
      'visitors-summary': 'true',
      'visitors-from': '2026-07-01',
      'visitors-to': '2026-07-03',
      'visitors-days': '14',
    },
    '`visitors-days` has no effect with `visitors-from` and `visitors-to`, which are the period: remove it.',
  ],
] as const
