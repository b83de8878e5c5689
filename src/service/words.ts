import { clip } from '../lib/text.ts'
import { TransportError } from '../lib/transport-error.ts'

/** Why the docs service gave no answer, or what it answered, as sentences for the log. */
export function failureSentence(error: Error): string {
  return error instanceof TransportError
    ? `No answer from the docs service: ${error.message}.`
    : error.message
}

/** A word of the service's own, such as a status or an id, no longer than is worth showing. */
export function serviceWord(text: string): string {
  return clip(text, 1000)
}
