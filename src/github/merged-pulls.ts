export * from './pull-requests.ts'
