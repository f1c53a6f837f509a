import { AppError } from '@switchyard/errors';
import type { ExportLease, SourceRows } from '../domain/export-work';
import { readSource } from './read-source';

const source = { position: 0, kind: 'lock_file', projectId: 1, pipelineId: 2, path: 'a/yarn.lock' } as const;

const reading = (error: unknown) => {
  const properties: SourceRows['properties'][number][] = [];
  const read = readSource({
    work: {
      addRows: async (_id, _source, rows) => void properties.push(...rows.properties),
      resolveLinks: async () => undefined,
      finishSource: async () => undefined,
    },
    reports: {} as never,
    pipelines: { readLockFile: () => Promise.reject(error) },
    readLockFile: {} as never,
  });
  const { signal } = new AbortController();
  const done = read(
    { export: { id: 1 } } as ExportLease,
    { ...source, blob: '', digest: '' },
    '',
    async () => {},
    signal,
  );
  return done.then(() => properties);
};

it.each(['too_large', 'not_found'] as const)(
  'a lock file that is %s is named in the list, which does not fail',
  async (kind) => {
    expect(await reading(new AppError(kind))).toEqual([
      { name: 'switchyard:dependency_scanning:unreadable_file:path', value: 'a/yarn.lock' },
    ]);
  },
);

it('a lock file that cannot be had now is asked for again', async () => {
  await expect(reading(new AppError('unavailable'))).rejects.toMatchObject({ kind: 'unavailable' });
});
