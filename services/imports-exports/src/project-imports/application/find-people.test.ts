import { findPeople } from './find-people';
import type { StageContext } from './imports.ports';

test('a forge that is slow is left after ten minutes, and what it has said stays', async () => {
  let now = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  const recorded = new Map<string, number | undefined>();
  const context = {
    ...{ import: { id: 1, author: { userId: 5 } }, project: { projectId: 7 }, signal: new AbortController().signal },
    forge: {
      async emailOf(login: string) {
        now += 240_000;
        return login === 'b' ? 'b@example.com' : undefined;
      },
    },
    people: {
      known: async (_id: number, logins: string[]) =>
        new Map(logins.filter((login) => recorded.has(login)).map((login) => [login, recorded.get(login)])),
      members: async () => [6],
      byEmail: async (_email: string, among: number[]) => among.at(-1),
      record: async (_id: number, login: string, userId: number | undefined) => void recorded.set(login, userId),
    },
  } as unknown as StageContext;
  const logins = ['a', 'b', 'c', 'd', 'e'];
  await expect(findPeople(context, logins)).rejects.toMatchObject({ kind: 'later' });
  expect([...recorded.keys()]).toEqual(['a', 'b', 'c']);
  expect((await findPeople(context, logins)).users(logins)).toEqual([6]);
  expect([...recorded.keys()]).toEqual(logins);
});
