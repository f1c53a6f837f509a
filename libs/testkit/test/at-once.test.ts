import { atOnce } from '../src/at-once';

const turn = () => new Promise((done) => setImmediate(done));

test('no more rows run than may, each begins once, and a failure is that of its own row', async () => {
  let running = 0;
  let most = 0;
  const begun: number[] = [];
  const rows = [1, 2, 3, 4, 5];
  const ended = atOnce(rows, 2, async (row) => {
    begun.push(row);
    running += 1;
    most = Math.max(most, running);
    await turn();
    running -= 1;
    if (row === 2) throw new Error('row 2 failed');
  });
  await expect(ended(5)).resolves.toBeUndefined();
  await expect(ended(2)).rejects.toThrow('row 2 failed');
  for (const row of [1, 3, 4]) await ended(row);
  expect([begun, most]).toEqual([rows, 2]);
  await expect(ended(6)).rejects.toThrow('no such row');
});
