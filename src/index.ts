import { run } from './story/run.ts'

await run()
