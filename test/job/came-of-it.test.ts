import { describe, expect, it } from 'vitest'
import { person, pushToPull } from '../support/world.ts'
import {
  CHECK_STATES,
  type CheckState,
  type DocsPlace,
  finishedJobStarter,
  PREVIEW_URL,
  playBuild,
} from './finished-job.ts'

const startFinishedJob = finishedJobStarter()
const PLACES: readonly DocsPlace[] = [
  'here',
  'elsewhere public',
  'elsewhere with a token',
  'elsewhere without',
]

type Trouble = 'early' | 'late' | 'never' | 'replaced' | '403' | '502' | 'stranger'

/** What `preview-status` is after a wait, by the state of the check; `never`, 502 and a stranger: nothing, ever. */
const EXPECTED: Readonly<Record<CheckState, Partial<Record<Trouble, string>>>> = {
  queued: { early: 'building', late: 'building', replaced: 'building' },
  building: { early: 'building', late: 'building', replaced: 'building' },
  ready: { early: 'ready', late: 'ready', replaced: 'building', '403': 'ready' },
  failed: { early: 'failed', late: 'failed', replaced: 'building' },
  'timed out': { early: 'failed', late: 'failed', replaced: 'building' },
  skipped: { replaced: 'building' },
  neutral: { replaced: 'building' },
}

describe.each(PLACES)('a preview of docs %s', (place) => {
  const cases = Object.keys(CHECK_STATES).flatMap((state) =>
    (['early', 'late', 'never', 'replaced', '403', '502', 'stranger'] as const).map(
      (trouble) => [state as CheckState, trouble] as const,
    ),
  )
  it.each(cases)('whose check is %s (%s) is ready only when it is', async (state, trouble) => {
    const { world, github, open, after, wait, log } = await startFinishedJob({ place })
    const pull = open({ files: ['guides/restore.mdx'] })
    const sha = pull.fields.head?.sha ?? ''
    if (trouble === '403') world.scopes.delete('checks: read')
    if (trouble === '502') github.faults.push({ match: /CameOfIt$/, end: '502' })
    if (trouble === 'stranger')
      playBuild(world, sha, state, { app: 'github-actions', author: person('mallory') })
    else if (trouble === 'late') after(40, () => playBuild(world, sha, state))
    else if (trouble !== 'never') playBuild(world, sha, state)
    if (trouble === 'replaced') playBuild(world, pushToPull(world, pull).sha, 'queued')
    const { status, url } = await wait()
    const isPublic = place === 'elsewhere public' && trouble === '403'
    const expected =
      place === 'elsewhere without' ? '' : (EXPECTED[state][isPublic ? 'early' : trouble] ?? '')
    expect(status).toBe(expected)
    if (url !== '') expect(url).toBe(PREVIEW_URL)
    if (trouble === 'stranger') expect(url).toBe('')
    expect(log.join('\n')).not.toContain('::warning')
  })
})
