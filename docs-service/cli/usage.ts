/** The text of `--help`. */
export const USAGE = `Runs the embedded docs service on this machine until it is interrupted.

  npm run service -- [flags]

  --port <number>               Port to listen on; 0 picks a free one. Default 4010.
  --host <host>                 Loopback host to listen on. Default 127.0.0.1.
  --key <key>                   Admin API key. Default mint_demo.
  --read-key <key>              Further key of scope read: 403 to every POST. Repeatable.
  --expired-key <key>           Further key that has expired: 401. Repeatable.
  --forbidden-ip-key <key>      Further key that refuses this IP address: 403. Repeatable.
  --project <id>                Project that exists; any other is 404. Repeatable. Default docs.
  --agent <git|none>            git: real commits in a temporary repository. none: links only. Default git.
  --job-time <duration>         How long a job is active. Default 3s.
  --not-found-time <duration>   Right after a create, looks answer 404 for this long. Default 0s.
  --stale-time <duration>       Right after a message, the old status shows for this long. Default 0s.
  --pages <number>              Pages in the visitors report, up to 1000000. Default 120.
  --seed <number>               Same seed, same job ids and visitors. Default 1.
  --jobs-per-hour <number>      Job creates per project, or none for no limit. Default 100.
  --messages-per-hour <number>  Follow-ups per project, or none. Default 100.
  --analytics-per-hour <number> Analytics requests of all projects together, or none. Default 100.
  --no-retry-after              Send 429 without Retry-After.
  --quiet                       No line for each request.
  --help                        Show this text.

Durations are whole numbers with units: 250ms, 20s, 2m, 1h30m.
docs-service/README.md has the prompt directives, the faults and the rest.
`
