import * as core from '@actions/core'
import type { Environment } from './environment.ts'

/** What the main part leaves for the post part. */
const STATE_NAMES = ['job-id', 'last-will', 'finished'] as const

/** A name of saved state. */
export type StateName = (typeof STATE_NAMES)[number]

/** Saves a value for the post part. */
export function saveState(name: StateName, value: string): void {
  core.saveState(name, value)
}

/** Reads what the main part saved; empty if nothing. */
export function readState(environment: Environment, name: StateName): string {
  return environment.state.get(name) ?? ''
}
