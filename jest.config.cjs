const modules =
  '(sql-template-tag|@octokit|universal-user-agent|before-after-hook|fast-content-type-parse|json-with-bigint)';

const shared = {
  transform: {
    '^.+\\.(ts|mjs)$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
    // ES modules without a CommonJS build: Node's require takes them, Jest's does not.
    [`/${modules}/.+\\.js$`]: ['@swc/jest', { jsc: { target: 'es2023' }, module: { type: 'commonjs' } }],
  },
  transformIgnorePatterns: [`/node_modules/(?!(.*/)?${modules}/)`],
  moduleNameMapper: {
    '^fast-check$': '<rootDir>/libs/testkit/jest/fast-check.cjs',
    '^@switchyard/protos/(?!package\\.json)(.*)$': '<rootDir>/protos/dist/switchyard/$1',
    '^@switchyard/testkit/([a-z]+)$': '<rootDir>/libs/testkit/src/$1/index.ts',
    '^@switchyard/([a-z-]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^@switchyard/(database|directory|events|service)/([a-z]+)$': '<rootDir>/libs/$1/src/$2.ts',
    // What TypeScript imports late it names as it will be called.
    '^\\./run-migrations\\.js$': '<rootDir>/libs/service/src/run-migrations.ts',
  },
  testEnvironment: 'node',
  testMatch: ['**/*.test.ts'],
  modulePathIgnorePatterns: ['/dist/', '/\\.turbo/', '/\\.switchyard'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '/test/faults/', '/test/containers/', '/test/cluster/'],
};

/** @type {import('jest').Config} */
module.exports = {
  ...shared,
  roots: ['<rootDir>/libs', '<rootDir>/services', '<rootDir>/protos', '<rootDir>/deploy'],
  globalSetup: '<rootDir>/libs/testkit/jest/global-setup.cjs',
  globalTeardown: '<rootDir>/libs/testkit/jest/global-teardown.cjs',
  testSequencer: '<rootDir>/libs/testkit/jest/sequencer.cjs',
  // Only what hangs is ended by it: a test of 10 s may take 100 s where others keep the machine busy.
  testTimeout: 180_000,
  maxWorkers: 2,
  // Starting a process copies the page tables of its parent: a git client costs 0.5 ms from a fresh worker, 15 ms from one of 950 MB.
  workerIdleMemoryLimit: '350MB',
};
