/** A JSON object as GitHub sends it. */
export type Fields = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A JSON object with some of its fields replaced, however deep; `undefined` removes a field. */
export function merged(base: unknown, change: Fields): Fields {
  const whole: Record<string, unknown> = isObject(base) ? { ...base } : {}
  for (const [name, value] of Object.entries(change)) {
    whole[name] = isObject(value) ? merged(whole[name], value) : value
  }
  return whole
}
