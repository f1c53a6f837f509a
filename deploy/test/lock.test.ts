import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processStart } from '../../libs/machine/src/processes.mjs';
import { takeLock } from '../local/lock.mjs';

type Lock = Awaited<ReturnType<typeof takeLock>> & { stopping(): void; release(): void };

describe('a lock', () => {
  let folder: string;
  let file: string;
  const take = async (timeouts = { waitMs: 0 }) => (await takeLock(file, timeouts)) as Lock;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-lock-'));
    file = join(folder, 'lock');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is held once', async () => {
    const lock = await take();
    expect(await take()).toEqual({ heldBy: process.pid });
    lock.release();
    (await take()).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('passes to one who waits while the holder is stopping', async () => {
    const lock = await take();
    lock.stopping();
    setTimeout(() => lock.release(), 150);
    expect(await takeLock(file, { waitMs: 0, stoppingWaitMs: 5_000 })).not.toHaveProperty('heldBy');
  });

  it('of a dead process is void', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    writeFileSync(file, JSON.stringify({ pid, start: '1' }));
    expect(await take()).not.toHaveProperty('heldBy');
  });

  it('of a dead process whose number another one has is void', async () => {
    writeFileSync(file, JSON.stringify({ pid: process.pid, start: `${Number(processStart(process.pid)) - 1}` }));
    expect(await take()).not.toHaveProperty('heldBy');
  });

  it('that was never fully written is void', async () => {
    writeFileSync(file, '{"pid":');
    expect(await take({ waitMs: 1_000 })).not.toHaveProperty('heldBy');
  });
});
