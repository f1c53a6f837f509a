import { deriveKey, keyring } from './keyring';
import { type EncryptedTable, reportRotation, rotateSecrets } from './rotate-secrets';

const old = deriveKey('old', 'test');
const [before, after] = [keyring([old]), keyring([deriveKey('new', 'test'), old])];

/** A table in memory; `write` runs before each replacement. */
function tableOf(rows: Map<number, Buffer | string>, write: (id: number) => void = () => undefined) {
  let reads = 0;
  const table: EncryptedTable = {
    name: 'things',
    async staleAfter(id, keyId, limit) {
      reads += 1;
      return [...rows]
        .filter(([at, stored]) => at > id && !(Buffer.isBuffer(stored) && stored.subarray(1, 5).equals(keyId)))
        .slice(0, limit)
        .map(([at, stored]) => ({ id: at, identity: `thing ${at}`, stored }));
    },
    async replace(row, sealed) {
      write(row.id);
      if (rows.get(row.id) !== row.stored) return false;
      rows.set(row.id, sealed);
      return true;
    },
  };
  return { table, reads: () => reads };
}

const filled = (count: number) =>
  new Map<number, Buffer | string>(
    Array.from({ length: count }, (_, at) => [at + 1, before.encrypt(`thing ${at + 1}`, `secret ${at + 1}`)]),
  );

test('every value is encrypted with the new key, in batches; a second run finds nothing', async () => {
  const rows = filled(450);
  rows.set(451, 'never encrypted');
  const { table, reads } = tableOf(rows);
  expect(await rotateSecrets(table, after)).toMatchObject({ rotated: 451, changed: 0, unreadable: 0 });
  // Four find rows; the last is the pass that finds none.
  expect(reads()).toBe(5);
  const next = keyring([deriveKey('new', 'test')]);
  for (const [id, stored] of rows) {
    expect(next.decrypt(`thing ${id}`, stored as Buffer)).toBe(id === 451 ? 'never encrypted' : `secret ${id}`);
  }
  expect((await rotateSecrets(table, after)).rotated).toBe(0);
});

test('a change at the same time is kept, and is encrypted by the next pass', async () => {
  const rows = filled(3);
  let changes = 0;
  const { table } = tableOf(rows, (id) => {
    if (id !== 2 || changes > 0) return;
    changes += 1;
    rows.set(2, before.encrypt('thing 2', 'changed'));
  });
  expect(await rotateSecrets(table, after)).toMatchObject({ rotated: 3, changed: 1 });
  expect(after.decrypt('thing 2', rows.get(2) as Buffer)).toBe('changed');
});

test('a row that is written with the old key behind the pass is found by the next', async () => {
  const rows = filled(3);
  const { table } = tableOf(rows, (id) => {
    if (id === 3) rows.set(1, before.encrypt('thing 1', 'written late'));
  });
  expect(await rotateSecrets(table, after)).toMatchObject({ rotated: 4, changed: 0, isComplete: true });
  expect(keyring([deriveKey('new', 'test')]).decrypt('thing 1', rows.get(1) as Buffer)).toBe('written late');
});

test('a process that never stops to write with the old key is reported', async () => {
  const rows = filled(2);
  const { table } = tableOf(rows, (id) => rows.set(3 - id, before.encrypt(`thing ${3 - id}`, 'again')));
  const lines: string[] = [];
  expect(await reportRotation(table, after, (line) => lines.push(line))).toBe(1);
  expect(lines).toEqual([
    expect.stringMatching(/^things: /),
    'things: a process still encrypts with another key; restart it, and run this again',
  ]);
});

test('a value that cannot be decrypted stays as it is and is reported', async () => {
  const rows = filled(2);
  rows.set(3, keyring([deriveKey('lost', 'test')]).encrypt('thing 3', 'lost'));
  const lines: string[] = [];
  expect(await reportRotation(tableOf(rows).table, after, (line) => lines.push(line))).toBe(1);
  expect(lines).toEqual([
    `things: 2 encrypted with key ${after.keyId.toString('hex')}, 0 changed in the meantime`,
    expect.stringMatching(/^things: 1 cannot be decrypted and were left as they are; the first: thing 3 is encrypted/),
  ]);
  expect(lines.join()).not.toMatch(/secret|lost/);
});
