import { cycloneDxFaults } from '@switchyard/testkit/replies';
import type { Component } from '../domain/component';
import { type Bom, writeCycloneDx } from './cyclonedx';
import { writeSpdx } from './spdx';
import { isLicenseExpression } from './spdx-licenses';

const bare = { hashes: [], licenses: [], properties: [] };
const components: { key: string; component: Component }[] = [
  {
    key: 'pkg:npm/%40a/b@1.0.0',
    component: {
      type: 'library',
      group: '@a',
      name: 'b',
      version: '1.0.0',
      purl: 'pkg:npm/%40a/b@1.0.0',
      cpe: 'cpe:2.3:a:a:b:1.0.0:*:*:*:*:*:*:*',
      scope: 'optional',
      hashes: [
        { alg: 'SHA-256', content: 'a'.repeat(64) },
        { alg: 'BLAKE3', content: 'b'.repeat(64) },
      ],
      licenses: [{ id: 'MIT', url: 'https://example.com/a b' }, { name: 'Own' }, { expression: 'MIT OR Apache-2.0' }],
      properties: [{ name: 'n', value: '' }],
    },
  },
  {
    key: 'x',
    component: {
      ...{ ...bare, type: 'cryptographic-asset', name: 'x', cpe: 'cpe:/nonsense', copyright: '(c)' },
      author: 'A\nB',
    },
  },
  {
    key: 'y',
    component: {
      ...{ ...bare, type: 'machine-learning-model', name: 'y', licenses: [{ expression: 'MIT AND (X' }] },
      version: '1'.repeat(1_025),
    },
  },
  {
    key: 'z',
    component: {
      ...{ ...bare, type: 'library', name: 'z', cpe: 'cpe:2.3:a:x:y:1\\.0:*:*:*:*:*:*:*' },
      licenses: [{ expression: 'MIT OR DocumentRef-a:LicenseRef-b' }],
    },
  },
];

async function* each<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list;
}

const bom: Bom = {
  head: {
    subject: { ref: 'project:1', name: 'a/b', version: 'f'.repeat(40) },
    id: '12345678-1234-8123-8123-123456789abc',
    madeAt: new Date('2026-01-02T03:04:05.678Z'),
    properties: [{ name: 'p', value: 'v' }],
    toolVersion: '1',
    email: 'noreply@127.0.0.1',
  },
  components: () => each(components),
  dependencies: () => each([{ key: 'project:1', dependsOn: ['x', 'y'] }]),
};
const empty: Bom = { ...bom, components: () => each([]), dependencies: () => each([]) };

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

it.each(['1.4', '1.5', '1.6'] as const)(
  'writes CycloneDX %s that its official schema takes (G-4.14-5)',
  async (version) => {
    const document = JSON.parse(await textOf(writeCycloneDx(bom, version)));
    expect(cycloneDxFaults(version, document)).toBeNull();
    expect(document).toMatchObject({ specVersion: version, version: 1, serialNumber: `urn:uuid:${bom.head.id}` });
    expect(document.components.map(({ name }: Component) => name)).toEqual(['b', 'x', 'y', 'z']);
    expect(document.components[0].licenses).toEqual([
      { license: { id: 'MIT' } },
      { license: { name: 'Own' } },
      { license: { name: 'MIT OR Apache-2.0' } },
    ]);
    // What is no expression is a name.
    expect(document.components.slice(2).map(({ licenses }: Component) => licenses)).toEqual([
      [{ license: { name: 'MIT AND (X' } }],
      [{ expression: 'MIT OR DocumentRef-a:LicenseRef-b' }],
    ]);
    expect(document.dependencies).toEqual([{ ref: 'project:1', dependsOn: ['x', 'y'] }]);
    expect(cycloneDxFaults(version, JSON.parse(await textOf(writeCycloneDx(empty, version))))).toBeNull();
    // The check can fail.
    document.components[1].type = 'nothing';
    expect(cycloneDxFaults(version, document)).not.toBeNull();
  },
);

it('writes SPDX 2.3: every relation and licence leads to something that is there', async () => {
  const text = await textOf(writeSpdx(bom));
  const document = JSON.parse(text);
  expect(document).toMatchObject({
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    creationInfo: { created: '2026-01-02T03:04:05Z', creators: ['Tool: Switchyard-1'] },
  });
  const ids = new Set(['SPDXRef-DOCUMENT', ...document.packages.map((one: { SPDXID: string }) => one.SPDXID)]);
  expect(ids.size).toBe(6);
  for (const { spdxElementId, relatedSpdxElement } of document.relationships)
    expect([ids.has(spdxElementId), ids.has(relatedSpdxElement)]).toEqual([true, true]);
  const [own, broken, foreign] = ['Own', 'MIT AND (X', 'MIT OR DocumentRef-a:LicenseRef-b'].map(
    (name) => document.hasExtractedLicensingInfos.find((one: { name: string }) => one.name === name).licenseId,
  );
  expect(document.packages.map((one: { licenseDeclared: string }) => one.licenseDeclared)).toEqual([
    'NOASSERTION',
    `MIT AND ${own} AND (MIT OR Apache-2.0)`,
    'NOASSERTION',
    broken,
    foreign,
  ]);
  expect(document.packages[2].originator).toBe('Person: A B');
  expect(document.packages.at(-1).externalRefs).toBeUndefined();
  expect(document.packages[1].checksums[0]).toEqual({ algorithm: 'SHA256', checksumValue: 'a'.repeat(64) });
  expect(await textOf(writeSpdx(bom))).toBe(text);
});

it.each([
  ['MIT', true],
  ['Apache-2.0+ AND (MIT OR ISC)', true],
  ['(MIT)OR(ISC)', true],
  ['GPL-2.0-or-later WITH Classpath-exception-2.0', true],
  ['MIT AND LicenseRef-x', true],
  ['MIT OR (Apache-2.0', false],
  ['MIT )OR( ISC', false],
  ['Apache-2.0 WITH Foo-exception', false],
  ['MIT WITH ISC', false],
  ['MIT OR', false],
  ['MIT ISC', false],
  ['MIT or ISC', false],
  ['MIT ORISC', false],
  ['MIT+AND ISC', false],
  ['MIT\nOR ISC', false],
  ['mit', false],
  ['NONE', false],
  [';;;MIT', false],
  ['', false],
  [`${'('.repeat(100)}MIT${')'.repeat(100)}`, true],
  [`${'('.repeat(101)}MIT${')'.repeat(101)}`, false],
  [`MIT${' OR MIT'.repeat(571)}`, true],
  [`MIT${' OR MIT'.repeat(572)}`, false],
])('%.60s is an expression of SPDX: %s', (text, isOne) => {
  expect(isLicenseExpression(text)).toBe(isOne);
});
