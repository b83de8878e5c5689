import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'

const SCHEMAS = join(import.meta.dirname, '../../docs/schemas')
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true })
const validators = new Map(
  ['job', 'visitors'].map((name) => [
    name,
    ajv.compile(JSON.parse(readFileSync(join(SCHEMAS, `${name}.schema.json`), 'utf8'))),
  ]),
)

/** Throws if an output of a run is not as `docs/schemas` describes it. */
export function checkOutputs(outputs: Readonly<Record<string, string>>): void {
  for (const [name, validate] of validators) {
    const json = outputs[name] ?? ''
    if (json === '' || validate(JSON.parse(json))) continue
    throw new Error(
      `The output ${name} is not as its schema says: ${ajv.errorsText(validate.errors)}\n${json}`,
    )
  }
}
