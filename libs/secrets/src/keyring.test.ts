import { parseEnvironment } from '@switchyard/config';
import { encryptionVariables, openKeyring } from './configuration';
import { deriveKey, keyring } from './keyring';
import type { Keys } from './read-key-file';

const [first, second] = ['first', 'second'].map((material) => deriveKey(material.repeat(8), 'test')) as [
  Buffer,
  Buffer,
];

test('D7: a value is decrypted for its own row alone, and two encryptions of a text differ', () => {
  const ring = keyring([first]);
  const text = 'pässword \u{1f511}\n';
  const sealed = ring.encrypt('variable 1', text);
  expect(ring.decrypt('variable 1', sealed)).toBe(text);
  expect(ring.decrypt('empty', ring.encrypt('empty', ''))).toBe('');
  expect(ring.encrypt('variable 1', text).equals(sealed)).toBe(false);
  expect(sealed.includes('ssword')).toBe(false);
  expect(() => ring.decrypt('variable 2', sealed)).toThrow(/^variable 2 cannot be decrypted/);
});

test('a value that was changed anywhere is not decrypted', () => {
  const ring = keyring([first]);
  const sealed = ring.encrypt('row', 'secret');
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => ring.decrypt('row', changed)).toThrow(/^row (is encrypted with key|cannot be decrypted)/);
  }
  for (const length of [0, 1, 5, 20, sealed.length - 1]) {
    expect(() => ring.decrypt('row', sealed.subarray(0, length))).toThrow(/^row /);
  }
});

test('the first key encrypts, the others decrypt, and a key that is not there is named', () => {
  const [old, both, without] = [keyring([first]), keyring([second, first]), keyring([second])];
  const sealed = old.encrypt('row', 'secret');
  expect(both.decrypt('row', sealed)).toBe('secret');
  expect(both.keyId).toEqual(without.keyId);
  expect(without.decrypt('row', both.encrypt('row', 'secret'))).toBe('secret');
  expect(() => without.decrypt('row', sealed)).toThrow(
    `row is encrypted with key ${old.keyId.toString('hex')}, which SWITCHYARD_ENCRYPTION_SECRETS does not have`,
  );
});

test('keys follow from the list of secrets, the key of SWITCHYARD_SECRET last', () => {
  const open = (list: string, label = 'test') =>
    openKeyring(parseEnvironment(encryptionVariables, { SWITCHYARD_ENCRYPTION_SECRETS: list }), label, () => base);
  let base: Keys = [first];
  const [newer, older] = ['n'.repeat(32), 'o'.repeat(32)];
  expect(open('').keyId).toEqual(keyring([first]).keyId);
  const ring = open(` ${newer} , ${older}`);
  expect(ring.keyId).toEqual(open(newer).keyId);
  for (const past of [open(older), open('')]) {
    expect(ring.decrypt('row', past.encrypt('row', 'secret'))).toBe('secret');
  }
  expect(open(newer, 'another label').keyId).not.toEqual(open(newer).keyId);
  // The first rotation of a cluster: every replica decrypts with the new key before one encrypts with it.
  const prepared = open(`secret,${newer}`);
  expect(prepared.keyId).toEqual(open('').keyId);
  expect(prepared.decrypt('row', open(newer).encrypt('row', 'secret'))).toBe('secret');
  // The key of the secret changes: what both encrypted is read until the old one is gone.
  const [changing, listed] = [open(''), open(newer)];
  const [before, ofList] = [changing.encrypt('row', 'before'), listed.keyId];
  base = [second, first];
  expect([changing.keyId, listed.keyId]).toEqual([keyring([second]).keyId, ofList]);
  const after = changing.encrypt('row', 'after');
  expect([before, after].map((sealed) => changing.decrypt('row', sealed))).toEqual(['before', 'after']);
  base = [second];
  expect(changing.decrypt('row', after)).toBe('after');
  expect(() => changing.decrypt('row', before)).toThrow(/is encrypted with key/);
  expect(() => open(`${newer},short`)).toThrow(/^SWITCHYARD_ENCRYPTION_SECRETS: must be a list/);
});
