import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, signalOf } from '@switchyard/testkit';
import { outboxBacklog } from '../src';
import { amounts, openService, type Service } from './fixture';

const events = 5;

/** A process that dies at a fault point and is started again, over any bus. */
export function faultContract(name: string, faults: string[], address: () => ['log' | 'kafka', string]): void {
  describe(`death and restart over ${name}`, () => {
    let service: Service;
    let folder: string;
    let stream: string;

    beforeEach(async () => {
      service = await openService();
      folder = mkdtempSync(join(tmpdir(), 'switchyard-faults-'));
      stream = `test.fault-${randomBytes(4).toString('hex')}`;
    });

    afterEach(async () => {
      rmSync(folder, { recursive: true });
      await service.close();
    });

    function start(count: number) {
      const child = spawn(
        process.execPath,
        [
          '--require',
          join(__dirname, '../../testkit/jest/register-ts.cjs'),
          join(__dirname, 'fault-process.ts'),
          service.home.url,
          String(count),
          stream,
          ...address(),
        ],
        {
          stdio: ['ignore', 'ignore', 'inherit'],
          env: { ...process.env, NODE_ENV: 'test', FAULT_FILE: join(folder, 'fault') },
        },
      );
      return { exited: signalOf(child), kill: () => child.kill('SIGKILL') };
    }

    test.each(faults)('killed at %s and started again, every event has one effect, in order', async (fault) => {
      writeFileSync(join(folder, 'fault'), fault);
      const killed = start(events);
      expect(await killed.exited).toBe('SIGKILL');
      expect(existsSync(join(folder, 'fault.fired'))).toBe(true);
      // The same process again appends the same ids: they are the same events.
      const second = start(events);
      await eventually(async () => expect(await amounts(service.db)).toEqual([1, 2, 3, 4, 5]), { within: 40_000 });
      await eventually(async () => expect(await outboxBacklog(service.db)).toBe(0));
      second.kill();
      await second.exited;
    });

    test('a fault of another name does not fire', async () => {
      writeFileSync(join(folder, 'fault'), 'somewhere.else');
      const running = start(1);
      await eventually(async () => expect(await amounts(service.db)).toEqual([1]), { within: 20_000 });
      expect(existsSync(join(folder, 'fault.fired'))).toBe(false);
      running.kill();
      await running.exited;
    });
  });
}
