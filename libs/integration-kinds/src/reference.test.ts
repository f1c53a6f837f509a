import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { integrationKinds, parametersOf, switchAliases } from './kinds';
import { kindReference } from './reference';

const file = join(__dirname, '..', '..', '..', 'docs', 'integrations.md');
const mark = '<!-- From here on written from libs/integration-kinds. -->\n\n';

// `DOCUMENT=record npm test -- libs/integration-kinds` writes it anew.
test('docs/integrations.md says what the table says', () => {
  const [head = '', rest] = readFileSync(file, 'utf8').split(mark);
  if (process.env.DOCUMENT === 'record') writeFileSync(file, `${head}${mark}${kindReference()}`);
  else expect(rest).toBe(kindReference());
});

test('a name means the same in every kind, and no kind has one twice', () => {
  const types = new Map<string, string>();
  for (const kind of integrationKinds) {
    const names = parametersOf(kind);
    expect([kind.slug, new Set(names).size]).toEqual([kind.slug, names.length]);
    for (const field of kind.fields) {
      expect([field.name, types.get(field.name) ?? field.type]).toEqual([field.name, field.type]);
      types.set(field.name, field.type);
    }
  }
  expect(new Set(integrationKinds.map(({ slug }) => slug)).size).toBe(integrationKinds.length);
  for (const { slug, sets } of Object.values(switchAliases))
    expect(integrationKinds.find((kind) => kind.slug === slug)?.switches).toContain(sets);
});
