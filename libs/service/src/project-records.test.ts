import { z } from '@switchyard/config';
import { recordWriter } from './project-records';
import { recordFields } from './record-fields';

const target = { projectId: 1, importerId: 1, forEverybody: false };
const written: unknown[] = [];
const writer = recordWriter(z.object({ iid: z.int() }), async (_, records) => {
  written.push(...records);
  return records.length;
});
const lines = (count: number): Buffer => Buffer.from('{"iid":1}\n'.repeat(count));

it('takes up to a hundred whole records', async () => {
  expect(await writer.read('issues', lines(100)).write(target)).toEqual({ written: 100, leftOut: [] });
  expect(written).toHaveLength(100);
  expect(await writer.read('issues', lines(0)).write(target)).toEqual({ written: 0, leftOut: [] });
  for (const given of [lines(101), lines(102), Buffer.from('{"iid":1}'), Buffer.from('{"iid":1}\n{"iid":2}')])
    expect(() => writer.read('issues', given)).toThrow('issues: the records are not whole');
});

it('keeps the numbers of records that were read, where the kind has some', async () => {
  const kept: number[][] = [];
  const numbered = recordWriter(
    z.object({ iid: z.int() }),
    async () => 0,
    async (projectId, records) => void kept.push([projectId, ...records.map(({ iid }) => iid)]),
  );
  await numbered.read('issues', lines(2)).reserve(7);
  await writer.read('issues', lines(2)).reserve(7);
  expect([kept, written]).toEqual([[[7, 1, 1]], expect.any(Array)]);
});

it('cuts no more lines apart than a page may have', () => {
  const split = jest.spyOn(String.prototype, 'split');
  try {
    expect(() => writer.read('issues', Buffer.alloc(1 << 20, '\n'))).toThrow('issues: the records are not whole');
    const parts = split.mock.results.map(({ value }) => (value as string[]).length);
    expect(Math.max(...parts)).toBeLessThan(200);
  } finally {
    split.mockRestore();
  }
});

it('counts characters as the API does', () => {
  const isTaken = (text: string): boolean => recordFields.text(2).safeParse(text).success;
  expect(['', 'ab', '🐛🐛', 'abc', '🐛🐛a', '🐛\0', '\ud83d'].map(isTaken)).toEqual([
    ...[true, true, true],
    ...[false, false, false, false],
  ]);
});
