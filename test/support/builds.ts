import { isDeepStrictEqual } from 'node:util'
import {
  type Account,
  AGENT,
  addCheck,
  addComment,
  addPull,
  type Check,
  endPull,
  mergePull,
  pushToPull,
  type World,
} from './world.ts'

export const PREVIEW_URL = 'https://acme-docs-flag.mintlify.app/guides/restore'

/** States of the service's check run. */
export const CHECK_STATES = {
  queued: { status: 'QUEUED', conclusion: null },
  building: { status: 'IN_PROGRESS', conclusion: null },
  ready: { status: 'COMPLETED', conclusion: 'SUCCESS' },
  failed: { status: 'COMPLETED', conclusion: 'FAILURE' },
  'timed out': { status: 'COMPLETED', conclusion: 'TIMED_OUT' },
  skipped: { status: 'COMPLETED', conclusion: 'SKIPPED' },
  neutral: { status: 'COMPLETED', conclusion: 'NEUTRAL' },
} as const satisfies Readonly<Record<string, Partial<Check>>>

export type CheckState = keyof typeof CHECK_STATES

const SIGNS: Readonly<Partial<Record<CheckState, string>>> = {
  ready: '🟢 Ready',
  failed: '🔴 Failed',
}

/** The preview comment as the service writes it. */
export function previewBody(state: CheckState, url = PREVIEW_URL): string {
  return [
    '<!-- mintlify-preview-comment-acme -->',
    'Preview deployment for your docs.',
    '',
    '| Project | Status | Preview | Updated (UTC) |',
    '|---------|--------|---------|---------------|',
    `| [acme](https://app.mintlify.com/acme) | ${SIGNS[state] ?? '🟡 Building'} | [View Preview](${url}) | Jan 5, 2026, 9:25 AM |`,
  ].join('\n')
}

/** Has the service say how the build of a commit goes, in its check and its comment; by default as the real one. */
export function playBuild(
  world: World,
  sha: string,
  state: CheckState,
  {
    app = 'mintlify',
    author = AGENT,
    number = 12,
  }: { readonly app?: string; readonly author?: Account; readonly number?: number } = {},
): void {
  const known = world.checks.find((check) => check.sha === sha && check.app === app)
  Object.assign(known ?? addCheck(world, sha, { app }), CHECK_STATES[state])
  if (state === 'skipped') return
  const comment = world.comments.find((one) => one.number === number && one.author === author)
  const body = previewBody(state)
  if (comment === undefined) addComment(world, { kind: 'main', number, author, body })
  else {
    comment.history.push(body)
    comment.editedAtMs = world.now()
  }
}

/** Takes over what became of the agent's pull requests since the last look. */
export function followAgent(world: World): void {
  const isHere = world.agentRepository === world.repository
  const pulls = isHere ? world.pulls : world.elsewhere
  for (const { number, state, title, ...now } of world.agentPulls()) {
    const pull = pulls.get(number) ?? addPull(world, { number, title, user: AGENT }, pulls)
    while (pull.commits.length < now.commits) pushToPull(world, pull)
    pull.files = now.files
    const sha = pull.fields.head?.sha ?? ''
    const build = now.build()
    const shown = world.checks.find((check) => check.sha === sha)
    if (build !== 'none' && !isDeepStrictEqual({ ...shown, ...CHECK_STATES[build] }, shown))
      playBuild(world, sha, build, { number })
    if (pull.fields.state !== 'open' || state === 'open') continue
    if (state === 'merged' && isHere) mergePull(world, pull, 'merge')
    else endPull(world, pull, state === 'merged' ? null : undefined)
  }
}
