/** An object as JSON has them: what its fields hold is not known yet. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** Parses JSON, with or without a byte order mark; `undefined` if the text is none. `reviver`: as of `JSON.parse`. */
export function parseJson(text: string, reviver?: (name: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''), reviver)
  } catch {
    return undefined
  }
}

/** Whether a value is an object with fields: no array, not null. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// A field of a record if it is of that type; `undefined`, or an empty value, for anything else.

export function stringField(record: unknown, field: string): string | undefined {
  const value = isRecord(record) ? record[field] : undefined
  return typeof value === 'string' ? value : undefined
}

export function recordField(record: unknown, field: string): JsonRecord {
  const value = isRecord(record) ? record[field] : undefined
  return isRecord(value) ? value : {}
}

export function listField(record: unknown, field: string): readonly unknown[] {
  const value = isRecord(record) ? record[field] : undefined
  return Array.isArray(value) ? value : []
}
