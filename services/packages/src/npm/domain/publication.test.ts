import { type AttachedTarball, type JsonObject, readPublication } from './publication';

const sha512 = 'ab'.repeat(64);
const integrity = `sha512-${Buffer.from(sha512, 'hex').toString('base64')}`;
const tarball: AttachedTarball = {
  fileName: '@acme/app-1.0.0.tgz',
  size: 10,
  sha1: '12'.repeat(20),
  sha256: '34'.repeat(32),
  sha512,
  packageJson: { name: '@acme/app', version: 'v1.0.0' },
  fileCount: 2,
  unpackedSize: 20,
};
const manifest: JsonObject = {
  name: '@acme/app',
  version: '1.0.0',
  description: 'd',
  scripts: { install: 'x' },
  dist: { shasum: tarball.sha1, integrity, tarball: 'http://elsewhere/app.tgz' },
};
const documentWith = (given: JsonObject, more: JsonObject = {}): JsonObject => ({
  name: '@acme/app',
  versions: { '1.0.0': { ...manifest, ...given } },
  'dist-tags': { latest: '1.0.0' },
  _attachments: { '@acme/app-1.0.0.tgz': { length: 10 } },
  ...more,
});

it('keeps of a publication what is served again, whole and abbreviated, with digests of its own (G-4.17-13)', () => {
  const { metadata, ...publication } = readPublication('@acme/app', documentWith({}), tarball);
  expect(publication).toEqual({ version: '1.0.0', fileName: '@acme/app-1.0.0.tgz', tags: ['latest'], deprecated: '' });
  expect(metadata.manifest).toMatchObject({ description: 'd', hasInstallScript: true });
  expect(metadata.short).toEqual({ name: '@acme/app', version: '1.0.0', hasInstallScript: true });
  expect(metadata.dist).toEqual({ shasum: tarball.sha1, integrity, fileCount: 2, unpackedSize: 20 });
});

it.each([
  ['npm, which sends no build metadata', '1.0.0'],
  ['Yarn, which sends that of the package.json', '1.0.0+a'],
])('leaves build metadata out of the version that comes from %s', (_who, sent) => {
  const fileName = `@acme/app-${sent}.tgz`;
  const packageJson = { name: '@acme/app', version: '1.0.0+a' };
  const document = documentWith(
    {},
    {
      versions: { [sent]: { ...manifest, version: sent } },
      'dist-tags': { next: sent },
      _attachments: { [fileName]: { length: 10 } },
    },
  );
  const publication = readPublication('@acme/app', document, { ...tarball, fileName, packageJson });
  expect(publication).toMatchObject({ version: '1.0.0', fileName: '@acme/app-1.0.0.tgz', tags: ['next'] });
  expect(publication.metadata.manifest.version).toBe('1.0.0');
  expect(publication.metadata.short.version).toBe('1.0.0');
});

it.each([
  ['another name', documentWith({}, { name: 'app' }), {}, 'name does not match the address'],
  ['another name in the manifest', documentWith({ name: 'app' }), {}, 'name or version of the manifest is wrong'],
  ['no versions', documentWith({}, { versions: {} }), {}, 'versions must have the one version of the tarball'],
  ['versions that are no object', documentWith({}, { versions: 1 }), {}, 'versions is invalid'],
  ['another shasum', documentWith({ dist: { shasum: '00' } }), {}, 'digest of the tarball does not match'],
  [
    'another integrity',
    documentWith({ dist: { integrity: 'sha512-AAAA' } }),
    {},
    'digest of the tarball does not match',
  ],
  [
    'a digest nobody knows',
    documentWith({ dist: { integrity: 'md5-AAAA' } }),
    {},
    'digest of the tarball does not match',
  ],
  ['a lie about its length', documentWith({}), { size: 11 }, 'length of the attachment is wrong'],
  ['another attachment', documentWith({}), { fileName: 'x-1.0.0.tgz' }, 'name of the attachment is wrong'],
  [
    'another package.json',
    documentWith({}),
    { packageJson: { name: '@acme/app', version: '1.0.1' } },
    'package.json of the tarball has another name or version',
  ],
  ['a tag of another version', documentWith({}, { 'dist-tags': { latest: '2.0.0' } }), {}, 'dist-tags is invalid'],
  ['a tag that is a range', documentWith({}, { 'dist-tags': { '1.x': '1.0.0' } }), {}, 'dist-tags is invalid'],
])('refuses %s', (_what, document, given, error) => {
  expect(() => readPublication('@acme/app', document, { ...tarball, ...given })).toThrow(error);
});
