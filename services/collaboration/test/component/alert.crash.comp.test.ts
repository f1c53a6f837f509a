import { dieAt, eventually, terminate } from '@switchyard/testkit';
import { type AlertFixture, ended, raised, startAlertFixture } from '../support/alert-fixture';

let fixture: Awaited<ReturnType<typeof startAlertFixture>>;

beforeAll(async () => {
  fixture = await startAlertFixture();
});

afterAll(() => fixture.here.close());

const stateOf = async (alert: ReturnType<AlertFixture['alert']>) =>
  (await fixture.incidents(alert)).map(({ state }) => state);

describe('a process that dies over an alert', () => {
  it.each(['alert_event.written', 'alert_event.committed'])(
    'at %s opens and closes one incident after its restart',
    async (point) => {
      const [ends, stays] = [fixture.alert(), fixture.alert()];
      await dieAt(point, fixture.here.startProcess, async () => {
        await fixture.publish(ends, raised());
        await fixture.publish({ ...ends, status: 'resolved' }, ended());
        await fixture.publish(stays, raised());
      });

      const next = await fixture.here.startProcess();
      await eventually(
        async () => expect([await stateOf(ends), await stateOf(stays)]).toEqual([['closed'], ['opened']]),
        {
          within: 20_000,
        },
      );
      expect(await terminate(next)).toBe(0);
    },
  );
});
