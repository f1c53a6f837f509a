import { AppError } from '@switchyard/errors';
import type { ListSize } from '../domain/dependency-list-export';
import type { ExportLease, SourceRows } from '../domain/export-work';
import { readSource } from './read-source';

const source = { position: 0, kind: 'lock_file', projectId: 1, pipelineId: 2, path: 'a/yarn.lock' } as const;

/** Reads a lock file of one component on which two others depend, or one that fails. */
async function reading({ error, before = { components: 0, links: 0 } }: { error?: unknown; before?: ListSize }) {
  const rows: SourceRows[] = [];
  const said: ListSize[] = [];
  const read = readSource({
    work: {
      addRows: async (_id, _source, some) => void rows.push(some),
      resolveLinks: async () => undefined,
      finishSource: async (_id, _source, size) => void said.push(size),
    },
    reports: {} as never,
    pipelines: { readLockFile: async () => (error === undefined ? '' : Promise.reject(error)) },
    async *readLockFile() {
      const component = { type: 'library', name: 'a', hashes: [], licenses: [], properties: [] };
      yield { kind: 'component', ref: 'a', component };
      yield { kind: 'link', ref: 'b', dependsOn: ['a', 'c'] };
    },
  });
  const { signal } = new AbortController();
  const going = { requestId: '', before, keepLease: async () => undefined, signal };
  const done = read({ export: { id: 1 } } as ExportLease, { ...source, blob: '', digest: '' }, going);
  const problem = await done.catch((thrown: unknown) => thrown);
  return { rows, said, problem };
}

it.each(['too_large', 'not_found'] as const)(
  'a lock file that is %s is named in the list, which does not fail',
  async (kind) => {
    expect((await reading({ error: new AppError(kind) })).rows[0]?.properties).toEqual([
      { name: 'switchyard:dependency_scanning:unreadable_file:path', value: 'a/yarn.lock' },
    ]);
  },
);

it('a lock file that cannot be had now is asked for again', async () => {
  expect(await reading({ error: new AppError('unavailable') })).toMatchObject({
    said: [],
    problem: { kind: 'unavailable' },
  });
});

it('says what a source has said, and counts it to what was read before', async () => {
  expect(await reading({ before: { components: 1_999_999, links: 1_999_998 } })).toMatchObject({
    said: [{ components: 1, links: 2 }],
    problem: { components: 2_000_000, links: 2_000_000 },
  });
});

it.each([
  [{ components: 2_000_000, links: 0 }, 'the list is made of more than 2000000 components'],
  [{ components: 0, links: 1_999_999 }, 'the list is made of more than 2000000 dependencies between components'],
])('after %j nothing more is written', async (before, message) => {
  expect(await reading({ before })).toMatchObject({
    rows: [],
    said: [],
    problem: { kind: 'invalid', body: { message } },
  });
});
