import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDigestKey } from './read-digest-key';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-digest-key-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a key is 64 hex digits', () => {
  writeFileSync(join(folder, 'good'), `${'0f'.repeat(32)}\n`);
  expect(readDigestKey(join(folder, 'good'))).toEqual(Buffer.alloc(32, 0x0f));
});

test.each([
  ['missing', undefined],
  ['short', '0f'],
  ['text', 'x'.repeat(64)],
])('%s: the variable and the file are named', (name, content) => {
  const file = join(folder, name);
  if (content !== undefined) writeFileSync(file, content);
  expect(() => readDigestKey(file)).toThrow(`SWITCHYARD_ALERT_DIGEST_KEY_FILE: ${file} holds no usable key: `);
});
