import { deleteOrphans } from './delete-orphans';

test('accounts that cannot be deleted hold up no others', async () => {
  const accounts = Array.from({ length: 120 }, (_, index) => index + 1);
  const deleted: number[] = [];
  await deleteOrphans({
    orphans: async (after, limit) =>
      accounts
        .filter((id) => id > after)
        .slice(0, limit)
        .map((id) => ({ id })),
    deleteUser: async (userId) => {
      if (userId <= 60) throw new Error('it owns a group alone');
      deleted.push(userId);
    },
  })(new AbortController().signal);
  expect(deleted).toEqual(accounts.slice(60));
});
