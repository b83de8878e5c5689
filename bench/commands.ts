import { readCommand } from '../src/events/command.ts'
import { eventRow } from '../src/events/table.ts'
import { LARGE_TEXTS } from '../test/events/large-texts.ts'
import type { Table } from './table.ts'

/** Times the search for a command in the largest texts that anybody may write: the first time, as in a run. */
export function timeCommands(): Table {
  const rows = LARGE_TEXTS.map(([what, body]) => {
    const user = { id: 1, login: 'octocat', type: 'User' }
    const payload = { action: 'created', issue: { number: 1 }, comment: { id: 1, body, user } }
    const before = process.cpuUsage()
    readCommand({ name: 'issue_comment', row: eventRow('issue_comment'), payload }, '/docs')
    const used = process.cpuUsage(before)
    return [what, `${((used.user + used.system) / 1000).toFixed(1)} ms`]
  })
  return { title: 'Finding a command in 64 KiB', head: ['Text', 'CPU time'], rows }
}
