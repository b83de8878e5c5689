import type { Inputs } from '../inputs/table.ts'
import { clip, inBackticks } from '../lib/text.ts'
import { type Changes, type Commit, isInsidePaths } from '../look/changes.ts'
import { tagOf } from '../look/event.ts'
import { type ChangedFile, rankFiles } from '../look/ranks.ts'
import type { Situation } from '../look/situation.ts'
import { labelsOf, ownAuthor } from '../look/trigger.ts'
import { isRerun, type Run } from '../runner/run.ts'
import { type Skip, skip, skipUnneeded, unneeded, unneededReason } from './skip.ts'

/** When a reason to skip applies to an event. */
type When = 'always' | 'skip-unchanged' | 'never'

/**
 * The reasons for changes without docs: that there are none since the step's last job (`unchanged`), that all commits are the
 * agent's or labeled so (`commits`), that only files changed which readers of docs don't notice (`files`), or none inside
 * `paths`.
 */
type Reasons = Readonly<Record<'unchanged' | 'commits' | 'files' | 'paths', When>>

const BRANCH: Reasons = { unchanged: 'always', commits: 'always', files: 'always', paths: 'always' }
const OF_VERSION: Reasons = { ...BRANCH, files: 'never' }
const PULL_REQUEST: Reasons = { ...BRANCH, unchanged: 'never', commits: 'never' }
const DISPATCH: Reasons = { unchanged: 'never', commits: 'never', files: 'never', paths: 'never' }
/** Other events with changes, such as a review with a `prompt`. */
const OTHER: Reasons = { ...DISPATCH, paths: 'always' }

/** A person, or another system, asked for a dispatch. */
const REASONS: Readonly<Record<string, Reasons>> = {
  push: BRANCH,
  tag: OF_VERSION,
  release: OF_VERSION,
  workflow_run: BRANCH,
  schedule: {
    unchanged: 'skip-unchanged',
    commits: 'skip-unchanged',
    files: 'never',
    paths: 'always',
  },
  pull_request: PULL_REQUEST,
  pull_request_target: PULL_REQUEST,
  workflow_dispatch: DISPATCH,
  repository_dispatch: DISPATCH,
}

/** A record that is more commits back than this moves on after a run without a changed file inside `paths`. */
const MAX_RECORD_AGE = 100

/** Skips a run whose changes don't need docs. */
export function decideNothing(
  situation: Situation,
  run: Pick<Run, 'inputs' | 'environment'>,
): Skip | undefined {
  const { trigger, earlier, changes } = situation
  const { event, command } = trigger
  const { inputs } = run
  if (!changes || command || event.payload.review) return undefined
  const isTag = event.name === 'push' && tagOf(event) !== ''
  const reasons = REASONS[isTag ? 'tag' : event.name] ?? OTHER
  const applies = (when: When): boolean =>
    when === 'always' || (when === 'skip-unchanged' && inputs['skip-unchanged'])
  const labeled = changes.pull && skipUnneeded(trigger, labelsOf(changes.pull), inputs)
  if (labeled) return labeled
  const unchanged = applies(reasons.unchanged)
    ? whyUnchanged({ ...situation, changes }, run)
    : undefined
  if (unchanged) {
    const advice = 'To start a job anyway, run the workflow with `workflow_dispatch`.'
    return skip('notice', unchanged, 'No new commits', { advice })
  }
  // A step without a job, or a branch whose commits were removed, may have changes that aren't listed.
  const isListed = !changes.isArbitrary && !changes.isRewritten
  const why = isListed && changes.isWhole ? whyUnneeded(changes.commits, inputs) : undefined
  if (applies(reasons.commits) && why)
    return { ...unneeded(`every change is ${why}`), isSettled: true }
  const files = listedFiles(changes)
  if (inputs.paths.length > 0) {
    if (!applies(reasons.paths) || files === undefined || files.some(isInsidePaths(inputs)))
      return undefined
    const isSettled = earlier.commitsBack > MAX_RECORD_AGE
    const example = inBackticks(clip(files[0]?.path ?? '', 100))
    const advice = files.length > 0 ? `For example, ${example} doesn't match.` : ''
    const reason = 'no changed file matches `paths`'
    return skip('notice', reason, 'Nothing to document', { advice, isSettled })
  }
  if (!applies(reasons.files) || !isListed || !files?.length || !areMinor(files)) return undefined
  const advice = 'To choose the files that matter, set `paths`.'
  const reason = 'only tests, CI, translations, lock, and generated files changed'
  return skip('notice', reason, 'Nothing to document', {
    advice,
    isSettled: changes.pull === undefined,
  })
}

/** Returns why there is nothing new since the step's last job that succeeded or is running; `undefined` if there is. */
function whyUnchanged(
  {
    trigger: { event },
    earlier: { lastSent, lastJob },
    changes,
    tags,
  }: Situation & { readonly changes: Changes },
  { environment }: Pick<Run, 'environment'>,
): string | undefined {
  const { action, forced } = event.payload
  if (isRerun(environment)) return undefined
  if (event.name === 'push' && tags?.isMoving)
    return `the tag ${inBackticks(tagOf(event))} isn't a full version, so it moves with each release`
  // A forced push may remove what was documented.
  const isWanted = tags ? action === 'edited' : forced
  if (isWanted) return undefined
  if (lastSent === 'same') return 'an earlier run of this step was about the same commit'
  if (tags) return undefined
  // An older run that is run again may have a push that no later one was compared with.
  const isOlder = lastSent === 'newer' && event.name !== 'push'
  const isEmpty = changes.commitCount === 0 && changes.fileCount === 0
  // A forced push removed the commits that only the base has. Of other events, this commit is older than the base.
  const removesCommits = changes.isRewritten && event.name === 'push'
  if (!isOlder && (!isEmpty || removesCommits)) return undefined
  const since = lastJob ? ` since this step's last job (on ${lastJob.sha.slice(0, 7)})` : ''
  return `there are no new commits${since}`
}

/** Returns why no commit needs docs; `undefined` if one does, or there is none. */
function whyUnneeded(commits: readonly Commit[], inputs: Inputs): string | undefined {
  const reasons = commits.map(({ author, email, pulls }) => {
    const own = ownAuthor({ user: author, email }, inputs)
    const logins = [own, ...pulls.map((pull) => pull.author?.login)]
    const labels = pulls.flatMap((pull) => pull.labels)
    return unneededReason(logins, labels, inputs)
  })
  const isNeeded = reasons.length === 0 || reasons.includes(undefined)
  return isNeeded ? undefined : [...new Set(reasons)].join(' or ')
}

/** Returns the changed files if GitHub lists all of them. */
function listedFiles({
  files,
  fileCount,
  isRewritten,
}: Changes): readonly ChangedFile[] | undefined {
  return files.length === fileCount && !isRewritten ? files : undefined
}

/** Kinds of files that are only named in the prompt, and that people don't write. */
const UNNOTICED_KINDS = ['lock file', 'generated', 'minified, compiled or vendored']

/** Whether readers of docs would notice none of the files. */
function areMinor(files: readonly ChangedFile[]): boolean {
  return rankFiles(files).every(
    ({ rank, kind = '' }) => rank === 'background' || UNNOTICED_KINDS.includes(kind),
  )
}
