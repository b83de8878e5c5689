import { describe, expect, it } from 'vitest'
import { RANKS, rankFiles, whyNoDocs } from '../../src/changes/ranks.ts'
import { file } from '../prompt/changes.ts'

/** Paths of each kind; the others need docs. */
const NEED_NO_DOCS = {
  documentation: `docs/guide.md docs/guide/testing/fixtures.md docs/logo.png guides/vendor/pay.mdx
    content/integration/docker.mdx docs/it/setup.md docs/write-a-test.md docs/migrate.ipynb src/Button.mdx guide.rst
    reference/cli.adoc docs.json README.md packages/a/README.ja.md tests/writing-tests.mdx`,
  changelogs:
    'CHANGELOG.md packages/zod/CHANGELOG-v3.md HISTORY.rst .changeset/brave-cats-jump.md changelog/1.fix.rst',
  'community files':
    'CONTRIBUTING.md .github/CODEOWNERS CODE_OF_CONDUCT.md SECURITY.md LICENSE-MIT packages/a/license.txt',
  tests: `src/ship.test.ts src/__tests__/ship.ts ship_test.go tests/test_ship.py pkg/test_ship.py test/ship.js
    core/src/test/java/ShipTest.java core/src/intTest/kotlin/Ship.kt test/fixtures/pages/guide.mdx spec/ship_spec.rb
    packages/a/test/ship.js crates/a/resources/test/fixtures/a.py pkg/testdata/a.txt benches/parse.rs types/a.test-d.ts
    apps/web/e2e/login.ts Acme.Core.Tests/Ship.cs e2e-tests/main.ts`,
  CI: '.github/workflows/ci.yml .gitlab-ci/build.yml .circleci/config.yml codecov.yml Jenkinsfile azure-pipelines.yml',
  tooling: `.pre-commit-config.yaml .editorconfig release-please-config.json GEMINI.md AGENTS.md .windsurf/rules.md .gitignore
    .cursor/rules/a.mdc renovate.json5 web/eslint.config.js packages/a/tsconfig.build.json vitest.workspace.ts biome.jsonc
    deny.toml pytest.ini mkdocs.yml gradle/wrapper/gradle-wrapper.jar .claude/skills/a/SKILL.md packages/a/.npmignore`,
  translations: `i18n/de.json locales/fr/common.yml po/de.po src/v4/locales/ar.ts app/_locales/pt_BR/messages.json
    res/values-de/strings.xml lang/messages.zh-Hant.yml src/main/messages_de.properties`,
  'lock files': `package-lock.json web/yarn.lock pnpm-lock.yaml foo-lock.json bun.lockb .terraform.lock.hcl go.sum
    Package.resolved`,
  'minified or vendored files':
    'app.min.js assets/app-min.css app.js.map logo.svg dist/index.js vendor/lib/x.go patches/a.patch',
  'generated files': `api/user.pb.go api/user_pb2.py src/__generated__/types.ts src/schema.generated.ts src/routeTree.gen.ts
    pkg/generated/x.go pkg/zz_generated.deepcopy.go src/__snapshots__/a.test.ts.snap`,
}

/** A folder's name, or a code of a language, doesn't make one of these into something else. */
const NEED_DOCS = `packages/testing/src/render.ts django/test/client.py packages/test-utils/screen.ts src/testing/mod.rs
  core/spring-boot-test/src/main/java/org/boot/test/SpringBootTest.java packages/test/src/run.ts schemas/pet-id.json
  rules/no.yml src/it/ticket.yaml i18n/en.json locales/en/common.yml src/locale.ts spec/openapi.yaml test/openapi.json
  vendor/api.proto src/spec/parser.go src/e2e/encrypt.ts src/fixtures/load.ts src/vendor/quote.ts src/image-gen.ts
  src/commands/changelog.ts src/release_notes.py prompts/review.md src/security.ts lib/notice.rb src/readme.ts .env.example .pre-commit-hooks.yaml
  .claude-plugin/plugin.json notebooks/train.ipynb Makefile package.json src/lock.go speed-test.tsx src/Latest.java`

const RANKED = {
  readers: `README.md docs/guide.md CHANGELOG.md spec/openapi.yaml test/openapi.json types/index.d.ts config.schema.json
    src/cli.ts cmd/serve.go crates/uv-cli/src/lib.rs src/parse-args.js src/config/defaults.rb lib/user_settings.py
    charts/app/values.yaml action.yml config.toml.sample src/index.ts pkg/api/handler_http.go httpx/__init__.py src/errors.rs`,
  source: 'src/ship.ts lib/distance.rb prompts/review.md django/test/client.py i18n/en.json',
  background:
    'src/ship.test.ts .github/workflows/ci.yml eslint.config.js i18n/de.json CONTRIBUTING.md',
  named: 'pnpm-lock.yaml app.min.js api/user.pb.go docs/logo.svg train.ipynb',
} as const

const filesOf = (paths: string) => paths.split(/\s+/).map((path) => file(path))

it.each(Object.entries(NEED_NO_DOCS))('%s need no docs', (kind, paths) => {
  const ranked = rankFiles(filesOf(paths))
  expect(ranked.map((one) => [one.file.path, one.kind, one.needsDocs])).toEqual(
    paths.split(/\s+/).map((path) => [path, kind, false]),
  )
})

it.each(NEED_DOCS.split(/\s+/))('%s needs docs', (path) => {
  expect(whyNoDocs([file(path)])).toBeUndefined()
})

it.each(RANKS)('the rank %s is that of these paths', (rank) => {
  const ranked = rankFiles(filesOf(RANKED[rank]))
  expect(ranked.filter((one) => one.rank !== rank).map((one) => one.file.path)).toEqual([])
})

describe('the reason that a change needs no docs', () => {
  it.each([
    { files: 'docs/a.md', kinds: ['documentation'], names: ['docs/a.md'] },
    {
      files: 'a.test.ts b.test.ts go.sum README.md',
      kinds: ['tests', 'lock files', 'documentation'],
    },
    { files: 'a.test.ts src/a.ts', kinds: undefined },
  ])('for $files names $kinds and three files', ({ files, kinds }) => {
    const names = files.split(' ').slice(0, 3)
    expect(whyNoDocs(filesOf(files))).toEqual(kinds && { kinds, names })
  })

  it('judges a file without a diff by its path, and a renamed one by both paths', () => {
    const unknown = { added: undefined, removed: undefined, patch: undefined }
    expect(whyNoDocs([file('logo.svg', '', unknown)])).toBeDefined()
    const moved = { status: 'renamed', oldPath: 'src/public.ts' }
    expect(whyNoDocs([file('tests/public.ts', '', moved)])).toBeUndefined()
  })

  it('is given for no files, without kinds', () => {
    expect(whyNoDocs([])).toEqual({ kinds: [], names: [] })
  })
})

const LICENSE = `/*\n${' * Licensed under the Apache License.\n'.repeat(15)} */\n`

/** First lines of generated code, by what writes it. */
const GENERATED = {
  'a tool': '// @generated by a tool',
  'client-gen, below a license': `${LICENSE}\n// Code generated by client-gen. DO NOT EDIT.`,
  orval: '/**\n * Generated by orval v6.10.0 🍺\n * Do not edit manually.\n */',
  'json-schema-to-typescript':
    '/* eslint-disable */\n/**\n * This file was automatically generated by json-schema-to-typescript.',
  'gRPC-Web': '/**\n * @fileoverview stub\n */\n\n// GENERATED CODE -- DO NOT EDIT!',
  Smithy: '// smithy-typescript generated code',
  FlatBuffers: '// automatically generated by the FlatBuffers compiler, do not modify',
  'tree-sitter': '/* Automatically @generated by tree-sitter v0.25.1 */',
  '.NET': '// <auto-generated/>',
  Prisma: '\n/* !!! This is code generated by Prisma. Do not edit directly. !!! */',
  Tapioca: '# typed: true\n\n# DO NOT EDIT MANUALLY\n# This is an autogenerated file for types.',
  Pulumi: '// *** WARNING: this file was generated by the Pulumi SDK Generator. ***',
  Convex: '/**\n * Generated `api` utility.\n *\n * THIS CODE IS AUTOMATICALLY GENERATED.\n */',
  "OpenAPI Generator's Python":
    '# coding: utf-8\n\n"""\n    Use `pets`.\n\n    Generated by OpenAPI Generator (https://openapi-generator.tech)',
  'swagger-codegen':
    '/*\n * Petstore\n *\n * NOTE: This class is auto generated by the swagger code generator program.',
}

const BY_HAND = [
  { path: 'docs/code.md', text: '# Code\n\nGenerated by default.' },
  { path: 'src/gen.ts', text: "const HEADER = '// Code generated by gen. DO NOT EDIT.'" },
  { path: 'src/gen.go', text: `${'\n'.repeat(12)}w("// Code generated by gen. DO NOT EDIT.")` },
  { path: 'src/gen.ts', text: 'const header = `\n// Code generated by gen. DO NOT EDIT.' },
  { path: 'src/gen.ts', text: '// Formats code generated by the parser.' },
  { path: 'src/main.py', text: '"""A generated module for MyModule functions\n\nIt is a start.' },
  { path: 'src/late.ts', text: `${'\n'.repeat(40)}// Code generated by gen. DO NOT EDIT.` },
  {
    path: 'src/long.ts',
    text: `// ${'x'.repeat(1000)}, generated by x. DO NOT EDIT.${'\na'.repeat(9)}`,
  },
]

describe('code', () => {
  const kindOf = (path: string, text: string, hunk = '@@ -0,0 +1,20 @@') =>
    rankFiles([file(path, `${hunk}\n${text.replace(/^/gm, '+')}`)]).map(({ kind }) => kind)[0]

  it.each(Object.entries(GENERATED))('by %s is generated', (_what, text) => {
    expect(kindOf('src/cli.ts', text)).toBe('generated files')
  })

  it.each(BY_HAND)('in $path is written by hand: $text', ({ path, text }) => {
    expect(kindOf(path, text)).not.toBe('generated files')
  })

  it('is judged by its first lines alone', () => {
    const text = '// Code generated by gen. DO NOT EDIT.'
    expect(kindOf('src/ship.ts', text, '@@ -400,3 +400,3 @@')).toBe('')
  })

  it('with long lines is only named, and may need docs', () => {
    const [one] = rankFiles([file('src/cli.ts', `@@ -1 +1 @@\n+${'x'.repeat(1200)}`)])
    expect(one).toMatchObject({ rank: 'named', kind: 'long lines', needsDocs: true })
  })
})

it('a page is a translation only if it was changed in another language, too', () => {
  const translationsIn = (paths: string) =>
    rankFiles(filesOf(paths)).flatMap(({ kind, file: { path } }) =>
      kind === 'translations' ? path : [],
    )
  expect(translationsIn('docs/it/setup.md')).toEqual([])
  expect(translationsIn('README.ja.md README.md')).toEqual(['README.ja.md'])
  const pages = 'docs/zh/a.md docs/en/a.md docs/pt-br/b.md docs/ko/b.md'
  expect(translationsIn(pages)).toEqual(['docs/zh/a.md', 'docs/pt-br/b.md', 'docs/ko/b.md'])
})
