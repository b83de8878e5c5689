import { fraction } from '../docs-service/analytics/site.ts'
import { readInputs } from '../src/inputs/table.ts'
import { pauseAfter } from '../src/job/poll.ts'

/** Figures side by side; the first column names the row. */
export type Table = {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const FIRST_LOOK_MS = 5000
const SAMPLES = 100
/** Run times of jobs in seconds; each is tried with many ends around it. */
const RUN_TIMES_S = [20, 60, 300, 900, 1800, 3600]

/** How late the end of a job is seen, and for how many requests, at the action's own pace and at fixed ones. */
export function simulateWaiting(): Table {
  const { inputs } = readInputs(new Map(), (same) => same)
  const rows = RUN_TIMES_S.map((runTimeS) => {
    const cells = [undefined, 5000, 30_000].map((pauseMs) => {
      // The same numbers in every run, so that two benchmarks differ only where the code does.
      let drawn = 0
      const random = () => fraction(runTimeS, drawn++, 0)
      const paced = { inputs: { ...inputs, 'poll-interval': pauseMs }, random }
      const waits = Array.from({ length: SAMPLES }, () => {
        // Ends up to 10 % later: a pause that happens to divide the run time must not look punctual.
        const endsAtMs = 1000 * runTimeS * (1 + 0.1 * random())
        let requests = 1
        let atMs = pauseMs ?? FIRST_LOOK_MS
        for (; atMs < endsAtMs; requests++) atMs += pauseAfter(undefined, 0, atMs, paced)
        return { lateS: (atMs - endsAtMs) / 1000, requests }
      })
      const worst = Math.max(...waits.map(({ lateS }) => lateS))
      const late = `${mean(waits.map(({ lateS }) => lateS)).toFixed(1)} s, ${worst.toFixed(1)} s`
      return `${late}, ${mean(waits.map(({ requests }) => requests)).toFixed(0)}`
    })
    return [runTimeS < 60 ? `${runTimeS} s` : `${runTimeS / 60} min`, ...cells]
  })
  return {
    title: `Waiting: how late the end of a job is seen (mean, worst) and the requests that takes, ${SAMPLES} jobs a row`,
    head: ['Job takes', 'this action', 'every 5 s', 'every 30 s'],
    rows,
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
