import { eventually } from '@switchyard/testkit';
import {
  deletedUserPoints,
  epicPoints,
  eventPoints,
  issuePoints,
  notePoints,
  openingPoints,
} from '../../e2e/support/fault-points';
import { expectOneTodoPerReview, expectSettled } from '../../e2e/support/oracles';
import { atEach, type Chosen, type Ground } from './ground';

/** Notes, issues and epics, to-dos and activities, and a user who goes. */
export function collaborationDeaths(chosen: Chosen, here: () => Ground): void {
  atEach(chosen(notePoints))(
    'at %s: the note is there once or not at all, and counted, as is its time',
    async (point) => {
      const { system, fixture, requests, proposal, fired } = here();
      const { iid } = await proposal();
      const notes = async () =>
        (await fixture.ok('GET', `${requests}/${iid}/notes?activity_filter=only_comments`)) as { body: string }[];
      system.arm(point);
      const write = () => system.api('POST', `${requests}/${iid}/notes`, { body: { body: `at ${point}\n/spend 1h` } });
      await write().catch(() => undefined);
      await fired();
      const before = await eventually(notes, { within: 30_000, every: 100 });
      expect(before.length).toBe(point === 'note.written' ? 0 : 1);
      if (before.length === 0)
        await eventually(async () => expect((await write()).status).toBe(201), { within: 30_000, every: 100 });
      expect((await notes()).map(({ body }) => body)).toEqual([`at ${point}`]);
      const logs = (await fixture.ok('GET', `${requests}/${iid}/timelogs`)) as { time_spent: number }[];
      expect(logs.map(({ time_spent }) => time_spent)).toEqual([3_600]);
      await eventually(async () => expect((await fixture.ok('GET', `${requests}/${iid}`)).user_notes_count).toBe(1), {
        within: 30_000,
        every: 100,
      });
      await expectSettled(system);
    },
  );

  it.each([...chosen(issuePoints), ...chosen(epicPoints)])(
    'at %s: what is opened is there once or not at all, and can be opened again',
    async (point) => {
      const { system, fixture, fired } = here();
      const path = point.replace('.', '-');
      const group = await fixture.ok('POST', '/groups', { name: path, path });
      const kind = point.startsWith('epic') ? `/groups/${group.id}/epics` : `/projects/${fixture.projectId}/issues`;
      const found = async () => (await fixture.ok('GET', `${kind}?search=${point}`)) as { iid: number }[];
      system.arm(point);
      const open = () => system.api('POST', kind, { body: { title: `at ${point}` } });
      await open().catch(() => undefined);
      await fired();
      const before = await eventually(found, { within: 30_000, every: 100 });
      expect(before.length).toBe(point.endsWith('.written') ? 0 : 1);
      if (before.length === 0)
        await eventually(async () => expect((await open()).status).toBe(201), { within: 30_000, every: 100 });
      expect(await found()).toHaveLength(1);
      await expectSettled(system);
    },
  );

  atEach(chosen(deletedUserPoints))('at %s: a user is gone with what they wrote', async (point) => {
    const { system, fixture, fired } = here();
    const name = 'leaver';
    const user = await fixture.ok('POST', '/users', {
      ...{ name, username: name, email: `${name}@example.com`, force_random_password: true },
    });
    await fixture.ok('POST', `/projects/${fixture.projectId}/members`, { user_id: user.id, access_level: 30 });
    const { token } = await fixture.ok('POST', `/users/${user.id}/personal_access_tokens`, { name, scopes: ['api'] });
    const issues = `/projects/${fixture.projectId}/issues`;
    await fixture.ok('POST', issues, { title: `at ${point}` }, token);
    await expectSettled(system);
    system.arm(point);
    await fixture.ok('DELETE', `/users/${user.id}?hard_delete=true`);
    await fired();
    await eventually(async () => expect(await fixture.ok('GET', `${issues}?search=${point}`)).toEqual([]), {
      within: 60_000,
      every: 200,
    });
    expect((await system.api('GET', `/users/${user.id}`)).status).toBe(404);
    await expectSettled(system);
  });

  atEach(chosen(eventPoints))('at %s: the to-do exists exactly once', async (point) => {
    const { system, fixture, requests, proposal, fired } = here();
    const { iid } = await proposal();
    await expectSettled(system);
    system.arm(point);
    await fixture.ok('PUT', `${requests}/${iid}`, { reviewer_ids: [fixture.reviewer.id] });
    await fired();
    const mine = async () =>
      (
        (await fixture.ok('GET', '/todos?per_page=100', undefined, fixture.reviewer.token)) as {
          project: { id: number };
          target: { iid: number };
        }[]
      )
        .filter(({ project, target }) => project.id === fixture.projectId && target.iid === iid)
        .map(({ target }) => target.iid);
    await eventually(async () => expect(await mine()).toEqual([iid]), { within: 30_000, every: 100 });
    await expectSettled(system);
    expect(await mine()).toEqual([iid]);
    await expectOneTodoPerReview(fixture);
  });

  atEach(chosen(openingPoints))(
    'at %s: the feed and the one it names show a merge request exactly once',
    async (point) => {
      const { system, fixture, requests, proposal, fired } = here();
      const named = await proposal();
      await expectSettled(system);
      system.arm(point);
      const { iid } = await proposal(`After !${named.iid}`);
      await fired();
      const feed = async (): Promise<unknown[]> =>
        (
          (await fixture.ok('GET', `/projects/${fixture.projectId}/events?target_type=merge_request&per_page=100`)) as {
            target_iid: number;
            action_name: string;
          }[]
        ).filter(({ target_iid, action_name }) => target_iid === iid && action_name === 'opened');
      const notes = async (): Promise<unknown[]> =>
        (
          (await fixture.ok('GET', `${requests}/${named.iid}/notes?per_page=100`)) as {
            system: boolean;
            body: string;
          }[]
        ).filter(({ system: by, body }) => by && body === `mentioned in merge request !${iid}`);
      await eventually(async () => expect([await feed(), await notes()]).toMatchObject([[{}], [{}]]), {
        within: 30_000,
        every: 100,
      });
      await expectSettled(system);
      expect([(await feed()).length, (await notes()).length]).toEqual([1, 1]);
    },
  );
}
