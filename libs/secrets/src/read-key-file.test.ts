import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followKeyFile, readKeyFile } from './read-key-file';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-key-file-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a key is 64 hex digits', () => {
  writeFileSync(join(folder, 'good'), `${'0f'.repeat(32)}\n`);
  expect(readKeyFile('THE_KEY_FILE', join(folder, 'good'))).toEqual(Buffer.alloc(32, 0x0f));
});

test('keys that change are read again', () => {
  const [one, two] = ['01', '02'].map((digits) => digits.repeat(32));
  const file = join(folder, 'changing');
  writeFileSync(file, `${one}\n`);
  const now = jest.spyOn(performance, 'now').mockReturnValue(0);
  const keys = followKeyFile('THE_KEY_FILE', file);
  const before = keys();
  writeFileSync(file, `${two}\n${one}\n`);
  expect(keys()).toBe(before);
  now.mockReturnValue(1_001);
  expect(keys()).toEqual([Buffer.alloc(32, 2), Buffer.alloc(32, 1)]);
  expect(() => readKeyFile('THE_KEY_FILE', file)).toThrow(/holds no usable key: it has more than one/);
  writeFileSync(file, 'rubbish');
  now.mockReturnValue(2_002);
  expect(keys()).toHaveLength(2);
  now.mockRestore();
});

test.each([
  ['missing', undefined],
  ['short', '0f'],
  ['text', 'x'.repeat(64)],
])('%s: the variable and the file are named', (name, content) => {
  const file = join(folder, name);
  if (content !== undefined) writeFileSync(file, content);
  expect(() => readKeyFile('THE_KEY_FILE', file)).toThrow(`THE_KEY_FILE: ${file} holds no usable key: `);
});
