/** A site, the path of a page, and its address. */
export const PAGE_URLS: readonly (readonly [
  site: string,
  path: string,
  url: string | undefined,
])[] = [
  ['https://docs.example.com', '/quickstart', 'https://docs.example.com/quickstart'],
  ['https://docs.example.com/', '/', 'https://docs.example.com/'],
  ['https://example.com/docs/', 'guides/a', 'https://example.com/docs/guides/a'],
  ['https://example.com', '/a b?c#d"e', 'https://example.com/a%20b%3Fc%23d%22e'],
  ['https://example.com', '/caf%C3%A9/é/50%', 'https://example.com/caf%C3%A9/%C3%A9/50%25'],
  ['https://example.com', '//evil.example/x', 'https://example.com//evil.example/x'],
  ['https://example.com', '/\\evil.example', 'https://example.com/%5Cevil.example'],
  ['https://example.com', 'https://evil.example/', 'https://example.com/https%3A//evil.example/'],
  ['https://example.com', '/\ud800', 'https://example.com/%EF%BF%BD'],
  ['http://localhost:3000/docs', '/a', 'http://localhost:3000/docs/a'],
  ...['/..', '/../x', '/a/./b', '/a/%2e%2E/b', '.', '/%2E'].map(
    (path) => ['https://example.com/docs', path, undefined] as const,
  ),
]
