import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readKeyFile } from './read-key-file';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-key-file-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a key is 64 hex digits', () => {
  writeFileSync(join(folder, 'good'), `${'0f'.repeat(32)}\n`);
  expect(readKeyFile('THE_KEY_FILE', join(folder, 'good'))).toEqual(Buffer.alloc(32, 0x0f));
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
