import type { Role } from '../support/world.ts'

const own = { permission: 'write', role_name: 'docs-writer' }
export const LEVELS = ['read', 'triage', 'write', 'maintain', 'admin']

/** Roles, and the levels that they reach; one that an organization made is what it grants. */
export const ROLES: readonly [Role, string[]][] = [
  [{ permission: 'none', role_name: '' }, []],
  [{ permission: 'read', role_name: 'read' }, ['read']],
  [{ permission: 'read', role_name: 'triage' }, ['read', 'triage']],
  [{ permission: 'write', role_name: 'write' }, ['read', 'triage', 'write']],
  [{ permission: 'write', role_name: 'maintain' }, ['read', 'triage', 'write', 'maintain']],
  [{ permission: 'admin', role_name: 'admin' }, LEVELS],
  [{ ...own }, ['read', 'triage', 'write']],
  [{ ...own, permissions: null }, ['read', 'triage', 'write']],
  [{ ...own, permissions: { pull: false } }, []],
  [{ ...own, permissions: { pull: true } }, ['read']],
  [{ ...own, permissions: { triage: true } }, ['read', 'triage']],
  [{ ...own, permissions: { triage: true, push: true } }, ['read', 'triage', 'write']],
  [{ ...own, permissions: { push: true, maintain: true } }, ['read', 'triage', 'write', 'maintain']],
  [{ ...own, permissions: { admin: true } }, LEVELS],
]
