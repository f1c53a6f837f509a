import { distTags, type ServedVersion } from './packument';

const versionOf = (version: string, at: number): ServedVersion => ({
  ...{ id: at, projectId: 1, version, manifest: '{}', dist: '{}' },
  createdAt: new Date(at),
  updatedAt: new Date(at),
});

it.each([
  [['1.0.0', '2.0.0-beta.1'], [], '1.0.0'],
  [['1.10.0', '1.9.0'], [], '1.10.0'],
  [['1.0.0-rc.1', '1.0.0-rc.2'], [], '1.0.0-rc.2'],
  [['1.0.0', '2.0.0'], [{ name: 'latest', version: '1.0.0' }], '1.0.0'],
  [['1.0.0', '2.0.0-beta.1'], [{ name: 'beta', version: '2.0.0-beta.1' }], '1.0.0'],
  [[], [], undefined],
])('of %j with the tags %j the latest is %s', (versions, tags, latest) => {
  expect(distTags({ name: 'app', versions: versions.map(versionOf), tags }).latest).toBe(latest);
});
