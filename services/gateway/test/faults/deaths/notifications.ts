import { eventually } from '@switchyard/testkit';
import { changePoints, deliveryPoints, notificationPoints } from '../../e2e/support/fault-points';
import { expectSettled } from '../../e2e/support/oracles';
import { startReceiver } from '../../e2e/support/receiver';
import { atEach, type Chosen, type Ground } from './ground';

/** What is sent out of what happened: the change feed, mails and webhooks. */
export function notificationDeaths(chosen: Chosen, here: () => Ground): void {
  atEach(chosen(changePoints))(
    'at %s: what happened is in the change feed once, and its places have no gap',
    async (point) => {
      const { system, fixture, fired } = here();
      const feed = async () => (await fixture.ok('GET', `/projects/${fixture.projectId}/changes`)).changes;
      system.arm(point);
      const { iid } = await fixture.ok('POST', `/projects/${fixture.projectId}/issues`, { title: `at ${point}` });
      await fired();
      const of = async () =>
        (await feed()).filter(
          ({ kind, body }: { kind: string; body: { object_attributes: { iid: number } } }) =>
            kind === 'issue' && body.object_attributes.iid === iid,
        );
      await eventually(async () => expect(await of()).toHaveLength(1), { within: 30_000, every: 200 });
      await expectSettled(system);
      expect(await of()).toMatchObject([{ action: 'open', body: { object_kind: 'issue' } }]);
    },
  );

  atEach(chosen(notificationPoints))(
    'at %s: a mention leads to one mail, with one line in the ledger',
    async (point) => {
      const { system, fixture, fired } = here();
      system.arm(point);
      const { id } = await fixture.ok('POST', `/projects/${fixture.projectId}/issues`, {
        title: `at ${point}`,
        description: 'See this, @reviewer',
      });
      await fired();
      const mailed = async () =>
        (
          (await fixture.ok('GET', `/notifications/ledger?target=Issue:${id}`, undefined, fixture.reviewer.token)) as {
            channel: string;
            decision: string;
            rule: string;
          }[]
        ).filter(({ channel }) => channel === 'mail');
      await eventually(
        async () => {
          // What a dead process has taken is left to it for two minutes.
          await system.query('collaboration', "update notification_events set due_at = now() where state = 'waiting'");
          expect(await mailed()).toHaveLength(1);
        },
        { within: 60_000, every: 1_000 },
      );
      await expectSettled(system);
      expect(await mailed()).toMatchObject([{ decision: 'send', rule: 'mention' }]);
      const mails = await system.query(
        'collaboration',
        `select m.user_id::int as to from mail_parts p join mails m on m.id = p.mail_id
      join notification_events e on e.id = p.event_id where e.subject_type = 'Issue' and e.subject_id = ${id}`,
      );
      expect(mails).toEqual([{ to: fixture.reviewer.id }]);
    },
  );

  atEach(chosen(deliveryPoints))('at %s: a webhook gets an event, at most again with the same key', async (point) => {
    const { system, fixture, work, push, fired } = here();
    const receiver = await startReceiver();
    const project = `/projects/${fixture.projectId}`;
    const hook = await fixture.ok('POST', `${project}/hooks`, { url: receiver.url, push_events: true });
    const name = `topic-${point}`;
    const isOf =
      (branch: string) =>
      ({ ref }: { ref: string }) =>
        ref === `refs/heads/${branch}`;
    const isDelivered = (branch: string) =>
      eventually(
        async () =>
          expect(
            (await fixture.all(`${project}/hooks/${hook.id}/events`))
              .filter((one) => isOf(branch)(one.request_data))
              .map((one) => one.response_status),
          ).toEqual(['200']),
        { within: 120_000, every: 500 },
      );
    // Earlier pushes may reach the hook late: the point must fire at this one's delivery, not at theirs.
    await work.branch(`before-${name}`);
    await push(`before-${name}`);
    await isDelivered(`before-${name}`);
    await work.branch(name);
    system.arm(point);
    await push(name);
    await fired();
    // As if the minute of the dead process's lease were over; the next process has not started yet.
    if (point === 'delivery.sent')
      await system.query('groups_admin', 'update delivery_lanes set due_at = now() where lease is not null');
    await isDelivered(name);
    const keys = receiver.received.flatMap(({ headers, body }) =>
      isOf(name)(JSON.parse(body)) ? headers['idempotency-key'] : [],
    );
    expect(keys).toEqual(Array.from({ length: point === 'delivery.sent' ? 2 : 1 }, () => keys[0]));
    await fixture.ok('DELETE', `${project}/hooks/${hook.id}`);
    await receiver.close();
  });
}
