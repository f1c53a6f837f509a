import { readFileSync } from 'node:fs';
import { findLicense } from '../../src/repositories/application/find-license';
import { licenseObject } from '../../src/repositories/presenters/license.presenter';
import { licenseTemplates } from '../../src/repositories/storage/license-templates';
import type { Harness, TestProject } from './repository-harness';
import { repositoryClient, startRepository } from './repository-rig';

let harness: Harness;
let project: TestProject;
const { write } = repositoryClient(() => ({ harness, project }));

beforeAll(async () => {
  ({ harness, project } = await startRepository());
});
afterAll(() => harness?.close());

const textOf = (id: string): string =>
  JSON.parse(readFileSync(require.resolve(`spdx-license-list/licenses/${id}.json`), 'utf8')).licenseText;

async function licenseOf(projectId: number) {
  const find = findLicense({ open: harness.beside.repositories.openRepository, templates: licenseTemplates() });
  return licenseObject(await find(projectId), { externalUrl: 'https://forge.example', fullPath: 'group/project' });
}
const put = (action: string, file_path: string, content = '') =>
  write('main', [action === 'delete' ? { action, file_path } : { action, file_path, content }]);

test('the licence of a project follows the file on its default branch', async () => {
  const none = { license_url: null, license: null };
  expect(await licenseOf(project.id)).toEqual(none);
  await write('side', [{ action: 'create', file_path: 'LICENSE', content: textOf('MIT') }], { start_branch: 'main' });
  expect(await licenseOf(project.id)).toEqual(none);
  await put('create', 'COPYING', textOf('LGPL-3.0'));
  expect(await licenseOf(project.id)).toEqual({
    license_url: 'https://forge.example/group/project/-/blob/main/COPYING',
    license: {
      key: 'lgpl-3.0',
      name: 'GNU Lesser General Public License v3.0',
      nickname: 'GNU LGPLv3',
      html_url: 'https://choosealicense.com/licenses/lgpl-3.0/',
      source_url: expect.stringContaining('gnu.org'),
    },
  });
  await put('create', 'LICENSE', textOf('MIT').replace('<copyright holders>', 'Ada'));
  expect((await licenseOf(project.id)).license).toMatchObject({ key: 'mit', name: 'MIT License', nickname: null });
  const other = { key: 'other', name: 'Other', nickname: 'LICENSE', html_url: null, source_url: null };
  await put('update', 'LICENSE', 'Ask before you use it.');
  expect((await licenseOf(project.id)).license).toEqual(other);
  // Longer than any licence: it is not read.
  await put('update', 'LICENSE', textOf('MIT') + ' '.repeat(128 << 10));
  expect((await licenseOf(project.id)).license).toEqual(other);
  await put('delete', 'LICENSE');
  await put('delete', 'COPYING');
  expect(await licenseOf(project.id)).toEqual(none);
});

test('a project without a commit, and one that is gone, have no licence', async () => {
  const empty = await harness.project();
  expect((await licenseOf(empty.id)).license).toBeNull();
  expect((await licenseOf(999_999)).license).toBeNull();
});
