import { runUrlOf } from '../edges/github/run-url.ts'
import type { Environment } from '../edges/runner/environment.ts'
import { recordField, stringField } from '../machinery/json.ts'
import type { CommentFrame } from '../report/comment-body.ts'
import { hashProject, type Marker } from '../report/marker.ts'
import type { Task } from './task.ts'

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
