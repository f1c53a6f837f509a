import { badRequest } from '@switchyard/errors';

/** An entry of either part of the ledger: of this service (`own`), or of webhooks and integrations (`sent`). */
export interface Placed {
  readonly part: 'own' | 'sent';
  readonly id: number;
  readonly at: Date;
}

/** Where a page ends: at a time, and at that time behind an entry of each part. */
export interface MergedPlace {
  readonly at: Date;
  readonly own: number;
  readonly sent: number;
}

/** Stands for all entries of a time. */
const beforeAll = Number.MAX_SAFE_INTEGER;

/** Entries of both parts, newest first; of one time those of this service first. */
export const merged = <Entry extends Placed>(own: readonly Entry[], sent: readonly Entry[]): Entry[] =>
  [...own, ...sent].sort(
    (one, other) => other.at.getTime() - one.at.getTime() || one.part.localeCompare(other.part) || other.id - one.id,
  );

/** The place behind some entries, which were read from `from` on. */
export function placeBehind(entries: readonly Placed[], from: MergedPlace | undefined): MergedPlace | undefined {
  const at = entries.at(-1)?.at;
  if (at === undefined) return from;
  const same = from?.at.getTime() === at.getTime();
  const least = (part: Placed['part']): number =>
    Math.min(
      same && from !== undefined ? from[part] : beforeAll,
      ...entries.filter((entry) => entry.part === part && entry.at.getTime() === at.getTime()).map(({ id }) => id),
    );
  return { at, own: least('own'), sent: least('sent') };
}

/** A place as a cursor. */
export const cursorOf = ({ at, own, sent }: MergedPlace): string =>
  Buffer.from(JSON.stringify([at.getTime(), own, sent])).toString('base64url');

/**
 * Reads a cursor; undefined without one.
 * @throws AppError bad_request for what was not made here
 */
export function placeOf(cursor: string | undefined): MergedPlace | undefined {
  if (cursor === undefined) return undefined;
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(values) && values.length === 3 && values.every((value) => Number.isSafeInteger(value))) {
      const [time, own, sent] = values as [number, number, number];
      const at = new Date(time);
      if (!Number.isNaN(at.getTime())) return { at, own, sent };
    }
  } catch {
    // Falls through: what is no JSON is no cursor either.
  }
  throw badRequest('cursor is invalid');
}
