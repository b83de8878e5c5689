/** What the agent has to say of the sample site's product, by the subject it is asked about. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [
    /\bexit code 6\b/i,
    `\`brindle upgrade\` ends with exit code 6 if the newest snapshot is more than an hour old, or if there is none. Nothing
was changed by then. In a script, take a snapshot and try once more:

\`\`\`sh
brindle upgrade || { test $? -eq 6 && brindle snapshot && brindle upgrade; }
\`\`\``,
  ],
  [
    /\bupgrades? need/i,
    `Before it changes anything, \`brindle upgrade\` looks for a snapshot of the last hour. If there is none, it stops and
says so:

\`\`\`text
No snapshot of the last hour. Run "brindle snapshot" first, or pass --force.
\`\`\`

\`--force\` upgrades without one. An upgrade that fails half-way can then not be undone: use it only if you have another
backup.`,
  ],
]

/** The body of a section, as MDX; `undefined` if the agent knows nothing of the subject. */
export function knownSection(subject: string): string | undefined {
  return KNOWN.find(([pattern]) => pattern.test(subject))?.[1]
}
