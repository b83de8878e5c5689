import { run } from './story/run.ts'

void run()
