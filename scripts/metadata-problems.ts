import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { parse } from 'yaml'

const ROOT = join(import.meta.dirname, '..')

const COLORS = ['white', 'black', 'yellow', 'blue', 'green', 'orange', 'red', 'purple', 'gray-dark']
const NAMES = { type: 'string', pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$' }
const TEXT = { type: 'string', minLength: 1 }

/** Things by their names, each with a description and with nothing else but these properties. */
function namedThings(properties: object): object {
  const thing = { type: 'object', required: ['description'], additionalProperties: false }
  return {
    type: 'object',
    propertyNames: NAMES,
    additionalProperties: { ...thing, properties: { description: TEXT, ...properties } },
  }
}

/**
 * What GitHub's documentation ("Metadata syntax") says of a JavaScript action, narrowed to how this project writes it:
 * names in kebab-case, a description for each, no key that GitHub would pass over in silence.
 */
const SCHEMA = {
  type: 'object',
  required: ['name', 'description', 'author', 'branding', 'inputs', 'outputs', 'runs'],
  additionalProperties: false,
  properties: {
    name: TEXT,
    // What the Marketplace shows.
    description: { ...TEXT, maxLength: 125 },
    author: TEXT,
    branding: {
      type: 'object',
      required: ['icon', 'color'],
      additionalProperties: false,
      properties: { icon: NAMES, color: { enum: COLORS } },
    },
    inputs: namedThings({
      required: { type: 'boolean' },
      // A default of another type would reach the action as whatever YAML makes of it.
      default: { type: 'string' },
      deprecationMessage: TEXT,
    }),
    outputs: namedThings({}),
    runs: {
      type: 'object',
      required: ['using', 'main'],
      additionalProperties: false,
      properties: {
        using: { const: 'node24' },
        main: TEXT,
        post: TEXT,
        'post-if': TEXT,
      },
    },
  },
}

/** What is wrong with `action.yml`, each as a sentence. */
export function metadataProblems(): string[] {
  const metadata: unknown = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'))
  const validate = new Ajv({ allErrors: true }).compile<Metadata>(SCHEMA)
  if (!validate(metadata)) {
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`)
  }
  return [metadata.runs.main, metadata.runs.post]
    .filter((path) => path !== undefined && !existsSync(join(ROOT, path)))
    .map((path) => `/runs names ${path}, which does not exist`)
}

type Metadata = { readonly runs: { readonly main: string; readonly post?: string } }
