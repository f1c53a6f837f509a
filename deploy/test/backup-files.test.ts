import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { copyTree } from '../local/copy-tree.mjs';
import { deploy } from './support/processes';

describe('the files of a backup', () => {
  const script = join(deploy, 'docker/backup-files.mjs');

  it('are copied once the databases are, while their service removes nothing, and older backups go', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-backup-files-'));
    const [data, shared] = [join(folder, 'data'), join(folder, 'shared')];
    for (const one of [join(data, 'repositories', 'a.git', 'objects'), shared]) mkdirSync(one, { recursive: true });
    writeFileSync(join(data, 'repositories', 'a.git', 'HEAD'), 'ref: refs/heads/main\n');
    linkSync(join(data, 'repositories', 'a.git', 'HEAD'), join(data, 'repositories', 'a.git', 'objects', 'same'));
    const backups = join(folder, 'backups');
    for (const [name, days] of Object.entries({ killed: 2, running: 0 })) {
      mkdirSync(join(backups, name, 'postgres'), { recursive: true });
      const began = new Date(Date.now() - days * 86_400_000);
      writeFileSync(join(backups, name, 'incomplete'), '');
      utimesSync(join(backups, name, 'incomplete'), began, began);
    }
    const backup = async (name: string, how: 'databases' | 'failed') => {
      const child = spawn(process.execPath, [script, join(backups, name), shared, '1', data]);
      const code = new Promise((settle) => child.once('exit', settle));
      await eventually(() => expect(existsSync(join(shared, 'marked'))).toBe(true), { within: 20_000 });
      expect(existsSync(join(data, 'backup-running'))).toBe(true);
      writeFileSync(join(shared, how), '');
      const ended = await code;
      expect(existsSync(join(backups, name, 'complete'))).toBe(ended === 0);
      expect(existsSync(join(backups, name, 'incomplete'))).toBe(ended !== 0);
      for (const one of readdirSync(shared)) rmSync(join(shared, one));
      expect(existsSync(join(data, 'backup-running'))).toBe(false);
      return ended;
    };
    expect(await backup('one', 'databases')).toBe(0);
    expect(readdirSync(backups).sort()).toEqual(['one', 'running']);
    const copy = join(backups, 'one', 'data', 'repositories', 'a.git');
    expect(statSync(join(copy, 'HEAD')).ino).toBe(statSync(join(copy, 'objects', 'same')).ino);
    const digest = createHash('sha256').update('ref: refs/heads/main\n').digest('hex');
    const path = 'data/repositories/a.git';
    const sums = `${digest}  ${path}/HEAD\n${digest}  ${path}/objects/same\n`;
    expect(readFileSync(join(backups, 'one', 'SHA256SUMS'), 'utf8')).toBe(sums);
    expect(await backup('two', 'failed')).toBe(1);
    expect(await backup('three', 'databases')).toBe(0);
    expect(readdirSync(backups).sort()).toEqual(['running', 'three', 'two']);
    rmSync(folder, { recursive: true });
  });

  it('that cannot be copied end the copy of the databases, too', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-backup-files-'));
    const [data, shared] = [join(folder, 'data'), join(folder, 'shared')];
    for (const one of [data, shared]) mkdirSync(one);
    writeFileSync(join(data, 'backup-running'), '');
    const { status, stderr } = spawnSync(process.execPath, [script, join(folder, 'one'), shared, '1', data]);
    expect([status, String(stderr)]).toEqual([1, expect.stringContaining('another backup runs')]);
    expect(readdirSync(shared)).toEqual(['failed']);
    rmSync(folder, { recursive: true });
  });

  it('are copied in the order in which git moves refs and objects, beside other work', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-copy-'));
    const [from, to] = [join(folder, 'a.git'), join(folder, 'copy')];
    for (const file of [
      'objects/aa/loose',
      'objects/zz/loose',
      'objects/pack/old',
      'refs/heads/main',
      'refs/tags/v1',
    ]) {
      mkdirSync(dirname(join(from, file)), { recursive: true });
      writeFileSync(join(from, file), file);
    }
    const seen: string[] = [];
    // Is asked for each name of a folder before its files are copied.
    const test = (name: string): boolean => {
      if (name === 'main' && !seen.includes(name)) renameSync(join(from, 'refs/tags/v1'), join(from, 'packed-refs'));
      if (name === 'aa') expect(existsSync(join(to, 'packed-refs'))).toBe(true);
      if (name === 'loose' && !seen.includes(name))
        renameSync(join(from, 'objects/zz/loose'), join(from, 'objects/pack/new'));
      seen.push(name);
      return false;
    };
    const other = new Promise<boolean>((settle) => setImmediate(settle, true));
    const copying = copyTree(from, to, { note: () => {}, say: () => {}, skip: { test } }).then(() => false);
    expect(await Promise.race([copying, other])).toBe(true);
    await copying;
    expect(readFileSync(join(to, 'packed-refs'), 'utf8')).toBe('refs/tags/v1');
    expect(readdirSync(join(to, 'objects/pack')).sort()).toEqual(['new', 'old']);
    rmSync(folder, { recursive: true });
  });

  it('are copied twice where they cannot be linked', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-copy-'));
    const [from, to] = [join(folder, 'from'), join(folder, 'to')];
    for (const one of [from, to]) mkdirSync(one);
    writeFileSync(join(from, 'a'), 'new');
    linkSync(join(from, 'a'), join(from, 'b'));
    for (const name of ['a', 'b']) writeFileSync(join(to, name), 'in the way of a link');
    await copyTree(from, to, { note: () => {}, say: () => {} });
    expect(['a', 'b'].map((name) => readFileSync(join(to, name), 'utf8'))).toEqual(['new', 'new']);
    rmSync(folder, { recursive: true });
  });
});
