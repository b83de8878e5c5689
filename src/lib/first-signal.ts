/** A signal that follows others until it is told to let go of them. */
export type FirstSignal = { readonly signal: AbortSignal; release(): void }

/**
 * A signal that is aborted with the first of some others, as that of `AbortSignal.any`. But once it is released, nothing
 * of it stays on those that outlive it: what Node keeps there else adds up over thousands of requests.
 */
export function firstSignal(signals: readonly (AbortSignal | undefined)[]): FirstSignal {
  const first = new AbortController()
  const followed = signals.filter((signal) => signal !== undefined)
  const follow = (event: Event): void => {
    if (event.target instanceof AbortSignal) first.abort(event.target.reason)
  }
  for (const signal of followed) {
    if (signal.aborted) first.abort(signal.reason)
    else signal.addEventListener('abort', follow)
  }
  return {
    signal: first.signal,
    release() {
      for (const signal of followed) signal.removeEventListener('abort', follow)
    },
  }
}
