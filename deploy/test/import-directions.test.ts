import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
  'domain-is-pure': 'services/one/src/domain',
  'services-meet-only-through-protos': 'services/one/src/domain',
  'no-unresolved-imports': 'services/one/src/domain',
  // A cycle is reported once, at the first of its modules.
  'no-cycles': 'services/one/src/domain/no-cycles-back.ts',
  'transport-reaches-no-storage': 'services/one/src/transport',
  'only-main-composes': 'services/one/src/transport',
  'storage-knows-no-caller': 'services/one/src/storage',
  'presenters-only-render': 'services/one/src/presenters',
};

describe('the directions of imports', () => {
  const found = violations();

  it.each(forbidden.map(({ name }) => name))('%s fires on the violation made for it', (name) => {
    const place = places[name] ?? 'services/one/src/application';
    expect(found).toContain(`${place.endsWith('.ts') ? place : `${place}/${name}.ts`}: ${name}`);
  });

  it('lets the permitted directions pass', () => {
    const clean = ['main.ts', 'transport/one.handler.ts', 'storage/one.store.ts', 'application/use-case.ts'];
    const permitted = [...clean.map((file) => `services/one/src/${file}`), 'services/gateway/src/http/app.ts'];
    expect(found.filter((violation) => permitted.some((file) => violation.startsWith(`${file}:`)))).toEqual([]);
  });

  it('lead the domain to types of libs/directory alone', () => {
    const read = /^import (?!type )[^;]*from '@switchyard\/directory'/m;
    expect("import { levels } from './levels';\nimport { usersByIds } from '@switchyard/directory';").toMatch(read);
    const files = readdirSync(join(root, 'services')).flatMap((service) => {
      const domain = join(root, 'services', service, 'src/domain');
      return existsSync(domain) ? readdirSync(domain).map((name) => join(domain, name)) : [];
    });
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => read.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
