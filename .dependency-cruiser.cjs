const TEST_CODE = '(^|/)test/|\\.test\\.ts$';

/** Why a car was removed from a merge train: the one generated type that rules are written over. */
const REASONS = '^protos/gen/switchyard/merge_requests/events/v1/merge_train_removal\\.ts$';

/** The only places a rule allows, and tests. */
const outside = (...places) => [...places, TEST_CODE];

/** The directions of imports (D1). Each rule is seen to fire by deploy/test/import-directions.test.ts. */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Modules that need each other are one module, or lack a third.',
      severity: 'error',
      from: { pathNot: '^protos/gen/' },
      to: { circular: true },
    },
    {
      name: 'no-unresolved-imports',
      comment: 'An import that cannot be found is not checked by any other rule.',
      severity: 'error',
      from: { pathNot: '/generated/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'services-meet-only-through-protos',
      severity: 'error',
      from: { path: '^services/([^/]+)/', pathNot: TEST_CODE },
      to: { path: '^services/([^/]+)/', pathNot: '^services/$1/' },
    },
    {
      name: 'libs-know-no-service',
      severity: 'error',
      from: { path: '^(libs|protos)/' },
      to: { path: '^services/' },
    },
    {
      name: 'libs-know-no-launcher',
      comment: 'deploy stands on top of everything; what it shares with a lib is a lib.',
      severity: 'error',
      from: { path: '^(libs|protos)/' },
      to: { path: '^deploy/' },
    },
    {
      name: 'protos-know-no-lib',
      severity: 'error',
      from: { path: '^protos/' },
      to: { path: '^libs/' },
    },
    {
      name: 'areas-meet-through-their-index',
      comment: 'What an area lets others use stands in its index.ts.',
      severity: 'error',
      from: { path: '^services/(?!gateway/)([^/]+)/src/([^/]+)/', pathNot: TEST_CODE },
      to: {
        path: '^services/$1/src/[^/]+/',
        pathNot: ['^services/$1/src/$2/', '^services/$1/src/[^/]+/index\\.ts$', '^services/$1/src/generated/'],
      },
    },
    {
      name: 'a-service-uses-areas-through-their-index',
      severity: 'error',
      from: { path: '^services/(?!gateway/)([^/]+)/src/[^/]+\\.ts$', pathNot: TEST_CODE },
      to: {
        path: '^services/$1/src/[^/]+/',
        pathNot: ['^services/$1/src/[^/]+/index\\.ts$', '^services/$1/src/generated/'],
      },
    },
    {
      name: 'no-cycles-between-areas',
      comment: 'Of two areas that need each other, the lower one declares a port that the upper one implements.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^services/(?!gateway/)[^/]+/src/[^/]+$' },
      to: { circular: true },
    },
    {
      name: 'domain-is-pure',
      comment:
        'Rules import rules, the error kinds, the kinds of integrations, the words of notification settings, what rights are counted in, what patterns match, what texts and pictures say, how versions are ordered, how packages are named and lock files written, and how the directory writes its ' +
        'rows down; not even Node. Of libs/directory, and of the reasons of removals, it imports types alone: swc does not ' +
        'distinguish types, import-directions.test.ts does.',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/([^/]+)/domain/', pathNot: TEST_CODE },
      to: {
        pathNot: [
          '^services/$1/src/$2/domain/',
          '^services/$1/src/[^/]+/index\\.ts$',
          '^libs/(directory|errors|images|integration-kinds|notification-settings|patterns|rights|texts)/',
          '^node_modules/semver/',
          // How packages are named, and how lock files are written.
          '^node_modules/(packageurl-js|smol-toml)/',
          'node_modules/fast-xml-parser/',
          REASONS,
        ],
      },
    },
    {
      name: 'application-knows-no-edge',
      comment: 'Use cases declare the ports that they need; transport calls them, compose gives them storage.',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/([^/]+)/application/', pathNot: TEST_CODE },
      to: { path: '^services/$1/src/($2/(transport|storage|presenters|compose)\\b|service\\.ts|main\\.ts)' },
    },
    {
      name: 'storage-knows-no-caller',
      comment: 'Rules stand in the domain, where storage and application meet.',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/([^/]+)/storage/', pathNot: TEST_CODE },
      to: { path: '^services/$1/src/($2/(transport|application|presenters|compose)\\b|service\\.ts|main\\.ts)' },
    },
    {
      name: 'transport-reaches-no-storage',
      comment: 'But for lists: a query decides nothing, so a use case between would only pass it on.',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/([^/]+)/transport/', pathNot: TEST_CODE },
      to: { path: '^services/$1/src/$2/storage/', pathNot: '\\.list\\.ts$' },
    },
    {
      name: 'presenters-only-render',
      severity: 'error',
      from: { path: '^services/([^/]+)/src/([^/]+)/presenters/', pathNot: TEST_CODE },
      to: { path: '^services/$1/src/($2/(transport|application|storage|compose)\\b|service\\.ts|main\\.ts)' },
    },
    {
      name: 'sql-stays-in-storage',
      comment: 'The builder of statements has an entry of its own, so that an import shows who writes SQL.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/.*(transport|application|domain|presenters)/', pathNot: TEST_CODE },
      to: { path: '^libs/database/src/sql\\.ts$' },
    },
    {
      name: 'only-main-runs-the-service',
      severity: 'error',
      from: { path: '^services/', pathNot: outside('^services/[^/]+/src/main\\.ts$') },
      to: { path: '^services/[^/]+/src/(service|compose)\\.ts$' },
    },
    {
      name: 'generated-messages-stop-at-the-border',
      comment:
        'Wire types live in transport and in the gateway. Exempt are the vocabulary of libs/rpc, events on their way ' +
        'to the outbox, and access and directory, whose messages are themselves what is signed and logged (D3, D5).',
      severity: 'error',
      from: {
        path: '^(services|libs)/',
        pathNot: outside(
          '^services/[^/]+/src/(service\\.ts$|[^/]+/(transport/|compose\\.ts$|storage/.+\\.events\\.ts$))',
          '^services/gateway/src/',
          '^services/groups-admin/src/directory/',
          '^libs/(rpc|events|directory|messages|service|testkit)/',
        ),
      },
      to: { path: '^protos/gen/', pathNot: ['^protos/gen/switchyard/rpc/', REASONS] },
    },
    {
      name: 'directory-is-not-plumbing',
      comment: 'libs/directory is the one lib that names domain nouns; only the frame of services may rest on it.',
      severity: 'error',
      from: { path: '^libs/', pathNot: outside('^libs/(directory|service|testkit)/') },
      to: { path: '^libs/directory/' },
    },
    {
      name: 'errors-import-nothing',
      comment:
        'The domain may import them, so they must be as pure; the parser of Markdown is, a list of emoji, and a digest.',
      severity: 'error',
      from: { path: '^libs/(errors|integration-kinds|notification-settings|rights|texts)/', pathNot: TEST_CODE },
      to: { pathNot: ['^libs/$1/', 'node_modules/(markdown-it|gemoji)/', '^crypto$'] },
    },
    {
      name: 'patterns-are-pure',
      comment: 'The domain may import them; the engine is pure computation.',
      severity: 'error',
      from: { path: '^libs/patterns/', pathNot: TEST_CODE },
      to: { pathNot: ['^libs/(patterns|errors)/', 'node_modules/re2js/'] },
    },
    {
      name: 'patterns-match-in-one-place',
      comment: 'One engine with linear time, behind one set of limits.',
      severity: 'error',
      from: { pathNot: outside('^libs/patterns/') },
      to: { path: 'node_modules/re2js/' },
    },
    {
      name: 'kafka-stays-behind-the-bus',
      severity: 'error',
      from: { pathNot: outside('^libs/(events|testkit)/') },
      to: { path: 'node_modules/kafkajs/' },
    },
    {
      name: 'one-way-out',
      comment:
        'Addresses that users give are reached by libs/outbound alone: it resolves, checks and bounds. What node:http ' +
        'and node:net give to servers is no way out; import-directions.test.ts looks at the names. Brokers are named by ' +
        'the operator.',
      severity: 'error',
      from: {
        path: '^(services|libs)/',
        pathNot: outside('^libs/(outbound|testkit)/', '^libs/events/src/(check-kafka|kafka-connection)\\.ts$'),
      },
      to: {
        path: [
          'node_modules/(undici|axios|got|ky|needle|node-fetch|request|superagent|follow-redirects)/',
          '^(node:)?(dgram|http2|https|tls)$',
        ],
      },
    },
    {
      name: 'grpc-stays-in-rpc',
      severity: 'error',
      from: { pathNot: outside('^libs/rpc/', '^protos/gen/') },
      to: { path: 'node_modules/@grpc/' },
    },
    {
      name: 'express-stays-in-the-gateway',
      severity: 'error',
      from: { pathNot: outside('^services/gateway/') },
      to: { path: 'node_modules/(@types/)?express/' },
    },
    {
      name: 'prisma-stays-in-storage',
      severity: 'error',
      from: {
        pathNot: outside(
          '^services/[^/]+/src/((service|edges)\\.ts$|generated/|[^/]+/storage/)',
          '^libs/(database|testkit/prisma)/',
        ),
      },
      to: { path: ['node_modules/@prisma/', '^services/[^/]+/src/generated/'] },
    },
    {
      name: 'tests-stay-out-of-production',
      severity: 'error',
      from: { path: '^(services|libs)/[^/]+/src/', pathNot: outside('^libs/testkit/') },
      to: { path: ['^libs/testkit/', '(^|/)test/'] },
    },
  ],
  options: {
    // TypeScript 7 has no API that dependency-cruiser could use; swc parses the same files.
    parser: 'swc',
    tsPreCompilationDeps: true,
    // Of JSX the parser makes nothing. What a page is drawn with has a folder of its own, and runs in no process of ours.
    exclude: { path: '(^|/)(dist|\\.turbo)/|/browser/.*\\.tsx$' },
    doNotFollow: { path: ['node_modules', '/generated/'] },
    webpackConfig: { fileName: `${__dirname}/deploy/maintenance/import-resolution.cjs` },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'node', 'default', 'types'] },
  },
};
