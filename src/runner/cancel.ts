/** The runner's wish to end the run: it sends SIGINT, and SIGTERM 7.5 s later. */
export type Cancel = {
  readonly signal: AbortSignal
  /** Stops listening. */
  release(): void
}

/** Listens for SIGINT and SIGTERM from here on. */
export function listenForCancel(): Cancel {
  const controller = new AbortController()
  const cancel = (): void => controller.abort()
  process.on('SIGINT', cancel).on('SIGTERM', cancel)
  return {
    signal: controller.signal,
    release() {
      process.off('SIGINT', cancel).off('SIGTERM', cancel)
    },
  }
}
