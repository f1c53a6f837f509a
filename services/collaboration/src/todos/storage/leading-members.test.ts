import type { SqlExecutor } from '@switchyard/database';
import { leadingMembers } from './leading-members';

it('an event notifies at most 1,000 members of a level, and asks for none where it addresses none', async () => {
  let statements = 0;
  const tx = {
    query: async () => {
      statements += 1;
      return Array.from({ length: 1_500 }, (_, at) => ({ id: at + 1 }));
    },
  } as unknown as SqlExecutor;
  const raise = { action: 'build_failed', to: { membersFrom: 40 }, authorId: undefined } as const;
  const leading = (await leadingMembers(tx, 1, [raise])).get(40) ?? [];
  expect([leading.length, leading.at(-1), statements]).toEqual([1_000, 1_000, 1]);
  expect(await leadingMembers(tx, 1, [{ ...raise, to: { ids: [3] } }])).toEqual(new Map());
  expect(statements).toBe(1);
});
