import { expect, it } from 'vitest'
import { apiKeyProblem } from '../../src/service/api-key.ts'

it.each([
  ['mint_abc', undefined],
  ['other_abc', undefined],
  ['mint_dsc_abc', /assistant key/],
  ['mint_us_abc', /search/],
  ['mint abc', /white space/],
  ['mint_abc\nx: y', /white space/],
  ['mint_äbc', /characters/],
])('%j: %s', (key, problem) => {
  if (problem === undefined) expect(apiKeyProblem(key)).toBeUndefined()
  else expect(apiKeyProblem(key)).toMatch(problem)
})
