import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

/**
 * The named places of this lib at which a process may die: before and after each commit and publish.
 * Services append their own names to it, so that one test can walk the whole catalogue.
 */
export const faultPoints: string[] = ['outbox.claimed', 'outbox.published', 'consumer.committed'];

interface Fault {
  name: string;
  /** Which passing of the point fires, from 1. */
  nth: number;
}

function parseFault(): Fault | undefined {
  if (process.env.NODE_ENV !== 'test' || !process.env.FAULT) return undefined;
  const match = /^([a-z0-9_.-]+):crash(?::(\d+))?$/.exec(process.env.FAULT);
  if (!match?.[1]) throw new Error(`FAULT is not <name>:crash[:nth]: ${process.env.FAULT}`);
  return { name: match[1], nth: Number(match[2] ?? 1) };
}

const fault = parseFault();
let passed = 0;

function die(name: string): void {
  const file = process.env.FAULT_FIRED_FILE;
  if (file) {
    // On disk before the process dies: a fault that never fired must fail its test.
    const handle = openSync(file, 'a');
    writeSync(handle, `${name}\n`);
    fsyncSync(handle);
    closeSync(handle);
  }
  process.kill(process.pid, 'SIGKILL');
}

/**
 * Marks a place at which the process may die. Does nothing unless `NODE_ENV=test` and `FAULT=<name>:crash[:nth]` names it: then the
 * nth passing kills the process with SIGKILL, having written the name to `$FAULT_FIRED_FILE`.
 */
export function faultPoint(name: string): void {
  if (fault === undefined || fault.name !== name) return;
  passed += 1;
  if (passed === fault.nth) die(name);
}
