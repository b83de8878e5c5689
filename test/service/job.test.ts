import { describe, expect, it } from 'vitest'
import { isTerminal, readJob } from '../../src/service/job.ts'

const whole = {
  id: 'j1',
  status: 'completed',
  source: { repository: 'https://github.com/acme/docs', ref: 'main' },
  model: 'm1',
  prLink: 'https://github.com/acme/docs/pull/1',
  createdAt: '2026-01-01T00:00:00Z',
  archivedAt: null,
  extra: { kept: true },
}

describe('reading a job', () => {
  it('takes every field and keeps what it does not know', () => {
    expect(readJob(whole)).toEqual({
      id: 'j1',
      status: 'completed',
      prLink: whole.prLink,
      repository: 'https://github.com/acme/docs',
      ref: 'main',
      model: 'm1',
      createdAt: whole.createdAt,
      archivedAt: null,
      json: JSON.stringify(whole),
      invalidFields: [],
    })
  })

  it('needs no more than an id and a status', () => {
    expect(readJob({ id: 'j1', status: '' })).toMatchObject({
      prLink: null,
      repository: null,
      invalidFields: [],
    })
  })

  it('counts a field of a wrong type as absent, and names it', () => {
    const odd = { ...whole, prLink: 7, model: {}, source: { repository: [], ref: null }, createdAt: false }
    expect(readJob(odd)).toMatchObject({
      prLink: null,
      model: null,
      repository: null,
      createdAt: null,
      invalidFields: ['prLink', 'source.repository', 'model', 'createdAt'],
    })
    expect(readJob({ ...whole, source: 'x' })?.invalidFields).toEqual(['source'])
  })

  it.each([
    null,
    [],
    'job',
    7,
    {},
    { id: '', status: 'x' },
    { id: 7, status: 'x' },
    { id: 'a' },
    { id: '..', status: 'x' },
    { id: 'a', status: null },
  ])('takes %j for no job', (value) => {
    expect(readJob(value)).toBeUndefined()
  })
})

it('three statuses end a job', () => {
  const words = ['active', 'completed', 'archived', 'failed', 'reviewing', 'toString', '']
  expect(words.filter(isTerminal)).toEqual(['completed', 'archived', 'failed'])
})
