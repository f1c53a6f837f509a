import { isAppError } from '@switchyard/errors';
import { type Component, componentKey, mergeComponents } from './component';
import { integrityHashes } from './component-texts';
import { type BomPart, readCycloneDx, readParts } from './read-cyclonedx';

const isId = (text: string): boolean => text === 'MIT';

async function* chunksOf(text: string | Buffer, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string | Buffer, size = 1 << 16): Promise<BomPart[]> {
  const parts: BomPart[] = [];
  for await (const part of readCycloneDx(chunksOf(text, size), (given) => readParts(given, isId))) parts.push(part);
  return parts;
}

/** What is said of a report that is refused. */
const refusal = (text: string | Buffer): Promise<unknown> =>
  read(text).then(
    () => 'it was read',
    (error) => {
      if (!isAppError(error)) throw error;
      return [error.kind, error.body.error];
    },
  );

const bom = (given: object) => JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', ...given });

const report = bom({
  metadata: {
    component: { type: 'application', name: 'app', 'bom-ref': 'app' },
    properties: [
      { name: 'gitlab:dependency_scanning:language:name', value: 'JavaScript' },
      { name: 'other', value: 'x' },
    ],
  },
  vulnerabilities: [{ id: '}]"' }, [[['\\"]']]], 1e3, null],
  dependencies: [{ ref: 'app', dependsOn: ['a'] }, { ref: 'a' }],
  components: [
    {
      type: 'library',
      name: 'ä "quoted" \\ {[',
      version: '1.0.0',
      'bom-ref': 'a',
      purl: 'pkg:npm/%40scope/a@1.0.0?b=2&a=1',
      hashes: [{ alg: 'SHA-1', content: 'A'.repeat(40) }],
      licenses: [{ license: { id: 'MIT' } }, { license: { id: 'No-Such' } }, { expression: 'MIT OR X' }],
      components: [{ type: 'file', name: 'inside\u0000\ud800' }],
    },
  ],
});

it('reads a report in whatever pieces it comes (G-4.14-6)', async () => {
  const whole = await read(report);
  expect(whole).toEqual([
    { kind: 'root', ref: 'app' },
    { kind: 'property', property: { name: 'gitlab:dependency_scanning:language:name', value: 'JavaScript' } },
    { kind: 'link', ref: 'app', dependsOn: ['a'] },
    { kind: 'link', ref: 'a', dependsOn: [] },
    {
      kind: 'component',
      ref: 'a',
      component: {
        type: 'library',
        name: 'ä "quoted" \\ {[',
        version: '1.0.0',
        purl: 'pkg:npm/%40scope/a@1.0.0?a=1&b=2',
        hashes: [{ alg: 'SHA-1', content: 'a'.repeat(40) }],
        licenses: [{ id: 'MIT' }, { name: 'No-Such' }, { expression: 'MIT OR X' }],
        properties: [],
      },
    },
    {
      kind: 'component',
      ref: undefined,
      component: { type: 'file', name: 'inside\ufffd\ufffd', hashes: [], licenses: [], properties: [] },
    },
  ]);
  for (const size of [1, 2, 3, 7, 64]) expect(await read(`\ufeff${report}`, size)).toEqual(whole);
});

const component = (given: object) => bom({ components: [{ type: 'library', name: 'a', ...given }] });
const no = 'file is no CycloneDX report: ';

it.each([
  ['', 'file is not valid JSON: it is empty'],
  ['[]', 'file is not valid JSON: it is no object'],
  ['<bom/>', 'file is not valid JSON: it is no object'],
  ['{"bomFormat":"CycloneDX"', 'file is not valid JSON: it ends too early'],
  ['{"components":[{"type":"library"', 'file is not valid JSON: it ends too early'],
  ['{"a":1}x', 'file is not valid JSON: something follows it'],
  ['{"a" 1}', 'file is not valid JSON: a colon is missing'],
  ['{"a":}', 'file is not valid JSON: a value is missing'],
  ['{"a":1 "b":2}', 'file is not valid JSON: a comma is missing'],
  ['{1:2}', 'file is not valid JSON: the name of a member is missing'],
  ['{"components":[1 2]}', 'file is not valid JSON: a comma is missing'],
  ['{"components":[,]}', 'file is not valid JSON: a value is missing'],
  ['{"components":[{"a":}]}', 'file is not valid JSON: components[0] is wrong'],
  ['{"bomFormat":tru}', 'file is not valid JSON: bomFormat is wrong'],
  ['{"bomFormat":"CycloneDX","bomFormat":"SPDX"}', 'file is not valid JSON: a member is there twice'],
  [`{"x":${'['.repeat(101)}`, 'file is not valid JSON: it is nested too deeply'],
  [`{"${'k'.repeat(1_001)}":1}`, 'file has a value of more than 1000 bytes'],
  [component({ description: 'x'.repeat(5 << 20) }), 'file has a value of more than 4194304 bytes'],
  ['{}', `${no}bomFormat is not CycloneDX, ${no}specVersion is not one of 1.2, 1.3, 1.4, 1.5, 1.6`],
  [bom({ bomFormat: 'SPDX' }), `${no}bomFormat is not CycloneDX`],
  [bom({ specVersion: 1.4 }), `${no}specVersion is not one of 1.2, 1.3, 1.4, 1.5, 1.6`],
  [bom({ components: {} }), `${no}components is not a list`],
  [bom({ components: [null] }), `${no}components[0] is not an object`],
  [bom({ dependencies: 'x' }), `${no}dependencies is not a list`],
  [bom({ dependencies: [{ dependsOn: [] }] }), `${no}dependencies[0].ref is missing`],
  [bom({ dependencies: [{ ref: 'a', dependsOn: [1] }] }), `${no}dependencies[0].dependsOn[0] is not a text`],
  [bom({ metadata: [] }), `${no}metadata is not an object`],
  [component({ type: 'constructor' }), `${no}components[0].type is not a type of component`],
  [component({ name: ' ' }), `${no}components[0].name is missing`],
  [
    component({ version: 1, purl: {} }),
    `${no}components[0].version is not a text, ${no}components[0].purl is not a text`,
  ],
  [
    component({ hashes: [{ alg: 'SHA-1', content: 'zz' }] }),
    `${no}components[0].hashes has an entry that is no digest`,
  ],
  [component({ licenses: [{}] }), `${no}components[0].licenses has an entry that is no licence`],
  [component({ licenses: 'MIT' }), `${no}components[0].licenses is not a list`],
  [
    component({ components: [{}] }),
    `${no}components[0].components[0].type is not a type of component, ${no}components[0].components[0].name is missing`,
  ],
])('refuses %.60s', async (text, error) => {
  expect(await refusal(text)).toEqual(['invalid_params', error]);
});

it('names twenty problems at the most, and does not read on', async () => {
  const [, error] = (await refusal(bom({ components: Array.from({ length: 1_000 }, () => 1) }))) as [string, string];
  expect(error.split(', ')).toHaveLength(20);
});

const plain = { type: 'library', name: 'a', hashes: [], licenses: [], properties: [] } satisfies Component;

it('merges variants into the same component whatever their order', () => {
  const one: Component = {
    ...plain,
    version: '1',
    description: 'b',
    scope: 'optional',
    licenses: [{ id: 'MIT', url: 'https://a' }],
  };
  const other: Component = {
    ...plain,
    version: '1',
    description: 'a',
    scope: 'required',
    hashes: [{ alg: 'MD5', content: 'f'.repeat(32) }],
    licenses: [{ name: 'Own' }, { id: 'MIT', url: 'https://b' }],
  };
  const merged = mergeComponents([one, other]);
  expect(merged).toEqual({
    ...plain,
    version: '1',
    description: 'a',
    scope: 'required',
    hashes: [{ alg: 'MD5', content: 'f'.repeat(32) }],
    licenses: [{ id: 'MIT', url: 'https://a' }, { name: 'Own' }],
  });
  expect(JSON.stringify(mergeComponents([other, one, other]))).toBe(JSON.stringify(merged));
  expect(JSON.stringify(mergeComponents([merged, one]))).toBe(JSON.stringify(merged));
});

it.each([
  [['optional', undefined], undefined],
  [['optional', 'required', undefined], 'required'],
  [['excluded', undefined], undefined],
  [['excluded', 'optional', 'optional'], 'optional'],
  [['optional'], 'optional'],
] as const)('of the scopes %j %s stays: what is not said is required', (scopes, scope) => {
  const variants = scopes.map(
    (one, at): Component => ({
      ...{ ...plain, description: `${at}` },
      ...(one === undefined ? {} : { scope: one }),
    }),
  );
  for (const given of [variants, variants.toReversed()]) expect(mergeComponents(given).scope).toBe(scope);
});

it.each(['project:7', 'group:3', 'not a purl', 'pkg:npm'])('%s is no package URL, and names nothing', async (purl) => {
  const [part] = await read(component({ purl, properties: [{ name: 'n', value: 'v' }] }));
  const found = part?.kind === 'component' ? part.component : plain;
  expect(found).toEqual({
    ...plain,
    properties: [
      { name: 'n', value: 'v' },
      { name: 'switchyard:dependency_scanning:invalid_purl', value: purl },
    ],
  });
  expect(componentKey(found, () => '')).toBe('library:/a@');
});

it.each([
  [{ ...plain, purl: 'pkg:npm/a@1' }, 'pkg:npm/a@1'],
  [{ ...plain, group: 'g', version: '1' }, 'library:g/a@1'],
  [{ ...plain, name: 'x'.repeat(600) }, `library:/${'x'.repeat(421)}#DIGEST`],
])('the key of %.40j', (given, key) => {
  expect(componentKey(given, () => 'DIGEST')).toBe(key);
});

it.each([
  ['sha1-qqqqqqqqqqqqqqqqqqqqqqqqqqo=', [{ alg: 'SHA-1', content: 'aa'.repeat(20) }]],
  ['sha512-short sha1-qqqqqqqqqqqqqqqqqqqqqqqqqqo=', [{ alg: 'SHA-1', content: 'aa'.repeat(20) }]],
  [7, []],
])('the digests of %j', (integrity, hashes) => {
  expect(integrityHashes(integrity)).toEqual(hashes);
});
