import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSigner, readTrustedKeys } from './identity';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-keys-'));
  writeFileSync(join(folder, 'bad.key'), 'nonsense');
  writeFileSync(join(folder, 'bad.json'), '{"gateway":"nonsense"}');
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each(['none.key', 'bad.key'])('%s: the variable and the file are named', (file) => {
  expect(() => readSigner('gateway', join(folder, file))).toThrow(
    `SWITCHYARD_IDENTITY_KEY_FILE: ${join(folder, file)} holds no usable key: `,
  );
});

test.each(['none.json', 'bad.json'])('%s: the variable and the file are named', (file) => {
  expect(() => readTrustedKeys(join(folder, file))).toThrow(
    `SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: ${join(folder, file)} holds no usable key: `,
  );
});
