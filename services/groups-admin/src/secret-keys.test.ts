import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { derivedKeys } from './secret-keys';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-secret-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [newer, older] = ['n'.repeat(32), 'o'.repeat(32)];
const file = join(folder, 'secret');
const keys = (secret: string | undefined) =>
  derivedKeys({ SWITCHYARD_SECRET: secret, SWITCHYARD_SECRET_FILE: file }, 'test')();

test('the file goes before the variable, which may name a secret of it and no other one', () => {
  writeFileSync(file, `${newer}\n${older}\n`);
  expect(keys(older)).toEqual(keys(undefined));
  expect(keys(undefined)).toHaveLength(2);
  expect(() => keys('a'.repeat(32))).toThrow(/^SWITCHYARD_SECRET: is not the secret in SWITCHYARD_SECRET_FILE/);
});

test('a short secret names its variable', () => {
  writeFileSync(file, 'short\n');
  expect(() => keys(undefined)).toThrow('SWITCHYARD_SECRET_FILE: must have at least 32 characters');
});
