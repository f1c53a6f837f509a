import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/** What benchmarks take from the built services by name, as `path: name`; they run too long to be tried by every change. */
const taken = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith('.mjs'))
  .flatMap((file) => [
    ...readFileSync(join(root, 'bench', file), 'utf8').matchAll(
      /const \{([^}]+)\} = require\(`\$\{service\('([a-z-]+)'\)\}\/([\w./-]+)\.js`\)/g,
    ),
  ])
  .flatMap(([, names = '', service, path]) =>
    names.split(',').map((name) => [`services/${service}/src/${path}.ts`, name.trim()] as const),
  );

test('what benchmarks take from the services is there', () => {
  expect(taken.length).toBeGreaterThan(15);
  const isExported = ([path, name]: readonly [string, string]): boolean =>
    new RegExp(String.raw`^export (?:const|(?:async )?function\*?|class) ${name}\b`, 'm').test(
      readFileSync(join(root, path), 'utf8'),
    );
  expect(taken.filter((one) => !isExported(one))).toEqual([]);
});
