import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

// The components of `openapi/*.yaml` in one file of JSON: reading the YAML takes half a second, reading this 5 ms.
const folder = import.meta.dirname;
const schemas = {};
for (const file of readdirSync(join(folder, 'openapi')).filter((name) => name.endsWith('.yaml'))) {
  const { components } = parse(readFileSync(join(folder, 'openapi', file), 'utf8'));
  for (const [name, schema] of Object.entries(components.schemas)) {
    if (Object.hasOwn(schemas, name)) throw new Error(`component ${name} is stated twice`);
    schemas[name] = schema;
  }
}
const target = join(folder, 'dist', 'switchyard');
mkdirSync(target, { recursive: true });
writeFileSync(join(target, 'components.json'), JSON.stringify(schemas));
