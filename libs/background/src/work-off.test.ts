import { workOff } from './work-off';

const rows = Array.from({ length: 250 }, (_, at) => ({ id: at + 1 }));
const next = async (after: number, limit: number) => rows.filter(({ id }) => id > after).slice(0, limit);

test('every row is worked once, and one that fails holds up no other', async () => {
  const worked: number[] = [];
  const work = async ({ id }: { id: number }) => {
    worked.push(id);
    if (id === 120) throw new Error('not now');
  };
  expect(await workOff('rows', { next, work }, new AbortController().signal)).toBe(1);
  expect(worked).toEqual(rows.map(({ id }) => id));
});

test('it ends between two rows', async () => {
  const stopping = new AbortController();
  const worked: number[] = [];
  const work = async ({ id }: { id: number }) => {
    worked.push(id);
    if (id === 3) stopping.abort();
  };
  await workOff('rows', { next, work }, stopping.signal);
  expect(worked).toEqual([1, 2, 3]);
});
