export const CHECK = 'Check `base-url`, and the firewall and proxy of the runner.'
export const HTML = "with an HTML page, a proxy's or a login page"
export const KEY = 'mint_secret_0123'

/** A call, the status and body of its answer => what is said of it. */
export const REFUSALS: readonly string[] = [
  'create 400 {"error":"no"} => The docs service rejected the request as invalid (400). The docs service answered the request to create a job with "no". Check `prompt` and `project-id`.',
  'get 400 {"error":"no"} => The docs service rejected the request as invalid (400). The docs service answered the request to get the job with "no". Check `project-id`.',
  'create 401 {"error":"no"} => The docs service refused the API key (401). The docs service answered the request to create a job with "no". The key may have expired (keys last 90 days unless their owner chose otherwise), have been deleted, or belong to another service; or the organisation\'s plan does not include the API, which needs Pro or Enterprise. Check the plan in the dashboard, or create a new admin key there and update the secret behind `api-key`.',
  'create 402 {"error":"no"} => The credits of the docs service are used up (402). The docs service answered the request to create a job with "no". Buy credits, or wait for the next period.',
  'create 403 {"error":"no"} => The docs service does not allow this (403). The docs service answered the request to create a job with "no". The dashboard shows the key\'s scope and its list of IP addresses.',
  'create 404 {"error":"no"} => No project `docs` (404). The docs service answered the request to create a job with "no". Check `project-id`, and that the API key belongs to the same organisation.',
  'get 404 {"error":"no"} => No job `j1` in project `docs` (404). The docs service answered the request to get the job with "no". Check `job-id` and `project-id`; the service may also have deleted the job.',
  'create 429 {"error":"no"} => The rate limit of the docs service is reached (429). The docs service answered the request to create a job with "no". It is the limit of the API key or of the project. The documented limit is 100 jobs per project and hour. Start fewer runs, or run at another time.',
  'message 429 {"error":"no"} => The rate limit of the docs service is reached (429). The docs service answered the request to send the job a follow-up message with "no". It is the limit of the API key or of the project. The documented limit is 100 follow-up messages per project and hour. Start fewer runs, or run at another time.',
  'get 429 {"error":"no"} => The rate limit of the docs service is reached (429). The docs service answered the request to get the job with "no". It is the limit of the API key or of the project. Start fewer runs, or run at another time.',
  'create 413 {"error":"no"} => The prompt is too large for the docs service (413). The docs service answered the request to create a job with "no". Shorten `prompt`, `prompt-file` or `context-files`, or set `context: files`.',
  'get 408 {"error":"no"} => The docs service timed out waiting for the request (408). The docs service answered the request to get the job with "no". The network of this runner may be slow.',
  'get 503 {"error":"no"} => The docs service failed (503). The docs service answered the request to get the job with "no". The cause is the service or a proxy before it, not this workflow.',
  'get 418 {"error":"no"} => Unexpected response from the docs service (418). The docs service answered the request to get the job with "no". This status is not documented; check `base-url`.',
  'create 429 {"code":7} => The rate limit of the docs service is reached (429). The docs service answered the request to create a job and gave no reason. It is the limit of the API key or of the project. The documented limit is 100 jobs per project and hour. Start fewer runs, or run at another time.',
  'create 429 Too many requests => The rate limit of the docs service is reached (429). The docs service answered the request to create a job with "Too many requests". It is the limit of the organisation, for all its API keys. Start fewer runs, or run at another time.',
  'create 429  => The rate limit of the docs service is reached (429). The docs service answered the request to create a job and gave no reason. The documented limit is 100 jobs per project and hour. Start fewer runs, or run at another time.',
  'visitors 429 {"error":"no"} => The rate limit of the docs service is reached (429). The docs service answered the request to list the visitors with "no". The documented limit is 100 analytics requests per hour, shared by the whole organisation. Start fewer runs, or run at another time.',
  'visitors 429 Too many => The rate limit of the docs service is reached (429). The docs service answered the request to list the visitors with "Too many". The documented limit is 100 analytics requests per hour, shared by the whole organisation. Start fewer runs, or run at another time.',
  "get 429 <p>Wait</p> => The rate limit of the docs service is reached (429). The request to get the job was answered with an HTML page, a proxy's or a login page. Start fewer runs, or run at another time.",
  'create 403  => The docs service does not allow this (403). The docs service answered the request to create a job and gave no reason. The key may have the scope `read`, which cannot start jobs or send messages (use a key with the scope `admin`), or it may be limited to a list of IP addresses that this runner is not on: the dashboard shows it.',
  'get 403  => The docs service does not allow this (403). The docs service answered the request to get the job and gave no reason. The key may be limited to a list of IP addresses that this runner is not on: the dashboard shows it.',
  'get 403 Error code: 1010 => A firewall in front of the docs service refused this client (403). The docs service answered the request to get the job with "Error code: 1010". Error code 1010 means that the client was blocked because of its user agent, before the service has seen the API key. If a proxy of this runner changes the header `user-agent`, exempt the host from it; otherwise ask the support of the docs service to allow `docs-agent-action`.',
  "create 403 <p>error code: 1010</p> => A firewall in front of the docs service refused this client (403). The request to create a job was answered with an HTML page, a proxy's or a login page. Error code 1010 means that the client was blocked because of its user agent, before the service has seen the API key. If a proxy of this runner changes the header `user-agent`, exempt the host from it; otherwise ask the support of the docs service to allow `docs-agent-action`.",
  "create 403 <html>Sign in => The response is an HTML page, not from the docs service (403). The request to create a job was answered with an HTML page, a proxy's or a login page. Check `base-url`, and the firewall and proxy of the runner.",
  "get 404 <html>Sign in => The response is an HTML page, not from the docs service (404). The request to get the job was answered with an HTML page, a proxy's or a login page. Check `base-url`, and the firewall and proxy of the runner.",
]

/** Bodies, and what is said of them. */
export const BODIES: readonly [string, string][] = [
  ['{"error":"too short","details":[{"message":"at least 1"},{},"x"]}', 'with "too short; at least 1; x"'],
  ['{"errors":[{"message":"no such branch"}]}', 'with "no such branch"'],
  ['{"error":{"message":"nested"}}', 'with "nested"'],
  ['{"message":"other"}', 'with "other"'],
  ['{"detail":"third"}', 'with "third"'],
  ['"just a string"', 'with "just a string"'],
  ['Too many\r\nrequests, \tplease wait', 'with "Too many requests, please wait"'],
  ['a `tick`', `with "a 'tick'"`],
  [`{"error":"${'x'.repeat(400)}"}`, `with "${'x'.repeat(300)}… (100 more characters)"`],
  [`{"error":"wrong key ${KEY}"}`, 'with "wrong key ***"'],
  [`{"error":"wrong key mint_\\u0073ecret_0123"}`, 'with "wrong key ***"'],
  ['<html><body>Sign in</body></html>', HTML],
  ['Oops <b>no</b>', HTML],
  ['x'.repeat(301), 'with text that is not JSON'],
  ['{"code":7}', 'and gave no reason'],
  ['', 'and gave no reason'],
]
