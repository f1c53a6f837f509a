import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from './eventually';

/** Processes of a service, one after the other. */
export interface ServiceProcesses {
  /** Starts one, with more variables than the usual ones; settles when it listens. */
  start(environment?: Record<string, string>): Promise<ChildProcess>;
  /** Kills what still runs. */
  kill(): Promise<void>;
}

/** A service in processes of its own, by its main file and the environment it shares with the service in the test's process. */
export function serviceProcesses(
  main: string,
  environment: Record<string, string> & { readonly GRPC_PORT: string },
): ServiceProcesses {
  const children: ChildProcess[] = [];
  return {
    async start(more = {}) {
      const child = spawn(process.execPath, [main], {
        // The events of these tests go over the embedded log, also in a run over Kafka.
        env: {
          ...process.env,
          KAFKA_BROKERS: undefined,
          ...environment,
          NODE_ENV: 'test',
          LOG_LEVEL: 'error',
          ...more,
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      children.push(child);
      // A signal that comes before the process listens would end it as it ends any process.
      await eventually(() => reach(Number(environment.GRPC_PORT)), { within: 30_000 });
      return child;
    },
    async kill() {
      for (const child of children) {
        child.kill('SIGKILL');
        await signalOf(child);
      }
    },
  };
}

/** Settles with the signal that has ended a process; null where it ended by itself. */
export const signalOf = (child: ChildProcess): Promise<NodeJS.Signals | null> =>
  ended(child)
    ? Promise.resolve(child.signalCode)
    : new Promise((settle) => child.once('exit', (_code, signal) => settle(signal)));

/** Ends a process by SIGTERM; settles with its exit code. */
export async function terminate(child: ChildProcess): Promise<number | null> {
  child.kill('SIGTERM');
  await signalOf(child);
  return child.exitCode;
}

/**
 * Sees a process die at a fault point.
 * @param point `<name>[:nth]`, armed once the process is up
 * @param start starts the process with the variables it is given
 * @param work leads it to the point; given what repeats a call until that succeeds or the process is dead, since the first calls may still find
 *   a process before it dead
 */
export async function dieAt(
  point: string,
  start: (environment: Record<string, string>) => Promise<ChildProcess>,
  work: (insist: (call: () => Promise<unknown>) => Promise<void>) => Promise<unknown>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-fault-'));
  try {
    const file = join(folder, 'fault');
    const dying = await start({ FAULT_FILE: file });
    writeFileSync(file, point);
    await work(async (call) => {
      const succeeds = () =>
        call().then(
          () => true,
          () => false,
        );
      while (!(await succeeds()) && !ended(dying)) await pause(20);
    });
    expect(await signalOf(dying)).toBe('SIGKILL');
    expect(existsSync(`${file}.fired`)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const ended = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** Settles once somebody listens on the port. */
const reach = (port: number): Promise<void> =>
  new Promise((settle, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      settle();
    });
    socket.once('error', reject);
  });
