import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

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

test('a benchmark copes with a machine on which an answer takes longer than a round', async () => {
  const slow = createServer((_request, response) => setTimeout(() => response.end('late'), 2_500));
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  const { port } = slow.address() as AddressInfo;
  const script = `import { load } from '${join(root, 'bench/load.mjs')}';
    console.log(JSON.stringify(await load({ url: 'http://127.0.0.1:${port}/', connections: 2, seconds: 1 })));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(JSON.parse(stdout)).toMatchObject({ requests: 2, p50: expect.any(Number) });
  slow.closeAllConnections();
  await new Promise((resolve) => slow.close(resolve));
}, 60_000);
