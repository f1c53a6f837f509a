import type { Keyring } from './keyring';

/** A stored value. */
export interface EncryptedRow {
  readonly id: number;
  /** What it is encrypted for. */
  readonly identity: string;
  /** As it is stored; a text where it was stored before values were encrypted. */
  readonly stored: Buffer | string;
}

/** A table whose rows have one encrypted value each. */
export interface EncryptedTable {
  /** Its name, for the report. */
  readonly name: string;
  /** The next rows after an id that another key than `keyId` encrypted, or none, by id, at most `limit`. */
  staleAfter(id: number, keyId: Buffer, limit: number): Promise<EncryptedRow[]>;
  /** Stores the value unless the row was changed or deleted since it was read; true when it was stored. */
  replace(row: EncryptedRow, sealed: Buffer): Promise<boolean>;
}

/** The result of a rotation. */
export interface Rotation {
  /** Values that were encrypted again. */
  readonly rotated: number;
  /** Values that were changed at the same time; the change is kept. */
  readonly changed: number;
  /** Rows that cannot be decrypted: of the first, why. */
  readonly unreadable: number;
  readonly firstProblem: string | undefined;
  /** The last pass found no value to encrypt again; false while others still encrypt with another key. */
  readonly isComplete: boolean;
}

/** Rows of a batch: each is some milliseconds of locks and 10 kB at most. */
const batchSize = 200;

/**
 * Passes over a table. A row that changes while a pass runs is encrypted with the key of its writer, maybe behind the
 * pass: the next one finds it, and the last one finds nothing.
 */
const maxPasses = 5;

/**
 * Encrypts every value of a table with the current key of the ring, while others write. Each row is compared and
 * swapped, so a change that happens at the same time is not lost. A run that was stopped is continued by the next.
 */
export async function rotateSecrets(table: EncryptedTable, ring: Keyring): Promise<Rotation> {
  let [rotated, changed] = [0, 0];
  for (let pass = 1; ; pass += 1) {
    let [stale, missed, unreadable] = [0, 0, 0];
    let firstProblem: string | undefined;
    let rows = await table.staleAfter(0, ring.keyId, batchSize);
    for (; rows.length > 0; rows = await table.staleAfter(rows.at(-1)?.id ?? 0, ring.keyId, batchSize)) {
      for (const row of rows) {
        let text: string;
        try {
          text = typeof row.stored === 'string' ? row.stored : ring.decrypt(row.identity, row.stored);
        } catch (error) {
          unreadable += 1;
          firstProblem ??= (error as Error).message;
          continue;
        }
        stale += 1;
        if (await table.replace(row, ring.encrypt(row.identity, text))) rotated += 1;
        else missed += 1;
      }
    }
    changed += missed;
    const isComplete = stale === 0;
    if (isComplete || pass === maxPasses) return { rotated, changed, unreadable, firstProblem, isComplete };
  }
}

/**
 * Rotates a table and reports it to the operator.
 * @returns the exit code: 1 when some values cannot be decrypted, or are still encrypted with another key
 */
export async function reportRotation(
  table: EncryptedTable,
  ring: Keyring,
  write: (line: string) => void,
): Promise<number> {
  const { rotated, changed, unreadable, firstProblem, isComplete } = await rotateSecrets(table, ring);
  write(
    `${table.name}: ${rotated} encrypted with key ${ring.keyId.toString('hex')}, ${changed} changed in the meantime`,
  );
  if (!isComplete) {
    write(`${table.name}: a process still encrypts with another key; restart it, and run this again`);
  }
  if (unreadable > 0) {
    write(`${table.name}: ${unreadable} cannot be decrypted and were left as they are; the first: ${firstProblem}`);
  }
  return isComplete && unreadable === 0 ? 0 : 1;
}
