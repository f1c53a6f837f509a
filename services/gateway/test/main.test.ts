import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const program = join(__dirname, '../dist/main.js');

it('the gateway has no sub-commands, and starts for none', () => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [program, 'migrate'], { encoding: 'utf8' });
  expect([status, stderr, stdout]).toEqual([2, 'migrate: is not known; the gateway has no sub-commands\n', '']);
});

it('names what is missing in one line, with the exit code of a refused configuration', () => {
  const { status, stderr } = spawnSync(process.execPath, [program], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  expect([status, stderr]).toEqual([78, expect.stringMatching(/^gateway: SWITCHYARD_[A-Z_]+: .+\n$/)]);
});
