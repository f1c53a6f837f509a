import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../src/http/openapi';
import { routes } from '../../src/routes';

const record = join(__dirname, 'document.txt');

/** Short digest of a part as it is sent, the order of its keys included. */
const digest = (part: unknown): string =>
  createHash('sha256').update(JSON.stringify(part)).digest('base64url').slice(0, 12);

/** One line for each operation, each component and what stands around them. Sections (`tags`) are left out. */
function linesOf({ paths, components, tags: _, ...rest }: ReturnType<typeof openApiDocument>): string[] {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { tags: _section, ...operation }]) =>
      method === 'servers'
        ? `servers ${path} ${digest(item[method])}`
        : `${operation.operationId} ${method.toUpperCase()} ${path} ${digest(operation)}`,
    ),
  );
  const parts = Object.entries(components).flatMap(([kind, named]) =>
    Object.entries(named).map(([name, component]) => `components/${kind}/${name} ${digest(component)}`),
  );
  return [`document ${digest(rest)}`, ...parts.sort(), ...operations.sort()];
}

// Clients are generated from the document, so a change of it is decided, not slipped in: it shows as a line here.
// `DOCUMENT=record npm test -- services/gateway/test/http/document.test.ts` writes the file anew.
test('the OpenAPI document is the recorded one', () => {
  const now = linesOf(openApiDocument(routes, 'https://forge.example'));
  if (process.env.DOCUMENT === 'record') writeFileSync(record, `${now.join('\n')}\n`);
  expect(now).toEqual(readFileSync(record, 'utf8').trim().split('\n'));
});
