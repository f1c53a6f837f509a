import type { ForgePullNote } from '../domain/forge';
import { inThreads } from './forgeb-cloud-threads';

const comment = (id: number, parent?: number, isNote = true) => ({
  ...{ id, parent },
  note: isNote ? ({ foreignId: id, pullIid: 7, threadId: id } as ForgePullNote) : undefined,
});
const threads = async (...given: Parameters<typeof inThreads>) =>
  (await inThreads(...given)).map(({ foreignId, threadId }) => [foreignId, threadId]);

it('an answer to an answer lies in the thread of the first comment, also behind one that was deleted', async () => {
  const page = [comment(1), comment(2, 1, false), comment(3, 2), comment(4, 3), comment(5)];
  expect(await threads(page, () => Promise.reject(new Error('asked')))).toEqual([
    [1, 1],
    [3, 1],
    [4, 1],
    [5, 5],
  ]);
});

it('what lies on a page before is looked up, each once', async () => {
  const find = jest.fn(async (_pull: number, id: number) => ({ id, parent: id === 2 ? 1 : undefined }));
  expect(await threads([comment(3, 2), comment(4, 2)], find)).toEqual([
    [3, 1],
    [4, 1],
  ]);
  expect(find.mock.calls).toEqual([
    [7, 2],
    [7, 1],
  ]);
});

it('what is not there, goes in a circle or has no end costs a bounded number of requests', async () => {
  expect(await threads([comment(3, 2)], async () => undefined)).toEqual([[3, 2]]);
  expect(await threads([comment(3, 4), comment(4, 3)], async () => undefined)).toEqual([
    [3, 4],
    [4, 3],
  ]);
  const find = jest.fn(async (_pull: number, id: number) => ({ id, parent: id + 1 }));
  await threads([comment(3, 4), comment(2, 9_000)], find);
  expect(find).toHaveBeenCalledTimes(100);
});
