import { conflict, notFound } from '@switchyard/errors';
import { deleteAuthored } from './delete-authored';

const store = (ids: number[], refusals: Readonly<Record<number, Error>> = {}) => {
  const left = new Set(ids);
  return {
    left,
    authoredBy: async (_userId: number, limit: number) => [...left].slice(0, limit),
    async remove(id: number) {
      if (refusals[id] !== undefined) throw refusals[id];
      left.delete(id);
    },
  };
};

const range = (length: number) => Array.from({ length }, (_, at) => at + 1);

test('a run is bounded, and asks for another while there is more', async () => {
  const authored = store(range(120));
  const work = deleteAuthored(authored);
  expect([await work(7), authored.left.size]).toEqual(['again', 70]);
  expect([await work(7), authored.left.size]).toEqual(['again', 20]);
  expect([await work(7), authored.left.size]).toEqual([undefined, 0]);
});

test('one that is being merged fails the run after the others', async () => {
  const authored = store(range(3), { 2: conflict('Merge request is being merged'), 3: notFound() });
  await expect(deleteAuthored(authored)(7)).rejects.toMatchObject({ kind: 'conflict' });
  expect([...authored.left]).toEqual([2, 3]);
});
