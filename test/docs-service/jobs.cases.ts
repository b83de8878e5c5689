import { JOB } from './started-service.ts'

const VISITORS = '/v1/analytics/docs/visitors'

/** A key, a request and the status of its answer. */
export const REQUESTS = [
  ['no key', '', `GET ${VISITORS}`, 401],
  ['an unknown key', 'mint_other', `GET ${VISITORS}`, 401],
  ['an expired key', 'mint_old', `POST ${JOB}`, 401],
  ['a create with a key of scope read', 'mint_read', `POST ${JOB}`, 403],
  ['a message with a key of scope read', 'mint_read', `POST ${JOB}/x/message`, 403],
  ['a look with a key of scope read', 'mint_read', `GET ${JOB}/x`, 404],
  ['visitors with a key of scope read', 'mint_read', `GET ${VISITORS}`, 200],
  ['another project', 'mint_demo', 'GET /v1/analytics/other/visitors', 404],
  ['an unknown job', 'mint_demo', `GET ${JOB}/none`, 404],
  ['another method', 'mint_demo', `PUT ${JOB}`, 404],
  ['a path that is not well-formed', 'mint_demo', `GET ${JOB}/%zz`, 404],
] as const
