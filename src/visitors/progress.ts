/** What happens while visitors are read, told while it happens. */
export type VisitorsEvent =
  /** A good answer; so many requests were made so far, retries included. */
  | { readonly type: 'answered'; readonly requests: number }
  | { readonly type: 'ask-again'; readonly error: Error; readonly retryInMs: number }

/** Takes events as they come. */
export type OnVisitorsEvent = (event: VisitorsEvent) => void
