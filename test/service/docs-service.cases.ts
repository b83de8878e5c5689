export const CHECK = 'Check `base-url`, and the proxy (`HTTPS_PROXY`, `HTTP_PROXY`) of the runner.'
export const HTML = 'with an HTML page, probably of a proxy or a login'
export const KEY = 'mint_secret_0123'

/** A call, the status and body of its answer => what is said of it. */
export const REFUSALS: readonly string[] = [
  'create 400 {"error":"no"} => The docs service rejected the request as invalid (400). The docs service answered the request to create a job with "no". Check `prompt` and `project-id`.',
  'get 400 {"error":"no"} => The docs service rejected the request as invalid (400). The docs service answered the request to get the job with "no". Check `project-id`.',
  `create 401 {"error":"no"} => The docs service refused the API key (401). The docs service answered the request to create a job with "no". The key has expired (after 90 days unless set otherwise) or was deleted, or the organisation's plan lacks the API (Pro or Enterprise has it): see the dashboard, and put a valid admin key into the secret behind \`api-key\`.`,
  'create 401 {"error":"Key expired"} => The API key has expired (401). The docs service answered the request to create a job with "Key expired". Create an admin key in the dashboard, and put it into the secret behind `api-key`.',
  'get 401 {"error":"This key was revoked"} => The API key was deleted (401). The docs service answered the request to get the job with "This key was revoked". Create an admin key in the dashboard, and put it into the secret behind `api-key`.',
  `get 401 {"error":"Upgrade your plan"} => The organisation's plan does not include this (401). The docs service answered the request to get the job with "Upgrade your plan". Pro and Enterprise include the API and analytics: change the plan in the dashboard, or remove the inputs that ask for this.`,
  'create 402 {"error":"no"} => The credits of the docs service are used up (402). The docs service answered the request to create a job with "no". Buy credits, or wait for the next period.',
  `create 403 {"error":"Not in your plan"} => The organisation's plan does not include this (403). The docs service answered the request to create a job with "Not in your plan". Pro and Enterprise include the API and analytics: change the plan in the dashboard, or remove the inputs that ask for this.`,
  `visitors 403 {"error":"Not in your plan"} => The organisation's plan does not include this (403). The docs service answered the request to list the visitors with "Not in your plan". Pro and Enterprise include the API and analytics: change the plan in the dashboard, or remove the inputs that ask for this.`,
  'create 403 {"error":"IP not allowed"} => The list of IP addresses of the API key lacks this runner (403). The docs service answered the request to create a job with "IP not allowed". Add the address to the list in the dashboard, or use a runner whose address is on it.',
  'create 403 {"error":"Key has scope: read"} => The scope of the API key does not allow this (403). The docs service answered the request to create a job with "Key has scope: read". A job takes a key with full access: create an admin key in the dashboard, and put it into the secret behind `api-key`.',
  'create 403 {"error":"no"} => The docs service does not allow this (403). The docs service answered the request to create a job with "no". The dashboard shows why: the key may have the scope `read` (a job takes a key with full access), or may have a list of IP addresses that this runner is not on.',
  'get 403  => The docs service does not allow this (403). The request to get the job was answered with an empty body. The dashboard shows why: the key may have a list of IP addresses that this runner is not on.',
  'create 404 {"error":"no"} => No project `docs` (404). The docs service answered the request to create a job with "no". Check `project-id`, and that the API key belongs to the same organisation.',
  'get 404 {"error":"no"} => No job `j1` in project `docs` (404). The docs service answered the request to get the job with "no". Check `job-id` and `project-id`; the service may also have deleted the job.',
  'get 404 {"error":"No such call: GET /"} => The docs service does not have this call (404). The docs service answered the request to get the job with "No such call: GET /". Check `base-url`; its path comes before every call.',
  'create 404 Cannot POST /v2 => The docs service does not have this call (404). The docs service answered the request to create a job with "Cannot POST /v2". Check `base-url`; its path comes before every call.',
  'message 409 {"error":"busy"} => The docs service cannot do this now (409). The docs service answered the request to send the job a follow-up message with "busy". The job may be busy: wait for it with `job-id` and without a prompt, then try again.',
  'create 413 {"error":"no"} => The request is too large for the docs service (413). The docs service answered the request to create a job with "no". It is small: check `base-url`, and a proxy before it.',
  'get 408 {"error":"no"} => The docs service timed out waiting for the request (408). The docs service answered the request to get the job with "no". The network of this runner may be slow.',
  'get 503 {"error":"no"} => The docs service failed (503). The docs service answered the request to get the job with "no". The cause is the service or a proxy before it, not this workflow.',
  'get 418 {"error":"no"} => Unexpected response from the docs service (418). The docs service answered the request to get the job with "no". This status is not documented; check `base-url`.',
  'create 429 {"error":"no"} => The rate limit of the docs service is reached (429). The docs service answered the request to create a job with "no". It is the limit of this API key. The documented limit is 100 jobs per project and hour. Start fewer runs, or run at another time.',
  'message 429 Too many => The rate limit of the docs service is reached (429). The docs service answered the request to send the job a follow-up message with "Too many". It is the limit of the organisation, for all its API keys. The documented limit is 100 follow-up messages per project and hour. Start fewer runs, or run at another time.',
  'get 429  => The rate limit of the docs service is reached (429). The request to get the job was answered with an empty body. Start fewer runs, or run at another time.',
  'visitors 429 Too many => The rate limit of the docs service is reached (429). The docs service answered the request to list the visitors with "Too many". It is the limit of the organisation, for all its API keys. The documented limit is 100 analytics requests per hour, shared by the whole organisation. Start fewer runs, or run at another time.',
  'get 403 Error code: 1010 => A firewall in front of the docs service refused this client (403). The docs service answered the request to get the job with "Error code: 1010". Error code 1010 means that the client was blocked because of its user agent, before the service has seen the API key. If a proxy of this runner changes the header `user-agent`, exempt the host from it; otherwise ask the support of the docs service to allow `docs-agent-action`.',
  'create 403 <p>error code: 1010</p> => A firewall in front of the docs service refused this client (403). The request to create a job was answered with an HTML page, probably of a proxy or a login. Error code 1010 means that the client was blocked because of its user agent, before the service has seen the API key. If a proxy of this runner changes the header `user-agent`, exempt the host from it; otherwise ask the support of the docs service to allow `docs-agent-action`.',
  'create 403 <html>Your plan => A web page answered, not the docs service (403). The request to create a job was answered with an HTML page, probably of a proxy or a login. Check `base-url`, and the proxy (`HTTPS_PROXY`, `HTTP_PROXY`) of the runner.',
  'get 404 <html>Sign in => A web page answered, not the docs service (404). The request to get the job was answered with an HTML page, probably of a proxy or a login. Check `base-url`, and the proxy (`HTTPS_PROXY`, `HTTP_PROXY`) of the runner.',
]

/** Bodies, and what is said of them. */
export const BODIES: readonly [string, string][] = [
  ['{"error":"too short","details":[{"message":"at least 1"},{}]}', 'with "too short; at least 1"'],
  ['{"error":{"message":"nested"}}', 'with "nested"'],
  ['{"message":"other"}', 'with "other"'],
  ['"just a string"', 'with "just a string"'],
  ['Too many\r\nrequests, \tplease wait', 'with "Too many requests, please wait"'],
  ['a `tick`', `with "a 'tick'"`],
  [`{"error":"${'x'.repeat(400)}"}`, `with "${'x'.repeat(300)}… (100 more characters)"`],
  [`{"error":"wrong key ${KEY}"}`, 'with "wrong key ***"'],
  [`{"error":"wrong key mint_\\u0073ecret_0123"}`, 'with "wrong key ***"'],
  ['<html><body>Sign in</body></html>', HTML],
  ['Oops <b>no</b>', HTML],
  ['x'.repeat(301), 'with text that is not JSON'],
  ['{"code":7}', 'with JSON that does not match the documentation'],
  ['', 'with an empty body'],
]
