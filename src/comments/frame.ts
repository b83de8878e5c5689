import { recordField, stringField } from '../lib/json.ts'
import type { Environment } from '../runner/environment.ts'
import { runUrlOf } from '../runner/run-url.ts'
import type { Task } from '../trigger/task.ts'
import type { CommentFrame } from './body.ts'
import { hashProject, type Marker } from './marker.ts'

/** What the comments of a task have in common. */
export function frameOf(
  { event, inputs, command }: Task,
  environment: Environment,
  kind: Marker['kind'],
): CommentFrame {
  const { workflow, job, action, runId } = environment
  const head = recordField(recordField(event.payload, 'pull_request'), 'head')
  return {
    marker: {
      kind,
      job: '',
      project: hashProject(inputs),
      step: [workflow, job, action].join('/'),
      command: inputs.comments.command,
      run: runId,
      comment: command === undefined ? '' : `${command.comment.id}`,
    },
    login: command?.comment.login ?? '',
    ask: command?.ask ?? '',
    runUrl: runUrlOf(environment),
    sha: stringField(head, 'sha') ?? '',
    followUp: inputs.comments.followUp,
  }
}
