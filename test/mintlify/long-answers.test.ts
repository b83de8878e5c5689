import { expect, it } from 'vitest'
import { MintlifyError } from '../../src/mintlify/mintlify-errors.ts'
import { longText, slowdownOf } from '../support/slowdown.ts'

const CALL = {
  path: ['job'],
  purpose: 'create a job',
  notFound: ['No project', 'Check it.'],
} as const
const RESPONSE = {
  bodyProblem: undefined,
  isCutOff: false,
  isTooLarge: false,
  from: 'Mintlify',
  isKnownKey: true,
  location: '',
  retryAfterMs: undefined,
}

it.each(['route ', 'app ', 'install ', 'no ', 'the job ', 'credit', ' ', '<', '`'])(
  "Mintlify's answer of 64 KiB of %j is explained no slower than others",
  (piece) => {
    const explain = (status: number) => (text: string) =>
      new MintlifyError(CALL, { ...RESPONSE, status, body: text, json: { error: text } })
    for (const status of [400, 401, 403, 404])
      expect(slowdownOf(explain(status), longText(piece)), `${status}`).toBeLessThan(40)
  },
)
