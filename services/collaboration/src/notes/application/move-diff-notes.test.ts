import { type AppError, notFound, unavailable } from '@switchyard/errors';
import { type DiffNoteMoving, moveDiffNotes } from './move-diff-notes';

/** The outcome of a move at its nth attempt, when the request for positions fails. */
async function triedOnce(attempts: number, error: AppError | Error): Promise<'dropped' | 'waits'> {
  let due = [{ noteableId: 1, projectId: 1, mergeRequestId: 1, generation: 1, attempts }];
  let outcome: 'dropped' | 'waits' = 'waits';
  const position = { baseSha: '', startSha: '', headSha: '', positionType: 'file', oldPath: 'a', newPath: 'a' };
  const moves = {
    claim: async () => due.pop(),
    threads: async () => [{ noteId: 1, discussionId: Buffer.alloc(20), position }],
    drop: async () => {
      outcome = 'dropped';
    },
  };
  const failed = new Promise<void>((settle) => {
    const moving = moveDiffNotes({
      db: {},
      moves,
      positions: { move: () => Promise.reject(error) },
      log: {
        warn: () => {
          due = [];
          moving.close().then(settle);
        },
      },
    } as unknown as DiffNoteMoving);
  });
  await failed;
  return outcome;
}

it('a move waits while the repository service is unavailable, and is dropped when it can never succeed', async () => {
  expect(await triedOnce(50, unavailable())).toBe('waits');
  expect(await triedOnce(9, new Error('broken'))).toBe('waits');
  expect(await triedOnce(10, new Error('broken'))).toBe('dropped');
  expect(await triedOnce(1, notFound())).toBe('dropped');
});
