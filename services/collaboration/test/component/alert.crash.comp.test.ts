import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { type AlertScene, ended, raised, startAlertScene } from '../support/alert-scene';

let scene: Awaited<ReturnType<typeof startAlertScene>>;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-alert-fault-'));
  scene = await startAlertScene();
});

afterAll(async () => {
  await scene.here.close();
  rmSync(folder, { recursive: true, force: true });
});

const end = (child: ChildProcess) =>
  new Promise<NodeJS.Signals | null>((settle) => child.once('exit', (_code, signal) => settle(signal)));

const stateOf = async (alert: ReturnType<AlertScene['alert']>) =>
  (await scene.incidents(alert)).map(({ state }) => state);

describe('a process that dies over an alert', () => {
  it.each(['alert_event.written', 'alert_event.committed'])(
    'at %s opens and closes one incident after its restart',
    async (point) => {
      const file = join(folder, point);
      writeFileSync(file, point);
      const dying = await scene.here.startProcess({ FAULT_FILE: file });
      const [ends, stays] = [scene.alert(), scene.alert()];
      const gone = end(dying);
      await scene.tell(ends, raised());
      await scene.tell({ ...ends, status: 'resolved' }, ended());
      await scene.tell(stays, raised());
      expect(await gone).toBe('SIGKILL');
      expect(existsSync(`${file}.fired`)).toBe(true);

      const next = await scene.here.startProcess();
      await eventually(
        async () => expect([await stateOf(ends), await stateOf(stays)]).toEqual([['closed'], ['opened']]),
        {
          within: 20_000,
        },
      );
      const stopped = end(next);
      next.kill('SIGTERM');
      await stopped;
      expect(next.exitCode).toBe(0);
    },
  );
});
