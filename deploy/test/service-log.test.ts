import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openServiceLog } from '../local/service-log.mjs';

describe('a service log', () => {
  let folder: string;
  let shown: string[];
  let time: number;

  const open = (maxBytes?: number) =>
    openServiceLog(join(folder, 'one.log'), {
      name: 'one',
      show: (line: string) => shown.push(line),
      maxBytes,
      now: () => time,
    });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-log-'));
    shown = [];
    time = 0;
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('writes everything and shows errors alone, however the output is cut', () => {
    const log = open();
    log.take('{"level":30,"msg":"fine"}\n{"level":50,"msg":"bro');
    log.take('ken","err":{"message":"no disk"}}\n{"level":"error","msg":"by name"}\nTypeError: x is not a function\n');
    log.close();
    expect(shown).toEqual(['one: broken: no disk', 'one: by name', 'one: TypeError: x is not a function']);
    expect(log.lastError()).toBe('TypeError: x is not a function');
    expect(readFileSync(join(folder, 'one.log'), 'utf8').split('\n')).toHaveLength(5);
  });

  it('shows three errors in ten seconds and counts the others', () => {
    const log = open();
    for (let error = 0; error < 10; error++) log.take(`{"level":50,"msg":"error ${error}"}\n`);
    expect(shown).toHaveLength(3);
    time = 10_001;
    log.take('{"level":50,"msg":"later"}\n');
    expect(shown.slice(3)).toEqual([`one: 7 more errors in ${join(folder, 'one.log')}`, 'one: later']);
    log.close();
  });

  it('rotates when opened and when full, and keeps three older files', () => {
    for (let start = 1; start <= 6; start++) {
      const log = open();
      log.take(`start ${start}\n`);
      log.close();
    }
    const content = (suffix: string) => readFileSync(join(folder, `one.log${suffix}`), 'utf8');
    expect([content(''), content('.1'), content('.3')]).toEqual(['start 6\n', 'start 5\n', 'start 3\n']);
    expect(existsSync(join(folder, 'one.log.4'))).toBe(false);

    const log = open(10);
    for (const line of ['first line\n', 'second line\n']) log.take(line);
    log.close();
    expect([content(''), content('.1')]).toEqual(['second line\n', 'first line\n']);
  });
});
