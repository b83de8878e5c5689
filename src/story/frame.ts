import { runUrlOf } from '../edges/github/run-url.ts'
import type { Environment } from '../edges/runner/environment.ts'
import type { Inputs } from '../edges/runner/inputs.ts'
import { recordField, stringField } from '../machinery/json.ts'
import type { CommentFrame } from '../report/comment-body.ts'
import { hashProject, type Marker } from '../report/marker.ts'
import type { Task } from './task.ts'

/** What is known of a task even where its inputs are wrong. */
export type Occasion = Pick<Task, 'event' | 'command'> & {
  readonly inputs: Pick<Inputs, 'comments'> & Partial<Pick<Inputs, 'baseUrl' | 'projectId'>>
}

/** What the comments of a task have in common. */
export function frameOf(
  { event, inputs, command }: Occasion,
  environment: Environment,
  kind: Marker['kind'],
): CommentFrame {
  const { workflow, job, action, runId } = environment
  const head = recordField(recordField(event.payload, 'pull_request'), 'head')
  return {
    marker: {
      kind,
      job: '',
      project: projectOf(inputs),
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

function projectOf({ baseUrl, projectId }: Occasion['inputs']): string {
  return baseUrl === undefined || projectId === undefined ? '' : hashProject({ baseUrl, projectId })
}
