import { findPeople } from './find-people';
import type { StageContext } from './imports.ports';

test('a forge that is slow is left after ten minutes, and what it has said stays; placeholders stand for the unknown', async () => {
  let now = 0;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
  const recorded = new Map<string, number>();
  const standIns: string[] = [];
  const context = {
    ...{
      import: { id: 1, author: { userId: 5, admin: true } },
      project: { projectId: 7, directorySequence: 41 },
      signal: new AbortController().signal,
    },
    forge: {
      async profileOf(login: string) {
        now += 240_000;
        return login === 'b' ? { id: '2', name: 'Bea', email: 'b@example.com' } : undefined;
      },
    },
    people: {
      ghost: async () => 3,
      known: async (_id: number, logins: string[]) =>
        new Map(logins.filter((login) => recorded.has(login)).map((login) => [login, recorded.get(login)])),
      members: async () => [6],
      byEmail: async (_email: string, among: number[]) => among.at(-1),
      standIn: async (_target: object, { foreignId }: { foreignId: string }) => {
        standIns.push(foreignId);
        if (foreignId === 'login:e') return undefined;
        return { userId: 90 + standIns.length, directorySequence: 40 + standIns.length };
      },
      record: async (_id: number, login: string, userId: number) => void recorded.set(login, userId),
    },
  } as unknown as StageContext;
  const logins = ['a', 'b', 'c', 'd', 'e'];
  await expect(findPeople(context, logins)).rejects.toMatchObject({ kind: 'later' });
  expect([...recorded.keys()]).toEqual(['a', 'b', 'c']);
  const found = await findPeople(context, logins);
  expect(found.users(logins)).toEqual([91, 6, 92, 93]);
  // One too many is the ghost, and is assigned and approves nothing.
  expect(found.writer('e')).toBe(3);
  expect(found.project.directorySequence).toBe(43);
  expect(standIns).toEqual(['login:a', 'login:c', 'login:d', 'login:e']);
  expect([...recorded.keys()]).toEqual(logins);
});
