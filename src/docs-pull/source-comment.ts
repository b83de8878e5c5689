import type { Source } from '../changes/sources.ts'
import type { GitHubEvent } from '../event/event.ts'
import { findComment, MARK, pullRequestThread, writeComment } from '../github/threads.ts'
import { code, joinMarkdown, link, Markdown, md } from '../lib/markdown.ts'
import { shorten } from '../lib/text.ts'
import { hashOf } from '../record/record.ts'
import { type Run, runUrlOf } from '../runner/run.ts'
import type { DocsPull } from './docs-pull.ts'

const NO_LIST = '💬 An agent wrote this pull request for changes in a private repository.'
const MAX_LINES = 20
const MAX_SOURCES = 5
const MAX_TITLE = 80

/**
 * Adds a line to the project's one source comment on a docs pull request. Its other lines stay as they are, and nothing
 * reads them. A failure is a line in the log, because the token may not be able to comment there.
 */
export async function writeSourceComment(
  pull: DocsPull,
  sources: readonly Source[],
  event: GitHubEvent,
  run: Run,
): Promise<void> {
  const { github, log, inputs, environment } = run
  const { repository, number, isOwn, isExposed } = pull
  const project = JSON.stringify([inputs['base-url'].href, inputs['project-id']])
  const mark = `${MARK}${hashOf(project)} -->`
  const thread = pullRequestThread(number, isOwn ? undefined : repository)
  const written = await github.attempt(async () => {
    const before = await findComment({ thread, mark }, github)
    const known = (before?.body ?? '').split('\n')
    const url = runUrlOf(environment)
    // A re-run adds no second line.
    if (known.some((line) => line.includes(isExposed ? NO_LIST : `(${url})`))) return
    const line = run.redact(lineText(sources, event, run).source)
    const lines = [line, ...known.filter((one) => one.startsWith('- '))].slice(0, MAX_LINES)
    const how = md`To request changes, comment ${code(`${inputs.command} …`)} here. For example: ${code(`${inputs.command} make it shorter and add an example`)}`
    const canAsk = isOwn && inputs.command !== '' && inputs['follow-up']
    const body = isExposed
      ? Markdown.raw(NO_LIST)
      : joinMarkdown([
          md`💬 **Code changes covered by this pull request**`,
          Markdown.raw(lines.join('\n')),
          canAsk ? how : md``,
        ])
    const id = before?.databaseId ?? undefined
    await writeComment({ thread, id, mayExist: false, mark, body: body.source }, github)
  })
  if (!written.known)
    log.info(
      `Could not write the comment that lists the covered changes on ${repository}#${number}: ${written.error.message}.`,
    )
}

function lineText(sources: readonly Source[], event: GitHubEvent, run: Run): Markdown {
  const date = new Date(run.clock.now()).toISOString().slice(0, 10)
  const shown = sources.slice(0, MAX_SOURCES).map(sourceText)
  if (sources.length === 0) shown.push(md`${event.name}`)
  if (sources.length > MAX_SOURCES) shown.push(md`and ${sources.length - MAX_SOURCES} more`)
  const all = joinMarkdown(shown, '; ')
  return md`- ${date}, ${link('workflow run', runUrlOf(run.environment))}: ${all}`
}

function sourceText({ kind, url, title: whole, author }: Source): Markdown {
  const title = shorten(whole, MAX_TITLE)
  const by = author === '' ? md`` : md` by **${author}**`
  // The address itself, so that GitHub links back from there.
  if (kind === 'pull-request' && /^https?:\/\/[\w.:-]+(?:\/[\w.-]+){2}\/pull\/\d+$/.test(url))
    return md`${Markdown.raw(url)} ${title}${by}`
  if (kind === 'command') return md`${link(kind, url)}${by}${title && md`: ${title}`}`
  return md`${link(title || url, url)}${by}`
}
