import type { Changes } from '../changes/changes.ts'
import { whyNoDocs } from '../changes/ranks.ts'
import { authorOf, findSkipLabel, ignoredAuthor } from '../changes/sources.ts'
import type { Command } from '../event/command.ts'
import type { GitHubEvent } from '../event/event.ts'
import type { Maybe } from '../github/client.ts'
import { AGENT } from '../inputs/formats.ts'
import { hasPrompt, type Inputs } from '../inputs/table.ts'
import { parsePullRequest } from '../lib/http.ts'
import { clip, docsLink, inBackticks, listOf, Problem } from '../lib/text.ts'
import { formatAge } from '../lib/time.ts'
import type { Job } from '../mintlify/mintlify-client.ts'
import { isRecorded, MAX_SEARCHED_COMMITS } from '../record/record.ts'
import { isRerun, type Run } from '../runner/run.ts'
import {
  findContinued,
  isBlocking,
  isUnusable,
  jobName,
  type ObservedJob,
  openFor,
  type PullState,
  type Situation,
} from './look.ts'

export type Create = {
  readonly kind: 'create'
  /** The docs pull request before, which can't be updated. */
  readonly earlierPull: PullState | undefined
}
export type Message = {
  readonly kind: 'message'
  readonly id: string
  /** The docs pull request that the run updates. */
  readonly pull?: PullState | undefined
  /** The same as Mintlify names it: the action writes only to this one. Empty if Mintlify doesn't name it. */
  readonly prLink?: string
}
export type Wait = {
  readonly kind: 'wait'
  readonly id: string
  /** As Mintlify has just shown it. */
  readonly job?: Job | undefined
  /** Whether an earlier attempt of the run started the job, and didn't see its docs pull request. */
  readonly isUnseen?: boolean
}

/** A line about a decision: in the log, in the summary too, or as a notice with its title. */
type Note = { readonly text: string; readonly title?: string; readonly isInSummary?: true }

/** What a run does about its job, as plain data. */
export type Decision =
  | ((Create | Message | Wait) & { readonly notes: readonly Note[] })
  | Skip
  | { readonly kind: 'stop'; readonly problem: Problem }

type RunFacts = Pick<Run, 'inputs' | 'environment' | 'mintlifyName'>

/** Decides from the situation and the inputs whether to start, update, or wait for a job. */
export function decide(situation: Situation, run: RunFacts): Decision {
  const { memory, ownJob, earlierJobs, hasInstructions } = situation
  const { attempt } = memory
  const { inputs } = run
  const given = inputs['job-id']
  if (given !== '') {
    if (!hasInstructions) return { kind: 'wait', id: given, notes: [] }
    // A run without a record can't know what its first attempt has sent.
    const maybeSent = memory.sha === '' ? isRerun(run.environment) : attempt.kind !== 'none'
    if (maybeSent) return { kind: 'wait', id: given, notes: [MAYBE_SENT] }
    return { kind: 'message', id: given, notes: [] }
  }
  if (attempt.kind === 'unclear') return stop(new Problem(MAYBE_STARTED))
  const failed = [ownJob, ...earlierJobs].find((job) => job?.problem)
  if (failed?.problem) return stop(failed.problem)
  if (ownJob && !isUnusable(ownJob)) {
    const { id, job } = ownJob
    const text = `Job ${inBackticks(id)} was started by an earlier attempt of this run. This attempt waits for it.`
    const isUnseen = attempt.kind === 'job' && attempt.job.prLink === ''
    return { kind: 'wait', id, job, isUnseen, notes: [{ text }] }
  }
  const blocked = earlierJobs.find(isBlocking)
  if (blocked?.pull) return stop(invisibleProblem(blocked.pull))
  const continued = findContinued(situation)
  return continued ? update(continued, situation, run) : create(situation, run)
}

const MAYBE_SENT: Note = {
  title: 'This re-run sends no second message',
  text: 'An earlier attempt may have sent the message already, so this one only waits for the job.',
}

const MAYBE_STARTED = {
  title: 'The first attempt may have started a job',
  text: "An earlier attempt of this run was interrupted, or got no response, while it was starting a job or sending a message. This attempt started nothing, so that two jobs don't run at once. Check the dashboard. If there is a job, set `job-id` to wait for it. If there is none, start a new run instead of re-running this one.",
  maybeStarted: true,
}

/** Sends a message to an earlier job, unless its docs pull request waits for people. */
function update(job: ObservedJob, situation: Situation, run: RunFacts): Decision {
  const { id, pull, isNamed } = job
  // The job of a merged pull request is known only now.
  const waiting = skipWaiting({ ...situation, docs: pull }, run)
  if (waiting) return waiting
  const text = pull
    ? `This run updates the pull request ${clip(pull.prLink, 300)}${openFor(pull)}.`
    : `${jobName(job)} has no pull request yet. This run sends the job a message.`
  const prLink = isNamed ? job.prLink : ''
  return { kind: 'message', id, pull, prLink, notes: [{ text }] }
}

const ENDINGS: Partial<Record<ObservedJob['state'], string>> = {
  failed: 'failed',
  archived: 'was archived',
  gone: "doesn't exist anymore (404)",
  completed: 'completed without a pull request',
}

/** Starts a new job, and notes why no earlier one is continued. */
function create({ event, memory, ownJob, earlierJobs }: Situation, run: RunFacts): Decision {
  const notes: Note[] = []
  const earlier = [ownJob, ...earlierJobs].filter((job) => job !== undefined)
  const ended = earlier.map(({ pull }) => pull)
  const earlierPull =
    ended.find((pull) => pull?.state === 'merged' || pull?.state === 'closed') ??
    ended.find((pull) => pull?.state === 'open')
  const [first] = earlier
  if (earlierPull) {
    const shown = clip(earlierPull.prLink, 300)
    notes.push({
      text: `The earlier pull request ${shown} is ${earlierPull.state}. This run starts a new job.`,
    })
  } else if (first) {
    const ending = ENDINGS[first.state] ?? 'belongs to another pull request'
    notes.push({ text: `${jobName(first)} ${ending}. This run starts a new job.` })
  }
  // The docs pull request may be known only now.
  const rejected = event.isOfPull && skipRejected({ event, docs: earlierPull })
  if (rejected) return rejected
  if (memory.unnamed) {
    const text = `An earlier run or command (${memory.unnamed}) may have started a job that its record doesn't name, so this run can't continue that one. Check the ${run.mintlifyName} dashboard for that job.`
    notes.push({ text, title: 'An earlier run may have started a job' })
  }
  if (!isRecorded(event, run)) {
    const text = `Jobs of ${inBackticks(event.name || 'local')} events aren't recorded, so each such run starts a new job.`
    notes.push({ text, isInSummary: true })
  }
  if (memory.reachedLimit && run.inputs['follow-up']) {
    const text = `This run starts a new job because the newest ${MAX_SEARCHED_COMMITS} commits of this branch have no record of an earlier one. If this step had a job before, run it more often, so that it finds its docs pull request.`
    notes.push({ text, isInSummary: true })
  }
  return { kind: 'create', earlierPull, notes }
}

function invisibleProblem({ prLink }: PullState): Problem {
  const { project } = parsePullRequest(prLink)
  return new Problem({
    title: "`github-token` can't read the docs pull request",
    text: `An earlier run opened ${clip(prLink, 300)}, and \`github-token\` can't read it, so nothing was started. Set \`github-token\` to a token that can read ${project}, such as your GitHub App's ${docsLink('private-docs.md')}, or set \`follow-up: false\`, so that each run starts a new job.`,
  })
}

function stop(problem: Problem): Decision {
  return { kind: 'stop', problem }
}

/** Why a run starts nothing although nothing went wrong. */
export type Skip = {
  readonly kind: 'skip'
  readonly level: 'info' | 'notice' | 'warning'
  /** Of the annotation. */
  readonly title: string
  /** A clause: `the pull request was closed without being merged`; with a link, what its pull request is. */
  readonly reason: string
  /** The other ways to get docs, as sentences. */
  readonly advice?: string
  /** A block for the workflow file, to follow the advice. */
  readonly paste?: string
  /** URL of the docs pull request that the run would have updated. */
  readonly prLink?: string
  /** Whether a command is answered with how to use it. */
  readonly answer?: 'usage'
}

export function skip(
  reason: string,
  title = 'Nothing to document',
  more: Partial<Omit<Skip, 'kind' | 'reason' | 'title'>> = {},
): Skip {
  return { kind: 'skip', level: 'notice', title, reason, ...more }
}

/** Skips a run by the payload alone: there can be nothing to document, or it is the agent's own work. */
export function skipByPayload(event: GitHubEvent): Skip | undefined {
  const { command, nothing, sender, isDocsPull } = event
  if (command) return undefined
  if (nothing) return skip(nothing)
  const isOfAgent = sender === AGENT || isDocsPull
  return isOfAgent ? skip(`this is the work of ${AGENT} itself`) : undefined
}

/** A reason to start nothing. */
type Reason = (situation: Situation, run: RunFacts) => Skip | undefined

/** The reasons by what an event is about, in the order in which they are asked. Commands and dispatches were asked for. */
const BRANCH_REASONS: readonly Reason[] = [skipUnchanged, skipIgnored, skipUnnoticed, skipWaiting]
const PULL_REASONS: readonly Reason[] = [skipUnchanged, skipIgnored, skipUnnoticed, skipRejected]
const TAG_REASONS: readonly Reason[] = [skipUnchanged, skipOutsidePaths]
const REASONS: Readonly<Record<string, readonly Reason[]>> = {
  push: BRANCH_REASONS,
  schedule: BRANCH_REASONS,
  'pull-request': PULL_REASONS,
  tag: TAG_REASONS,
  release: TAG_REASONS,
}

/** Skips a run that has nothing to document, or whose docs pull request waits for people. */
export function skipByReason(situation: Situation, run: RunFacts): Skip | undefined {
  const { event, changes } = situation
  const { context, 'content-gaps': gaps } = run.inputs
  if (event.command) return skipCommand(event.command, situation, run)
  if (!changes) return undefined
  // What such a schedule asks for doesn't depend on changes.
  const isPlain = event.name === 'schedule' && (context === 'none' || gaps === 'agent')
  const reasons = REASONS[event.name === 'schedule' ? event.name : event.about] ?? []
  for (const reason of isPlain ? [skipWaiting] : reasons) {
    const found = reason(situation, run)
    if (found) return found
  }
  return undefined
}

export const ANSWERED = skip(
  'another step answers this command',
  'Another step answers this command',
)

/** Skips a command that another step answers, or that has no request. */
function skipCommand({ request }: Command, situation: Situation, { inputs }: RunFacts) {
  const { memory, reviews } = situation
  if (memory.isAnswered && memory.attempt.kind !== 'job') return ANSWERED
  if (request || hasPrompt(inputs) || reviews.length > 0) return undefined
  const reason = `${inputs.command} has no instructions, and there is no \`prompt\``
  const advice = `Write the instructions after the command, for example \`${inputs.command} explain the new flag\`.`
  return skip(reason, 'The command has no instructions', { advice, answer: 'usage' })
}

/** Says how to get docs anyway. */
function anyway({ isOfPull }: GitHubEvent, { command }: Inputs): string {
  return isOfPull && command
    ? `To get docs anyway, comment \`${command} …\` on the pull request.`
    : 'To start a job anyway, run the workflow by hand (`workflow_dispatch`).'
}

/** Skips what this step's last successful or running job was about. */
function skipUnchanged(
  { event, memory, changes, tags }: Situation,
  { inputs, environment }: RunFacts,
): Skip | undefined {
  if (isRerun(environment)) return undefined
  const unchanged = (reason: string) =>
    skip(reason, 'Nothing new to document', { advice: anyway(event, inputs) })
  if (event.about === 'tag' && tags?.isMoving)
    return unchanged(
      `the tag ${inBackticks(event.tag)} isn't a full version, so it moves with each release`,
    )
  const what = event.about === 'release' ? 'release' : 'commit'
  if (memory.sent === 'same') return unchanged(`this step's last job was about the same ${what}`)
  if (event.name === 'schedule' && memory.sent === 'newer')
    return unchanged("this step's last job was about a newer commit")
  const areSame = event.isOfPull && changes?.lines && changes.lines === memory.last?.lines
  return areSame ? unchanged("this step's last job was about the same changed lines") : undefined
}

/** Skips commits, or a pull request, by `ignore-authors` or with one of `skip-labels`. */
function skipIgnored({ changes }: Situation, { inputs }: RunFacts): Skip | undefined {
  const { pull, commits = [], isWhole, isRewritten } = changes ?? {}
  const of = (login: Maybe<string>, labels: readonly string[]) => {
    const author = ignoredAuthor([login], inputs)
    const label = findSkipLabel(labels, inputs)
    if (author) return `by ${author} (\`ignore-authors\`)`
    return label && `labeled ${inBackticks(label)} (\`skip-labels\`)`
  }
  if (pull) {
    const why = of(pull.author?.login, pull.labels)
    const advice =
      'To start a job anyway, remove the label or change the input, and re-run this job.'
    return why ? skip(`this pull request is ${why}`, undefined, { advice }) : undefined
  }
  // A commit that came in several pull requests is ignored if all of them are.
  const reasons = commits.flatMap((commit) =>
    commit.pulls.length > 0
      ? commit.pulls.map(({ author, labels }) => of(author?.login, labels))
      : of(authorOf(commit), []),
  )
  const isAll = isWhole && !isRewritten && reasons.length > 0
  if (!isAll || reasons.includes(undefined)) return undefined
  return skip(`every change is ${[...new Set(reasons)].join(' or ')}`)
}

/** Skips changes of only files that need no docs, or of none. */
function skipUnnoticed(situation: Situation, run: RunFacts): Skip | undefined {
  const { changes } = situation
  if (run.inputs.paths) return skipOutsidePaths(situation, run)
  if (!changes || !isListed(changes)) return undefined
  if (changes.files.length === 0) return skip('no file changed')
  const found = whyNoDocs(changes.files)
  if (!found) return undefined
  const advice = `To choose the files that matter, set \`paths\`. ${anyway(situation.event, run.inputs)}`
  const names = found.names.map((name) => inBackticks(clip(name, 100)))
  const more = changes.files.length > names.length ? ', …' : ''
  const what = `only ${listOf(found.kinds)} changed (${listOf(names)}${more})`
  return skip(what, undefined, { advice })
}

function skipOutsidePaths({ changes }: Situation, { inputs }: RunFacts): Skip | undefined {
  const isNone = inputs.paths && changes && isListed(changes) && changes.files.length === 0
  return isNone && !changes.wereSent ? skip('no changed file is inside `paths`') : undefined
}

/** Whether all changed files are known. A list that stays incomplete is never nothing. */
function isListed({ files, fileCount, isArbitrary, isRewritten }: Changes): boolean {
  return files.length === fileCount && !isArbitrary && !isRewritten
}

/** Skips a push or schedule whose docs pull request is approved, or open for too long. */
function skipWaiting({ event, docs }: Situation, { inputs }: RunFacts): Skip | undefined {
  const canWait = event.about === 'push' || event.name === 'schedule'
  if (!canWait || docs?.state !== 'open') return undefined
  const { prLink, isApproved, ageMs } = docs
  const advice = 'The next run after it is merged or closed includes these changes.'
  if (isApproved)
    return skip('is approved', 'The docs pull request is approved', { advice, prLink })
  const { 'pause-after': pauseAfter = Infinity } = inputs
  if (ageMs < pauseAfter) return undefined
  const reason = `has been open for ${formatAge(ageMs)} (\`pause-after\`)`
  return skip(reason, 'The docs pull request waits for a review', { advice, prLink })
}

/** Skips a pull request if a person closed its docs pull request. */
function skipRejected({ event, docs }: Pick<Situation, 'event' | 'docs'>): Skip | undefined {
  if (!docs?.isRejected || event.isMerged) return undefined
  const { prLink } = docs
  const advice = 'To get docs for this pull request before it is merged, comment with the command.'
  return skip('was closed by a person', 'The docs pull request was closed', { advice, prLink })
}
