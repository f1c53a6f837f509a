import { archiveNameOf, type ProjectExport, type ProjectExportStatus, shownStatus } from './project-export';

const one = (status: ProjectExportStatus): ProjectExport => ({
  id: 1,
  projectId: 2,
  description: undefined,
  status,
  problem: undefined,
  file: undefined,
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
});

it.each([
  [undefined, false, 'none'],
  ['queued', false, 'queued'],
  ['started', false, 'started'],
  ['started', true, 'regeneration_in_progress'],
  ['failed', false, 'none'],
  ['failed', true, 'finished'],
  ['finished', true, 'finished'],
] as const)('the newest %s, a file %s: %s', (status, hasFile, shown) => {
  const state = { newest: status && one(status), finished: hasFile ? one('finished') : undefined };
  expect(shownStatus(state)).toBe(shown);
});

it('a file is named after its time and project', () => {
  expect(archiveNameOf('group/sub/project', one('finished'))).toBe(
    '2026-01-02_03-04-05_group_sub_project_export.tar.gz',
  );
});
