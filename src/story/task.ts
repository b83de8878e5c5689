import type { Command } from '../edges/github/command.ts'
import type { GitHubEvent } from '../edges/github/event.ts'
import { runUrlOf } from '../edges/github/run-url.ts'
import type { Environment } from '../edges/runner/environment.ts'
import type { Inputs } from '../edges/runner/inputs.ts'
import { recordField, stringField } from '../machinery/json.ts'
import type { CommentFrame } from '../report/comment-body.ts'
import { hashProject, type Marker } from '../report/marker.ts'

/** What a run is to do. */
export type Task = {
  readonly event: GitHubEvent
  readonly inputs: Inputs
  /** The comment that asks for it, if one does. */
  readonly command: Command | undefined
}

/** Whether a run may write to GitHub at all. */
export function mayWrite({ comments, dryRun }: Pick<Inputs, 'comments' | 'dryRun'>): boolean {
  return comments.comment !== 'never' && !dryRun
}

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
