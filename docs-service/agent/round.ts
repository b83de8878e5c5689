import { type Outcome, readDirectives } from './directives.ts'

/** One prompt's worth of work: the job's own prompt, or a follow-up message. Times are epoch milliseconds. */
export type Round = {
  readonly prompt: string
  /** What is shown until when. The last stage ends with the round. */
  readonly stages: readonly { status: string; untilMs: number }[]
  /** `Infinity` for a round that never ends. */
  readonly endsAtMs: number
  readonly outcome: Outcome
  readonly changes: boolean
  readonly gitlab: boolean
  /** The work at the round's end, once it has begun; it is done once only. */
  work?: Promise<void>
}

/** Plans a round that begins at `startsAtMs`: active for its time, then the stages its directives ask for. */
export function planRound(
  prompt: string,
  { startsAtMs, jobTimeMs }: { startsAtMs: number; jobTimeMs: number },
): Round {
  const { outcome, changes, takesMs, stages: asked, endless, gitlab } = readDirectives(prompt)
  const stages = [{ status: 'active', untilMs: startsAtMs + (takesMs ?? jobTimeMs) }]
  for (const { status, ms } of asked) stages.push({ status, untilMs: endOf(stages) + ms })
  if (endless) stages.push({ status: 'active', untilMs: Number.POSITIVE_INFINITY })
  return { prompt, stages, endsAtMs: endOf(stages), outcome, changes, gitlab }
}

/** The status that rounds one after another show at a moment. */
export function statusAt(rounds: readonly Round[], nowMs: number): string {
  const running = rounds.find((round) => nowMs < round.endsAtMs)
  const stage = running?.stages.find(({ untilMs }) => nowMs < untilMs)
  return stage?.status ?? rounds.at(-1)?.outcome ?? 'active'
}

/** Whether a status is one of those that end a job. */
export function isOver(status: string): status is Outcome {
  return status === 'completed' || status === 'failed' || status === 'archived'
}

function endOf(stages: readonly { untilMs: number }[]): number {
  return stages.at(-1)?.untilMs ?? 0
}
