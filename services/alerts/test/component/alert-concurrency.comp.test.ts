import { sql } from '@switchyard/database/sql';
import { dieAt, eventually } from '@switchyard/testkit';
import fc from 'fast-check';
import { type Installation, startInstallation } from '../support/installation';
import {
  amGroup,
  amItem,
  type ReceiptItem,
  type SenderReply,
  type WatchedProject,
  watchedProject,
} from '../support/watched-project';

let here: Installation;
let twin: Awaited<ReturnType<Installation['startBeside']>>;

beforeAll(async () => {
  here = await startInstallation();
  twin = await here.startBeside();
});

afterAll(async () => {
  await twin?.close();
  await here?.close();
});

const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** Half of the senders come to one process, half to the other. */
const by = (at: number) => (at % 2 === 0 ? here : twin);

describe('many senders at once, to two processes on one database', () => {
  it('of one fingerprint raise one alert, and each is counted', async () => {
    const project = await watchedProject(here);
    const replies = await Promise.all(times(64, (at) => project.send(amGroup([amItem(), amItem()]), { by: by(at) })));
    expect(replies.every(({ status, body }) => status === 200 && body.length === 1 && body[0].iid === 1)).toBe(true);
    expect(await project.alerts()).toMatchObject([{ iid: 1, status: 0, events: 128 }]);
    const outcomes = (await Promise.all(replies.map(project.receipt))).flat().map(({ outcome }) => outcome);
    expect(outcomes.filter((one) => one === 'created')).toHaveLength(1);
    expect(outcomes.filter((one) => one === 'counted')).toHaveLength(127);
  });

  it('of several projects in any order neither wait in a circle nor leave gaps in the numbers', async () => {
    const projects = await Promise.all(times(4, () => watchedProject(here)));
    const sent = times(80, (at) => at).map((at) =>
      (projects[at % 4] as WatchedProject).send({ title: `t${at}` }, { by: by(at >> 2) }),
    );
    expect((await Promise.all(sent)).every(({ status }) => status === 200)).toBe(true);
    for (const project of projects) {
      expect((await project.alerts()).map(({ iid }) => iid)).toEqual(times(20, (at) => at + 1));
    }
  });

  it('that end and raise at once leave one unresolved at the most', async () => {
    const project = await watchedProject(here);
    const messages = times(40, (at) =>
      at % 2 === 0 ? { fingerprint: 'x' } : { fingerprint: 'x', status: 'resolved' },
    );
    await Promise.all(messages.map((message, at) => project.send(message, { by: by(at >> 1) })));
    const alerts = await project.alerts();
    expect(alerts.filter(({ status }) => status !== 2).length).toBeLessThanOrEqual(1);
    const [{ events = 0 } = {}] = await here.db.query<{ events: number }>(
      sql`select count(*) as events from events.outbox where key in (select id::text from alerts where project_id = ${project.id})`,
    );
    expect(events).toBe(alerts.length + alerts.filter(({ status }) => status === 2).length);
  });
});

/**
 * Episodes of some label sets, reported as Alertmanager does: the messages of each, and its state after all of them.
 */
interface Sequence {
  readonly messages: readonly object[][];
  readonly lastIsOpen: readonly boolean[];
}

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString();

const sequence: fc.Arbitrary<Sequence> = fc
  .array(
    fc.record({
      spans: fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })), {
        minLength: 1,
        maxLength: 3,
      }),
      open: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .chain((courses) => {
    const items = courses.flatMap(({ spans, open }, course) => {
      let minute = 0;
      return spans.flatMap(([pause, length], index) => {
        const startsAt = at(minute + pause);
        minute += pause + length;
        const fires = amItem({ fingerprint: `course${course}`, startsAt });
        const ends = { ...fires, status: 'resolved', endsAt: at(minute) };
        return open && index === spans.length - 1 ? [fires] : [fires, ends];
      });
    });
    return fc
      .array(fc.constantFrom(...items), { maxLength: 10 })
      .chain((more) => {
        const all = [...items, ...more];
        return fc.tuple(fc.shuffledSubarray(all, { minLength: all.length }), fc.integer({ min: 1, max: 4 }));
      })
      .map(([all, size]) => ({
        messages: times(Math.ceil(all.length / size), (index) => all.slice(index * size, (index + 1) * size)),
        lastIsOpen: courses.map(({ open }) => open),
      }));
  });

describe('random episodes, their messages in any order, several times and at once', () => {
  it('end in the state that the last message of each reports, and every item has an outcome', async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async ({ messages, lastIsOpen }) => {
        const project = await watchedProject(here);
        const replies: SenderReply[] = await Promise.all(
          messages.map((items, index) => project.send(amGroup(items), { by: by(index) })),
        );
        const receipts: ReceiptItem[][] = await Promise.all(replies.map(project.receipt));
        expect(receipts.map((items) => items.length)).toEqual(messages.map((items) => items.length));
        expect(
          receipts.flat().every(({ outcome }) => ['created', 'counted', 'resolved', 'ignored'].includes(outcome)),
        ).toBe(true);
        const alerts = await here.db.query<{ fingerprint: string; open: number; events: number; made: number }>(sql`
          select fingerprint, count(*) filter (where status <> 2)::int as open, sum(events)::int as events, count(*)::int as made
          from alerts where project_id = ${project.id} group by fingerprint`);
        const count = (wanted: string) => receipts.flat().filter(({ outcome }) => outcome === wanted).length;
        const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
        expect(sum(alerts.map(({ made }) => made))).toBe(count('created'));
        expect(sum(alerts.map(({ events }) => events))).toBe(count('created') + count('counted'));
        expect(alerts.every(({ open }) => open <= 1)).toBe(true);
        expect(sum(alerts.map(({ open }) => open))).toBe(lastIsOpen.filter(Boolean).length);
      }),
      { numRuns: 25 },
    );
  });
});

describe('a process that dies over a payload', () => {
  const projects: WatchedProject[] = [];

  beforeAll(async () => {
    projects.push(await watchedProject(here), await watchedProject(here));
    await here.stop();
  });

  it.each([
    ['alert.batch_written', 1],
    ['alert.batch_committed', 2],
  ] as const)('at %s leaves its sender to send again, which doubles nothing', async (point, events) => {
    const project = projects.shift() as WatchedProject;
    const message = amGroup([amItem()]);
    await dieAt(point, here.startProcess, () => expect(project.send(message)).rejects.toThrow('unavailable'));

    await here.start();
    await eventually(async () => expect((await project.send(message)).body).toEqual([{ iid: 1, title: 'Down' }]), {
      within: 10_000,
    });
    expect(await project.alerts()).toMatchObject([{ iid: 1, status: 0, events }]);
    await here.stop();
  });
});
