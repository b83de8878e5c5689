import { readFileSync } from 'node:fs'
import * as core from '@actions/core'
import { context, getOctokit } from '@actions/github'

// What actions/github-script does: it hands these objects to a function made from the script in the workflow.
const AsyncFunction = (async () => undefined).constructor as FunctionConstructor
const script = readFileSync(process.env['SCRIPT_FILE'] ?? '', 'utf8')
const github = getOctokit(process.env['GITHUB_TOKEN'] ?? '')

async function main(): Promise<void> {
  try {
    await new AsyncFunction('github', 'context', 'core', script)(github, context, core)
  } catch (error) {
    core.setFailed(String(error))
  }
}

void main()
