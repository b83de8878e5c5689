import { parseArgs } from 'node:util'
import { startDocsService } from '../docs-service/service.ts'
import { formatDuration } from '../src/lib/duration.ts'
import { type ActionRun, runAction } from '../test/support/run-action.ts'

/** Runs the bundle many times at once against one service in which a share of all requests meets a fault. */
async function soak(runs: number, faultShare: number): Promise<void> {
  const unlimited = { jobsPerHour: Infinity, retryAfter: true }
  const docs = await startDocsService({ agent: 'none', jobTimeMs: 4000, limits: unlimited })
  const kinds = ['reset', 'reset-after', 'truncate', 'html', 'hang'] as const
  const maximum = runs * 40
  for (let nth = 1, index = 0; nth <= maximum; nth += Math.round(1 / faultShare), index++) {
    docs.faults.add({ kind: kinds[index % kinds.length] ?? 'reset', match: { nth } })
  }
  const startedAtMs = performance.now()
  const ended = await Promise.all(Array.from({ length: runs }, (_, index) => oneRun(index, docs)))
  const prompts = docs.jobs.map(({ prompt }) => prompt)
  const rows = {
    runs,
    requests: docs.requests.length,
    'requests with a fault': docs.requests.filter(({ fault }) => fault !== undefined).length,
    'jobs of the service': prompts.length,
    'prompts with two jobs': prompts.length - new Set(prompts).size,
    'pull requests reported': ended.filter(({ outputs }) => outputs['result'] === 'pull-request').length,
    'ended uncertain, and said so': ended.filter(({ log }) => log.includes('a job may be running')).length,
    'delivered ids lost': ended.filter((run) => isLost(run)).length,
    duration: formatDuration(performance.now() - startedAtMs),
  }
  console.table(Object.fromEntries(Object.entries(rows).map(([name, value]) => [name, { value }])))
  await docs.close()
  if (rows['prompts with two jobs'] > 0 || rows['delivered ids lost'] > 0) process.exitCode = 1
  if (rows['pull requests reported'] + rows['ended uncertain, and said so'] !== runs) process.exitCode = 1
}

function oneRun(index: number, docs: { readonly url: string; readonly key: string }): Promise<ActionRun> {
  return runAction({
    inputs: {
      'api-key': docs.key,
      'project-id': 'docs',
      'base-url': docs.url,
      prompt: `Request ${index}`,
      timeout: '3m',
      context: 'none',
    },
  })
}

function isLost({ log, outputs }: ActionRun): boolean {
  return log.includes('was accepted') && (outputs['job-id'] ?? '') === ''
}

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '50' }, faults: { type: 'string', default: '0.05' } },
})
await soak(Number(values.runs), Number(values.faults))
