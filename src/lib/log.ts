/** The run's log. Nothing written to it can act as a workflow command or show a secret. */
export type Log = {
  info(text: string): void
  /** Annotations are shown at the top of the run, too; each has a title. */
  notice(text: string, title?: string): void
  warning(text: string, title?: string): void
  /** Marks the step as failed. */
  fail(text: string, title?: string): void
  /** A folded part of the log. */
  group(title: string, text: string): void
  /** Whether `fail` has been called. */
  hasFailed(): boolean
}
