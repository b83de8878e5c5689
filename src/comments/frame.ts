import { recordField, stringField } from '../lib/json.ts'
import type { Environment } from '../runner/environment.ts'
import { runUrlOf } from '../runner/environment.ts'
import type { CommentFrame } from './body.ts'
import type { CommentRequest } from './comment-request.ts'
import { hashProject, type Marker } from './marker.ts'

/** What the comments of a request have in common. */
export function frameOf(
  { event, inputs, command }: CommentRequest,
  environment: Environment,
  kind: Marker['kind'],
): CommentFrame {
  const { workflow, job, action, runId } = environment
  const head = recordField(recordField(event.payload, 'pull_request'), 'head')
  return {
    marker: {
      kind,
      job: '',
      project: hashProject({ baseUrl: inputs['base-url'], projectId: inputs['project-id'] }),
      step: [workflow, job, action].join('/'),
      command: inputs.command,
      run: runId,
      comment: command === undefined ? '' : `${command.source.id}`,
    },
    login: command?.author.login ?? '',
    ask: command?.instructions ?? '',
    runUrl: runUrlOf(environment),
    sha: stringField(head, 'sha') ?? '',
    followUp: inputs['follow-up'],
  }
}
