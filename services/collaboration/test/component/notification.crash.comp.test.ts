import { sql } from '@switchyard/database/sql';
import { dieAt, eventually, terminate } from '@switchyard/testkit';
import { created, type Installation, startInstallation } from '../support/installation';

let here: Installation;

beforeAll(async () => {
  here = await startInstallation();
});
afterAll(() => here.close());

it.each(['notification.decided', 'notification.committed'])(
  'a process that dies at %s decides once after its restart, and queues one mail',
  async (point) => {
    await here.db.query(sql`truncate notification_events, mails, mail_parts, ledger_entries`);
    const group = here.directory.namespace();
    const projectId = here.directory.project(group.id).id;
    const [ada, bob] = [here.directory.user(), here.directory.user()];
    for (const { id } of [ada, bob]) here.directory.member(id, { namespaceId: group.id }, 40);
    const target = { id: projectId, iid: 1, projectId, title: 'Change', authorId: ada.id, assigneeIds: [bob.id] };
    here.targets.set(target.id, target);
    await dieAt(point, here.startProcess, async () => {
      await here.publish(target, created([bob.id]), { actorId: ada.id });
    });

    const next = await here.startProcess();
    // The process that died holds its lease on the event.
    await here.db.query(sql`
      with due as (update notification_events set due_at = now() - interval '1 second' where state = 'waiting')
      select pg_notify('switchyard_notification_events', '')`);
    await eventually(
      async () => {
        expect(await here.db.query(sql`select state from notification_events`)).toEqual([{ state: 'decided' }]);
        expect(
          await here.db.query(sql`select p.reason, m.user_id from mail_parts p join mails m on m.id = p.mail_id`),
        ).toEqual([{ reason: 'assigned', user_id: bob.id }]);
        expect(
          await here.db.query(sql`select event, decision from ledger_entries
            where channel = 'mail' and user_id = ${bob.id}`),
        ).toEqual([{ event: 'new_merge_request', decision: 'send' }]);
      },
      { within: 20_000 },
    );
    expect(await terminate(next)).toBe(0);
  },
);
