/** A signal that is aborted when the runner wants the run to end: it sends SIGINT, and SIGTERM 7.5 s later. */
export function listenForCancel(): AbortSignal {
  const controller = new AbortController()
  const cancel = (): void => controller.abort()
  process.on('SIGINT', cancel).on('SIGTERM', cancel)
  return controller.signal
}
