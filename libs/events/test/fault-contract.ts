import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atOnce, eventually, signalOf } from '@switchyard/testkit';
import { outboxBacklog } from '../src';
import { amounts, openService, type Service } from './fixture';

const events = 5;

/** A process that dies at a fault point and is started again, over any bus. */
export function faultContract(name: string, faults: string[], address: () => ['log' | 'kafka', string]): void {
  describe(`death and restart over ${name}`, () => {
    /** Appends events and takes them, in a process of its own, until it is killed. */
    function start(service: Service, folder: string, stream: string, count: number) {
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

    async function killedAt(fault: string, doomed: boolean): Promise<void> {
      const service = await openService();
      const folder = mkdtempSync(join(tmpdir(), 'switchyard-faults-'));
      const stream = `test.fault-${randomBytes(4).toString('hex')}`;
      writeFileSync(join(folder, 'fault'), fault);
      const first = start(service, folder, stream, events);
      if (doomed) expect(await first.exited).toBe('SIGKILL');
      // The same process again appends the same ids: they are the same events.
      const last = doomed ? start(service, folder, stream, events) : first;
      try {
        await eventually(async () => expect(await amounts(service.db)).toEqual([1, 2, 3, 4, 5]), { within: 90_000 });
        await eventually(async () => expect(await outboxBacklog(service.db)).toBe(0));
        expect(existsSync(join(folder, 'fault.fired'))).toBe(doomed);
      } finally {
        last.kill();
        await last.exited;
        rmSync(folder, { recursive: true });
        await service.close();
      }
    }

    const other = 'somewhere.else';
    let ended: (fault: string) => Promise<void>;
    beforeAll(() => {
      // A bus leaves to a dead process what it had for seconds, in which another test goes on.
      ended = atOnce([...faults, other], 2, (fault) => killedAt(fault, fault !== other));
    });

    test.each(faults)('killed at %s and started again, every event has one effect, in order', (fault) => ended(fault));

    test('a fault of another name does not fire', () => ended(other));
  });
}
