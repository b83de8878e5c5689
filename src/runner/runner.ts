import { readFileSync, writeFileSync } from 'node:fs'
import * as core from '@actions/core'
import { secretsOf } from '../inputs/read.ts'
import { type Markdown, md } from '../lib/markdown.ts'
import { type Redact, redactor } from '../lib/redact.ts'
import { errorMessage } from '../lib/text.ts'
import type { Environment } from './environment.ts'
import { type Log, maskSecrets, openLog } from './log.ts'
import { openOutputs, type SetOutputs } from './outputs.ts'

/** What the main part of the step leaves for its post part. */
export type StateName = 'job-id' | 'pending-comment' | 'finished'

/** The runner, as the rest of the code sees it: nothing else reads its variables or writes its files and log. */
export type Runner = {
  readonly environment: Environment
  readonly log: Log
  /** Takes the secrets out of a text. */
  readonly redact: Redact
  readonly setOutputs: SetOutputs
  readonly writeSummary: WriteSummary
  /** Saves a value for the post part, in place of the one before. */
  saveState(name: StateName, value: string): void
  /** What the main part saved; empty if nothing. */
  readState(name: StateName): string
}

/** Opens the runner. The secrets are masked before anything else happens. */
export function openRunner(environment: Environment): Runner {
  const secrets = secretsOf(environment.inputs)
  maskSecrets(secrets)
  const redact = redactor(secrets)
  const log = openLog(redact, `Docs agent: ${environment.inputs.get('project-id') ?? ''}`)
  let stateFailed = false
  return {
    environment,
    log,
    redact,
    setOutputs: openOutputs(log, redact),
    writeSummary: openSummary(environment.summaryPath, { log, redact }),
    saveState(name, value) {
      if (stateFailed) return
      try {
        core.saveState(name, value)
      } catch (error) {
        stateFailed = true
        log.warning(`Nothing can be saved for the step's post part: ${errorMessage(error)}`)
      }
    },
    readState: (name) => environment.state.get(name) ?? '',
  }
}

/** The parts of a step's summary, in the order in which they stand there. */
const SECTIONS = ['job', 'visitors'] as const

type SummarySection = (typeof SECTIONS)[number]

/**
 * Writes a section of the step's summary, in place of what it said before. The order of the sections is fixed, whichever
 * is written first; what is written is there at once, so that a run that is killed loses none of it.
 */
type WriteSummary = (section: SummarySection, markdown: Markdown) => void

/** GitHub drops a step's summary that is larger than 1 MiB. */
const LIMIT_BYTES = 1024 * 1024

/**
 * Makes the function that writes the summary. One that can't be written is a warning: it never fails a run.
 *
 * @param path of the file that the runner reads; empty if it gave none
 */
export function openSummary(path: string, { log, redact }: { log: Log; redact: Redact }): WriteSummary {
  const sections = new Map<SummarySection, string>()
  let earlier: string | undefined

  function write(): void {
    if (path === '') throw new Error('GITHUB_STEP_SUMMARY is not set')
    earlier ??= readFileSync(path, { encoding: 'utf8', flag: 'a+' })
    let text = earlier
    for (const name of SECTIONS) {
      const section = sections.get(name)
      if (section === undefined) continue
      const fits = Buffer.byteLength(text) + Buffer.byteLength(section) <= LIMIT_BYTES
      text += fits ? section : TOO_LARGE
    }
    writeFileSync(path, text)
  }

  return (section, markdown) => {
    sections.set(section, `${redact(markdown.source)}\n\n`)
    try {
      write()
    } catch (error) {
      log.warning(`The job summary could not be written: ${errorMessage(error)}`)
    }
  }
}

const TOO_LARGE = `${md`This part of the summary is larger than GitHub shows. The step's outputs and log have the result.`.source}\n\n`
