import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ports-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Asks for a port in a process of its own, which reads and writes claims in `folder`. */
const ask = () =>
  spawnSync(
    process.execPath,
    [
      '-e',
      `import(${JSON.stringify(join(__dirname, '../src/ports.mjs'))}).then(async (ports) => console.log(await ports.freePort()))`,
    ],
    { env: { ...process.env, TMPDIR: folder }, encoding: 'utf8' },
  );

function claimAll(pid: number): void {
  mkdirSync(join(folder, 'switchyard-ports'));
  for (let port = 20_000; port < 32_000; port += 1) {
    writeFileSync(join(folder, 'switchyard-ports', String(port)), String(pid));
  }
}

test('a port that a living process has given away is not given away again', () => {
  claimAll(process.pid);
  expect(ask()).toMatchObject({ status: 1, stderr: expect.stringContaining('no free port') });
});

test('claims of a process that is dead count for nothing', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  claimAll(pid);
  expect(Number(ask().stdout)).toBeGreaterThanOrEqual(20_000);
});

test('claims go with their process', () => {
  expect(ask().status).toBe(0);
  expect(existsSync(join(folder, 'switchyard-ports'))).toBe(false);
});
