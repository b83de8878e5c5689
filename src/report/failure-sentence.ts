import { TransportError } from '../machinery/transport-error.ts'

/** Why the docs service gave no answer, or what it answered, as sentences for the log. */
export function failureSentence(error: Error): string {
  return error instanceof TransportError
    ? `No answer from the docs service: ${error.message}.`
    : error.message
}
