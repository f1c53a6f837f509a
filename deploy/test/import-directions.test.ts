import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const configuration = join(root, '.dependency-cruiser.cjs');

interface Rule {
  name: string;
}

interface Violation {
  from: string;
  rule: Rule;
}

/** What dependency-cruiser finds in the folder of deliberate violations, as `file: rule`. */
function violations(): string[] {
  const { stdout } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      '--config',
      configuration,
      '--output-type',
      'json',
      'services',
      'libs',
      'protos',
    ],
    { cwd: join(__dirname, 'import-violations'), encoding: 'utf8', maxBuffer: 64 << 20 },
  );
  const { summary } = JSON.parse(stdout) as { summary: { violations: Violation[] } };
  return summary.violations.map(({ from, rule }) => `${from}: ${rule.name}`);
}

const { forbidden } = require(configuration) as { forbidden: Rule[] };
const places: Record<string, string> = {
  'errors-import-nothing': 'libs/errors/src/impure.ts',
  'patterns-are-pure': 'libs/patterns/src',
  'directory-is-not-plumbing': 'libs/database/src',
  'libs-know-no-service': 'libs/rpc/src',
  'protos-know-no-lib': 'protos/src',
  'domain-is-pure': 'services/one/src/things/domain',
  'services-meet-only-through-protos': 'services/one/src/things/domain',
  'no-unresolved-imports': 'services/one/src/things/domain',
  // A cycle is reported once, at the first of its modules.
  'no-cycles': 'services/one/src/things/domain/no-cycles-back.ts',
  'transport-reaches-no-storage': 'services/one/src/things/transport',
  'only-main-runs-the-service': 'services/one/src/things/transport',
  'storage-knows-no-caller': 'services/one/src/things/storage',
  'presenters-only-render': 'services/one/src/things/presenters',
  'a-service-uses-areas-through-their-index': 'services/one/src',
  // Cycles between areas are found between folders.
  'no-cycles-between-areas': 'services/one/src/circled',
  'libs-know-no-launcher': 'libs/testkit/src',
};

describe('the directions of imports', () => {
  const found = violations();

  it.each(forbidden.map(({ name }) => name))('%s fires on the violation made for it', (name) => {
    const place = places[name] ?? 'services/one/src/things/application';
    const isWhole = place.endsWith('.ts') || name === 'no-cycles-between-areas';
    expect(found).toContain(`${isWhole ? place : `${place}/${name}.ts`}: ${name}`);
  });

  it('lets the permitted directions pass', () => {
    const clean = ['main.ts', 'others/index.ts'];
    const things = [
      'transport/one.handler.ts',
      'storage/one.store.ts',
      'application/use-case.ts',
      'application/asks-an-area.ts',
    ];
    const permitted = [
      ...clean.map((file) => `services/one/src/${file}`),
      ...things.map((file) => `services/one/src/things/${file}`),
      'services/gateway/src/http/app.ts',
    ];
    expect(found.filter((violation) => permitted.some((file) => violation.startsWith(`${file}:`)))).toEqual([]);
  });

  it('lead out of the house through libs/outbound alone', () => {
    // What a module of Node has beside its servers, and what is global.
    const server = /^(createServer|Server|isIP|isIPv4|isIPv6|BlockList|type \w+)$/;
    const waysOut = (text: string): string[] => [
      ...[...text.matchAll(/^import (?!type )([^;]*?) from '(?:node:)?(?:http|net)';/gm)].flatMap(([, names = '']) =>
        names
          .replace(/^\{|\}$/g, '')
          .split(',')
          .map((name) => name.trim().replace(/ as .*$/, ''))
          .filter((name) => name !== '' && !server.test(name)),
      ),
      ...[...text.matchAll(/(?<![\w.#]|function )(?:fetch|WebSocket|EventSource)\(/g)].map(([name]) => name),
    ];
    const namedByOperator = new Set([
      'gateway/src/http/forward.ts',
      'rpc/src/relay-request.ts',
      'events/src/check-kafka.ts',
      'events/src/kafka-connection.ts',
    ]);
    expect(waysOut("import { createServer, request } from 'node:http';\nimport net from 'node:net';")).toEqual([
      'request',
      'net',
    ]);
    expect(waysOut('const answer = await fetch(url);')).toEqual(['fetch(']);
    const found = ['services', 'libs'].flatMap((top) =>
      readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
        // What runs in a browser asks its own page, and testkit is asked by tests.
        .filter(
          (name) => /^(?!outbound\/|testkit\/)[^/]+\/src\/.+(?<!\.test)\.ts$/.test(name) && !name.includes('/browser/'),
        )
        // Their connections lead to services of the installation, and to what the operator names.
        .filter((name) => !namedByOperator.has(name))
        .flatMap((name) => waysOut(readFileSync(join(root, top, name), 'utf8')).map((way) => `${top}/${name}: ${way}`)),
    );
    expect(found).toEqual([]);
  });

  it('lead the domain to types of libs/directory and protos alone', () => {
    const read = /^import (?!type )[^;]*from '@switchyard\/(?:directory|protos\/[^']*)'/m;
    expect("import { levels } from './levels';\nimport { usersByIds } from '@switchyard/directory';").toMatch(read);
    const files = readdirSync(join(root, 'services'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /^[^/]+\/src\/[^/]+\/domain\/[^/]+\.ts$/.test(name))
      .map((name) => join(root, 'services', name));
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => read.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
