import { dieAt, eventually, terminate } from '@switchyard/testkit';
import { type AlertScene, ended, raised, startAlertScene } from '../support/alert-scene';

let scene: Awaited<ReturnType<typeof startAlertScene>>;

beforeAll(async () => {
  scene = await startAlertScene();
});

afterAll(() => scene.here.close());

const stateOf = async (alert: ReturnType<AlertScene['alert']>) =>
  (await scene.incidents(alert)).map(({ state }) => state);

describe('a process that dies over an alert', () => {
  it.each(['alert_event.written', 'alert_event.committed'])(
    'at %s opens and closes one incident after its restart',
    async (point) => {
      const [ends, stays] = [scene.alert(), scene.alert()];
      await dieAt(point, scene.here.startProcess, async () => {
        await scene.tell(ends, raised());
        await scene.tell({ ...ends, status: 'resolved' }, ended());
        await scene.tell(stays, raised());
      });

      const next = await scene.here.startProcess();
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
