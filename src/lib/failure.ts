import { joinSentences } from './text.ts'

/** What went wrong, or how something ended, in words. */
export type Failure = {
  /** A few words without a full stop, fit for a heading. Names in backticks are code. */
  readonly headline: string
  /** Sentences: what was requested, what came back, the likely cause and the fix. May be empty. */
  readonly details: string
}

/** All words of a failure, as sentences. */
export function failureText({ headline, details }: Failure): string {
  return joinSentences(headline === '' ? '' : `${headline}.`, details)
}

/** An error that says of itself what went wrong. */
export class FailureError extends Error implements Failure {
  readonly headline: string
  readonly details: string

  constructor(failure: Failure, options?: { readonly cause: unknown }) {
    super(failureText(failure), options)
    this.headline = failure.headline
    this.details = failure.details
  }
}
